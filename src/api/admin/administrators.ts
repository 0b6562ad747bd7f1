import { z } from 'zod'
import { ROLES } from '../../administrators/administrator.ts'
import {
  addAdministrator,
  changeAdministrator,
  listAdministrators,
  removeAdministrator,
} from '../../administrators/administrators.ts'
import { makeLink } from '../../administrators/links.ts'
import { isAppId } from '../../values/secrets.ts'
import { ok } from '../call.ts'
import { emptyAnswer } from '../empty-answer.ts'
import { parseBody } from '../parse-body.ts'
import { adminRoute, type Route } from '../route.ts'

const name = z.string().trim().min(1).max(100)
const role = z.enum(ROLES)
const apps = z.array(z.string().refine(isAppId, 'must be the id of an app')).max(1000).nullable()
const added = z.strictObject({ name, role, apps: apps.default(null) })
const changed = z.strictObject({ name: name.optional(), role: role.optional(), apps: apps.optional() })

export const shownAdministrator = z
  .object({
    id: z.uuid(),
    name,
    role,
    apps: z.array(z.string()).nullable(),
    hasPassword: z.boolean(),
    hasTotp: z.boolean(),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'Administrator' })
const shownLink = z.object({ token: z.string(), expiresAt: z.iso.datetime() }).meta({ id: 'EntryLink' })

/** Management of administrators (docs/operations.md, Administrators). */
export const administrators: readonly Route[] = [
  adminRoute({
    method: 'GET',
    path: '/admin/administrators',
    need: 'own',
    summary: 'Lists the administrators.',
    answer: z.object({ administrators: z.array(shownAdministrator) }),
    handler: async ({ server }) => ok({ administrators: await listAdministrators(server.database) }),
  }),
  // The link cannot be retrieved later.
  adminRoute({
    method: 'POST',
    path: '/admin/administrators',
    need: 'own',
    summary: 'Adds an administrator and creates a login link.',
    body: added,
    answer: z.object({ administrator: shownAdministrator, link: shownLink }),
    handler: async ({ server, body }) => {
      const administrator = await addAdministrator(server.database, parseBody(added, body))
      const link = await makeLink(server.database, administrator.id)
      return { status: 201, body: { administrator, link } }
    },
  }),
  adminRoute({
    method: 'PATCH',
    path: '/admin/administrators/:id',
    need: 'own',
    summary: 'Changes the name, the role or the apps of an administrator.',
    body: changed,
    answer: shownAdministrator,
    handler: async ({ server, params, body }) =>
      ok(await changeAdministrator(server.database, params.id!, parseBody(changed, body))),
  }),
  adminRoute({
    method: 'DELETE',
    path: '/admin/administrators/:id',
    need: 'own',
    summary: 'Removes an administrator and ends the sessions.',
    answer: emptyAnswer,
    handler: async ({ server, params }) => {
      await removeAdministrator(server.database, params.id!)
      return ok({})
    },
  }),
  adminRoute({
    method: 'POST',
    path: '/admin/administrators/:id/link',
    need: 'own',
    summary: 'Creates a login link that an administrator can use once, for example after forgetting the password.',
    answer: z.object({ link: shownLink }),
    handler: async ({ server, params }) => ok({ link: await makeLink(server.database, params.id!) }),
  }),
]
