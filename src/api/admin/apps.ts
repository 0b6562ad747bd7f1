import { z } from 'zod'
import { mayDo } from '../../administrators/administrator.ts'
import { type AppRecord, KEYS } from '../../apps/apps.ts'
import { errors } from '../../errors.ts'
import type { Admin } from '../authenticate-admin.ts'
import { ok } from '../call.ts'
import { emptyAnswer } from '../empty-answer.ts'
import { parseBody } from '../parse-body.ts'
import { adminRoute, type Route } from '../route.ts'
import type { Server } from '../server-context.ts'

const key = z.string()
const email = z.email().nullable()
const newApp = z.strictObject({
  name: z.string().min(1).max(100).default('app'),
  ownerEmail: email.default(null),
  appId: z.string().optional(),
  appKey: key.optional(),
  masterKey: key.optional(),
  hookKey: key.optional(),
})
const appChange = z.strictObject({
  name: z.string().min(1).max(100).optional(),
  ownerEmail: email.optional(),
  rotateKeys: z
    .union([z.literal(true), z.array(z.enum(KEYS)).min(1)])
    .optional()
    .describe('true: all three'),
})

const shownApp = z
  .object({
    appId: z.string(),
    name: z.string(),
    appKey: key,
    masterKey: key.optional(),
    hookKey: key.optional(),
    ownerEmail: email,
    fileUrls: z.array(z.string()).describe('Base URLs of the files that are the same for every caller.'),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'App' })

/** Apps and their keys (docs/architecture.md, Management). */
export const adminApps: readonly Route[] = [
  adminRoute({
    method: 'GET',
    path: '/admin/apps',
    need: 'any',
    summary: 'Lists the apps that the caller can see.',
    answer: z.object({ apps: z.array(shownApp) }),
    handler: async ({ server, admin }) => {
      await server.apps.reload()
      const isTheirs = ({ id }: AppRecord) => admin.administrator === null || mayDo(admin.administrator, 'see', id)
      const apps = server.apps.all().filter(isTheirs)
      return ok({ apps: apps.map((app) => shown(server, app, admin)) })
    },
  }),
  adminRoute({
    method: 'POST',
    path: '/admin/apps',
    need: 'own',
    summary: 'Creates an app; keys that are not given are generated.',
    body: newApp,
    answer: shownApp,
    handler: async ({ server, admin, body }) => {
      const { name, ownerEmail, appId, ...keys } = parseBody(newApp, body)
      const app = await server.apps.create(name, ownerEmail, { id: appId, ...keys })
      return { status: 201, body: shown(server, app, admin), headers: { location: `/admin/apps/${app.id}` } }
    },
  }),
  adminRoute({
    method: 'GET',
    path: '/admin/apps/:appId',
    need: 'see',
    summary: 'Returns an app; the master and hook keys only if the caller can change the app.',
    answer: shownApp,
    handler: async ({ server, admin, params }) => {
      const app = await server.apps.find(params.appId!)
      if (!app) throw errors.notFound(`App '${params.appId!.slice(0, 60)}' not found.`)
      return ok(shown(server, app, admin))
    },
  }),
  adminRoute({
    method: 'PATCH',
    path: '/admin/apps/:appId',
    need: 'change',
    summary: "Renames an app, sets its owner's address, or replaces its keys; old keys stop working.",
    body: appChange,
    answer: shownApp,
    handler: async ({ server, admin, params, body }) =>
      ok(shown(server, await server.apps.update(params.appId!, parseBody(appChange, body)), admin)),
  }),
  adminRoute({
    method: 'DELETE',
    path: '/admin/apps/:appId',
    need: 'own',
    summary: 'Deletes an app with all its data, permanently.',
    answer: emptyAnswer,
    handler: async ({ server, params }) => {
      await server.apps.remove(params.appId!)
      server.running.forget(params.appId!)
      await server.exports.forgetApp(params.appId!)
      await server.blobs.removeApp(params.appId!)
      return ok({})
    },
  }),
]

/** Returns an app as shown to an administrator: without the keys that allow changes if the administrator may only view it. */
function shown(server: Server, app: AppRecord, { administrator }: Admin): object {
  const { id, name, appKey, masterKey, hookKey, ownerEmail, createdAt } = app
  const keys = administrator === null || mayDo(administrator, 'change', id) ? { masterKey, hookKey } : {}
  return { appId: id, name, appKey, ...keys, ownerEmail, fileUrls: fileUrlsOf(server, app), createdAt }
}

/**
 * Returns the base URLs of the app's files that are the same for every caller: on its own host, on the host for files,
 * on the public URL.
 */
function fileUrlsOf({ publicUrl, filesPublicUrl }: Server, { settings }: AppRecord): string[] {
  const shared = [filesPublicUrl, publicUrl].flatMap((url) => (url === null ? [] : [`${url}/files/`]))
  const { domain } = settings.files
  return [...(domain === null ? [] : [`${domain}/`]), ...shared]
}
