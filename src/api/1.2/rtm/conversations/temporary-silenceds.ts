import { endSilence, silenceFor } from '../../../../messaging/moderation/temporary-silences.ts'
import { ok } from '../../../call.ts'
import { conversationRoute } from '../../../messaging/conversation-route.ts'
import { requiredClient, requiredNumber } from '../../../request-fields.ts'
import type { Route } from '../../../route.ts'

/** Returns the routes of temporary silences (protocol/messaging, One-on-one and group conversations). */
export function temporarySilenceRoutes(kind: 'normal' | 'room'): Route[] {
  return [
    conversationRoute(kind, {
      method: 'POST',
      path: '/temporary-silenceds',
      rate: 'writes',
      handler: async ({ app, parameters }, convId) => {
        const clientId = requiredClient(parameters, 'client_id')
        await silenceFor(app.messaging, convId, clientId, requiredNumber(parameters, 'ttl', 'a number of seconds'))
        return ok({})
      },
    }),
    conversationRoute(kind, {
      method: 'DELETE',
      path: '/temporary-silenceds',
      rate: 'writes',
      handler: async (call, convId) => {
        await endSilence(call.app.messaging, convId, requiredClient(call.parameters, 'client_id'))
        return ok({})
      },
    }),
  ]
}
