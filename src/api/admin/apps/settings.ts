import { z } from 'zod'
import { mayDo } from '../../../administrators/administrator.ts'
import { type AppSettings, SECRET_SETTINGS, settings } from '../../../apps/settings.ts'
import { withoutSecrets } from '../../../apps/settings-secrets.ts'
import { errors } from '../../../errors.ts'
import { isJsonObject } from '../../../values/json.ts'
import { ok } from '../../call.ts'
import { adminRoute, type Route } from '../../route.ts'

/** The JSON Schema of the settings, created at the first request. */
let schema: object | undefined

/** The settings are described by their own schema. */
const shown = z.looseObject({})

/** Settings of an app (docs/architecture.md, Management). */
export const adminSettings: readonly Route[] = [
  adminRoute({
    method: 'GET',
    path: '/admin/apps/:appId/settings',
    need: 'see',
    summary: 'Returns the settings of an app, without their secrets.',
    answer: shown,
    handler: async ({ server, params }) => {
      const app = await server.apps.find(params.appId!)
      if (!app) throw errors.notFound(`App '${params.appId!.slice(0, 60)}' not found.`)
      return ok(shownSettings(app.settings))
    },
  }),
  adminRoute({
    method: 'PATCH',
    path: '/admin/apps/:appId/settings',
    need: 'change',
    summary:
      'Changes settings by a JSON merge patch (RFC 7396): null restores the default. Names can be paths, such as engine.production.',
    body: z.looseObject({}),
    answer: shown,
    handler: async ({ server, params, body, admin: { administrator }, sent }) => {
      if (!isJsonObject(body)) throw errors.malformedJson('The body must be a JSON object.')
      const mayClaimHosts = administrator === null || mayDo(administrator, 'own')
      const change = { mayClaimHosts, ownHost: sent.host }
      return ok(shownSettings(await server.apps.updateSettings(params.appId!, body, change)))
    },
  }),
  adminRoute({
    method: 'GET',
    path: '/admin/apps/:appId/settings/schema',
    need: 'see',
    summary: 'Returns the JSON Schema of the settings; values marked `secret` can be set but are never returned.',
    answer: z.looseObject({}),
    handler: async () => {
      schema ??= z.toJSONSchema(settings, { io: 'input', unrepresentable: 'any' })
      return ok(schema)
    },
  }),
]

function shownSettings(settings: AppSettings): object {
  return withoutSecrets(JSON.parse(JSON.stringify(settings)), SECRET_SETTINGS)
}
