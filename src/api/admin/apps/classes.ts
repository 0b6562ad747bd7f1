import { z } from 'zod'
import { errors } from '../../../errors.ts'
import { CLASS_OPERATIONS } from '../../../objects/access/permissions.ts'
import { isBuiltIn } from '../../../objects/classes/built-in-classes.ts'
import type { ClassSchema } from '../../../objects/classes/class-schema.ts'
import { configureClass } from '../../../objects/writing/configure-class.ts'
import type { RunningApp } from '../../../running-app/running-app.ts'
import { checkClassName } from '../../../values/names.ts'
import { appOf } from '../../admin-app.ts'
import { ok } from '../../call.ts'
import { changedClass, newClass, type ParsedClass, parseClassChange, parseNewClass } from '../../class-body.ts'
import { emptyAnswer } from '../../empty-answer.ts'
import { adminRoute, type Route } from '../../route.ts'

export const acl = z
  .record(z.string(), z.object({ read: z.boolean().optional(), write: z.boolean().optional() }))
  .meta({ id: 'Acl' })
const shownClass = z
  .object({
    className: z.string(),
    fields: z.record(
      z.string(),
      z.looseObject({ type: z.string(), className: z.string().optional() }).meta({ id: 'Field' }),
    ),
    permissions: z.record(z.string(), z.unknown()).describe('By operation'),
    defaultAcl: acl.describe('By `*`, the id of a user, or `role:` and the name of a role'),
    indexes: z.array(z.string()).describe('The fields of each'),
  })
  .meta({ id: 'ClassDescription' })

/** Classes with their fields, permissions, default ACL and indexes (docs/architecture.md, Management). */
export const adminClasses: readonly Route[] = [
  adminRoute({
    method: 'GET',
    path: '/admin/apps/:appId/classes',
    need: 'see',
    summary: 'Lists the classes with their fields, permissions and indexes.',
    answer: z.object({ classes: z.array(shownClass) }),
    handler: async (call) => {
      const app = await appOf(call)
      await app.objects.classes.refreshIfChanged()
      return ok({ classes: await Promise.all(app.objects.classes.all().map((schema) => shown(app, schema))) })
    },
  }),
  adminRoute({
    method: 'GET',
    path: '/admin/apps/:appId/classes/:className',
    need: 'see',
    summary: 'Returns a class.',
    answer: shownClass,
    handler: async (call) => {
      const app = await appOf(call)
      return ok(await shown(app, await app.objects.classes.find(checkClassName(call.params.className))))
    },
  }),
  adminRoute({
    method: 'POST',
    path: '/admin/apps/:appId/classes',
    need: 'change',
    summary: 'Creates a class.',
    body: newClass,
    answer: shownClass,
    handler: async (call) => {
      const app = await appOf(call)
      const { className, ...parsed } = parseNewClass(call.body)
      return { status: 201, body: await shown(app, await configure(app, className, parsed)) }
    },
  }),
  adminRoute({
    method: 'PATCH',
    path: '/admin/apps/:appId/classes/:className',
    need: 'change',
    summary: 'Changes fields, permissions, the default ACL or indexes of a class.',
    body: changedClass,
    answer: shownClass,
    handler: async (call) => {
      const app = await appOf(call)
      const parsed = parseClassChange(call.body)
      return ok(await shown(app, await configure(app, checkClassName(call.params.className), parsed)))
    },
  }),
  adminRoute({
    method: 'DELETE',
    path: '/admin/apps/:appId/classes/:className',
    need: 'change',
    summary: 'Deletes a class with its objects, permanently.',
    answer: emptyAnswer,
    handler: async (call) => {
      const app = await appOf(call)
      const className = checkClassName(call.params.className)
      if (isBuiltIn(className)) throw errors.badArgument(`The built-in class '${className}' cannot be deleted.`)
      await app.objects.classes.find(className)
      await app.objects.classes.drop(className)
      return ok({})
    },
  }),
]

/** Configures a class, and wakes the indexer for fields that were enabled for search. */
async function configure(
  { objects, search }: RunningApp,
  className: string,
  { change, indexes }: ParsedClass,
): Promise<ClassSchema> {
  const schema = await configureClass(objects, className, change, indexes)
  search.indexer.wake()
  return schema
}

async function shown(app: RunningApp, schema: ClassSchema): Promise<object> {
  const permissions = Object.fromEntries(
    CLASS_OPERATIONS.map((operation) => [operation, schema.permissions[operation] ?? 'public']),
  )
  return {
    className: schema.name,
    fields: Object.fromEntries(
      [...schema.fields.values()].map((field) => [field.name, { ...field.type, ...field.options }]),
    ),
    permissions,
    defaultAcl: schema.defaultAcl ?? { '*': { read: true, write: true } },
    indexes: await app.objects.indexes.list(schema),
  }
}
