import { listSilenced, silence, unsilence } from '../../../../messaging/moderation/silences.ts'
import { ok } from '../../../call.ts'
import { conversationRoute, throwFailure } from '../../../messaging/conversation-route.ts'
import { clientPage, pageRequestOf } from '../../../messaging/paged-answer.ts'
import { requiredClients } from '../../../request-fields.ts'
import type { Route } from '../../../route.ts'

/** Returns the routes of permanent silences (protocol/messaging, One-on-one and group conversations). */
export function permanentSilenceRoutes(kind: 'normal' | 'room'): Route[] {
  return [
    conversationRoute(kind, {
      method: 'POST',
      path: '/permanent-silenceds',
      rate: 'writes',
      handler: async ({ app, parameters }, convId) => {
        throwFailure((await silence(app.messaging, null, convId, requiredClients(parameters, 'client_ids'))).failed)
        return ok({})
      },
    }),
    conversationRoute(kind, {
      method: 'DELETE',
      path: '/permanent-silenceds',
      rate: 'writes',
      handler: async (call, convId) => {
        await unsilence(call.app.messaging, null, convId, requiredClients(call.parameters, 'client_ids'))
        return ok({})
      },
    }),
    conversationRoute(kind, {
      method: 'GET',
      path: '/permanent-silenceds',
      rate: 'queries',
      adminReadable: true,
      handler: async ({ app, parameters }, convId) =>
        ok(clientPage(await listSilenced(app.messaging, null, convId, pageRequestOf(parameters)))),
    }),
  ]
}
