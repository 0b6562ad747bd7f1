import { z } from 'zod'
import type { RunningApp } from '../../apps/running-app.ts'
import { errors } from '../../errors.ts'
import { parseAcl } from '../../objects/acl.ts'
import { isBuiltIn } from '../../objects/built-in-classes.ts'
import type { ClassSchema, FieldOptions } from '../../objects/class-schema.ts'
import { CLASS_OPERATIONS, type ClassPermissions } from '../../objects/permissions.ts'
import { checkClassName } from '../../values/names.ts'
import { normalise } from '../../values/typed.ts'
import { ok } from '../call.ts'
import { parseBody } from '../parse-body.ts'
import { adminRoute, type Route, type ServerCall } from '../route.ts'

const permission = z.union([
  z.enum(['public', 'users', 'master']),
  z.strictObject({ users: z.array(z.string()).default([]), roles: z.array(z.string()).default([]) }),
])
const fieldOptions = z.strictObject({
  required: z.boolean().optional(),
  readOnly: z.boolean().optional(),
  hidden: z.boolean().optional(),
  default: z.json().optional(),
})
const classChange = z.strictObject({
  permissions: z.partialRecord(z.enum(CLASS_OPERATIONS), permission).optional(),
  defaultAcl: z.record(z.string(), z.unknown()).nullable().optional(),
  fields: z.record(z.string(), fieldOptions).optional(),
  indexes: z
    .array(z.strictObject({ fields: z.array(z.string()).min(1).max(4), unique: z.boolean().default(false) }))
    .optional(),
})

/** Classes with their fields, permissions, default ACL and indexes (design, Management API). */
export const adminClasses: readonly Route[] = [
  adminRoute('GET', '/admin/apps/:appId/classes', async (call) => {
    const app = await appOf(call)
    await app.objects.classes.refreshIfChanged()
    return ok({ classes: await Promise.all(app.objects.classes.all().map((schema) => shown(app, schema))) })
  }),
  adminRoute('GET', '/admin/apps/:appId/classes/:className', async (call) => {
    const app = await appOf(call)
    return ok(await shown(app, await app.objects.classes.find(checkClassName(call.params.className))))
  }),
  adminRoute('PATCH', '/admin/apps/:appId/classes/:className', async (call) => {
    const app = await appOf(call)
    const change = parseBody(classChange, call.body)
    const className = checkClassName(call.params.className)
    const schema = await app.objects.classes.ensureClass(className)
    const defaultAcl = change.defaultAcl && parseAcl(change.defaultAcl, true)
    const changed = await app.objects.classes.configure(className, {
      ...(change.permissions && {
        permissions: { ...schema.permissions, ...(change.permissions as ClassPermissions) },
      }),
      ...(defaultAcl !== undefined && { defaultAcl }),
      ...(change.fields && { fieldOptions: mergeOptions(schema, change.fields) }),
    })
    for (const index of change.indexes ?? []) await app.objects.indexes.create(changed, index.fields, index.unique)
    return ok(await shown(app, changed))
  }),
  adminRoute('DELETE', '/admin/apps/:appId/classes/:className', async (call) => {
    const app = await appOf(call)
    const className = checkClassName(call.params.className)
    if (isBuiltIn(className)) throw errors.badArgument(`The built-in class '${className}' cannot be deleted.`)
    await app.objects.classes.find(className)
    await app.objects.classes.drop(className)
    return ok({})
  }),
]

async function appOf({ server, params }: ServerCall): Promise<RunningApp> {
  const app = await server.running.open(params.appId!)
  if (!app) throw errors.notFound(`There is no app with the id '${params.appId!.slice(0, 60)}'.`)
  return app
}

function mergeOptions(
  schema: ClassSchema,
  changes: Record<string, z.infer<typeof fieldOptions>>,
): Map<string, FieldOptions> {
  return new Map(
    Object.entries(changes).map(([name, change]) => {
      const field = schema.fields.get(name)
      if (!field) throw errors.badArgument(`The class '${schema.name}' has no field '${name}'.`)
      const filled = change.default === undefined ? change : { ...change, default: normalise(change.default, name) }
      const given = Object.entries({ ...field.options, ...filled }).filter(
        ([, value]) => value !== undefined && value !== false,
      )
      return [name, Object.fromEntries(given) as FieldOptions]
    }),
  )
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
