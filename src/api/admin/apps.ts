import { z } from 'zod'
import { mayDo } from '../../administrators/administrator.ts'
import type { AppRecord } from '../../apps/apps.ts'
import { type AppSettings, SECRET_SETTINGS } from '../../apps/settings.ts'
import { withoutSecrets } from '../../apps/settings-secrets.ts'
import { errors } from '../../errors.ts'
import { isJsonObject } from '../../values/json.ts'
import type { Admin } from '../authenticate-admin.ts'
import { ok } from '../call.ts'
import { parseBody } from '../parse-body.ts'
import { adminRoute, type Route } from '../route.ts'

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
  rotateKeys: z.literal(true).optional(),
})

/** Apps and their keys (docs/architecture.md, Management). */
export const adminApps: readonly Route[] = [
  adminRoute(
    'GET',
    '/admin/apps',
    async ({ server, admin }) => {
      await server.apps.reload()
      const isTheirs = ({ id }: AppRecord) => admin.administrator === null || mayDo(admin.administrator, 'see', id)
      const apps = server.apps.all().filter(isTheirs)
      return ok({ apps: apps.map((app) => shown(app, admin)) })
    },
    { need: 'any' },
  ),
  adminRoute('POST', '/admin/apps', async ({ server, admin, body }) => {
    const { name, ownerEmail, appId, ...keys } = parseBody(newApp, body)
    const app = await server.apps.create(name, ownerEmail, { id: appId, ...keys })
    return { status: 201, body: shown(app, admin), headers: { location: `/admin/apps/${app.id}` } }
  }),
  adminRoute('GET', '/admin/apps/:appId', async ({ server, admin, params }) => {
    const app = await server.apps.find(params.appId!)
    if (!app) throw errors.notFound(`There is no app with the id '${params.appId!.slice(0, 60)}'.`)
    return ok(shown(app, admin))
  }),
  adminRoute('PATCH', '/admin/apps/:appId', async ({ server, admin, params, body }) =>
    ok(shown(await server.apps.update(params.appId!, parseBody(appChange, body)), admin)),
  ),
  adminRoute(
    'DELETE',
    '/admin/apps/:appId',
    async ({ server, params }) => {
      await server.apps.remove(params.appId!)
      server.running.forget(params.appId!)
      await server.exports.forgetApp(params.appId!)
      await server.blobs.removeApp(params.appId!)
      return ok({})
    },
    { need: 'own' },
  ),
  adminRoute('GET', '/admin/apps/:appId/settings', async ({ server, params }) => {
    const app = await server.apps.find(params.appId!)
    if (!app) throw errors.notFound(`There is no app with the id '${params.appId!.slice(0, 60)}'.`)
    return ok(shownSettings(app.settings))
  }),
  adminRoute('PATCH', '/admin/apps/:appId/settings', async ({ server, params, body }) => {
    if (!isJsonObject(body)) throw errors.malformedJson('The body must be a JSON object.')
    return ok(shownSettings(await server.apps.updateSettings(params.appId!, body)))
  }),
]

function shownSettings(settings: AppSettings): object {
  return withoutSecrets(JSON.parse(JSON.stringify(settings)), SECRET_SETTINGS)
}

/** Who may only look is not shown what would let them change things. */
function shown(app: AppRecord, { administrator }: Admin): object {
  const { id, name, appKey, masterKey, hookKey, ownerEmail, createdAt } = app
  const keys = administrator === null || mayDo(administrator, 'change', id) ? { masterKey, hookKey } : {}
  return { appId: id, name, appKey, ...keys, ownerEmail, createdAt }
}
