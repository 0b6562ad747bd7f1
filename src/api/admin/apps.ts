import { z } from 'zod'
import type { AppRecord } from '../../apps/apps.ts'
import { type AppSettings, SECRET_SETTINGS } from '../../apps/settings.ts'
import { withoutSecrets } from '../../apps/settings-secrets.ts'
import { errors } from '../../errors.ts'
import { isJsonObject } from '../../values/json.ts'
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
  adminRoute('GET', '/admin/apps', async ({ server }) => {
    await server.apps.reload()
    return ok({ apps: server.apps.all().map(shown) })
  }),
  adminRoute('POST', '/admin/apps', async ({ server, body }) => {
    const { name, ownerEmail, appId, ...keys } = parseBody(newApp, body)
    const app = await server.apps.create(name, ownerEmail, { id: appId, ...keys })
    return { status: 201, body: shown(app), headers: { location: `/admin/apps/${app.id}` } }
  }),
  adminRoute('GET', '/admin/apps/:appId', async ({ server, params }) => {
    const app = await server.apps.find(params.appId!)
    if (!app) throw errors.notFound(`There is no app with the id '${params.appId!.slice(0, 60)}'.`)
    return ok(shown(app))
  }),
  adminRoute('PATCH', '/admin/apps/:appId', async ({ server, params, body }) =>
    ok(shown(await server.apps.update(params.appId!, parseBody(appChange, body)))),
  ),
  adminRoute('DELETE', '/admin/apps/:appId', async ({ server, params }) => {
    await server.apps.remove(params.appId!)
    server.running.forget(params.appId!)
    await server.exports.forgetApp(params.appId!)
    await server.blobs.removeApp(params.appId!)
    return ok({})
  }),
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

function shown(app: AppRecord): object {
  const { id, name, appKey, masterKey, hookKey, ownerEmail, createdAt } = app
  return { appId: id, name, appKey, masterKey, hookKey, ownerEmail, createdAt }
}
