import { listSilenced, silence, unsilence } from '../../../messaging/moderation/silences.ts'
import { endSilence, silenceFor } from '../../../messaging/moderation/temporary-silences.ts'
import { ok } from '../../call.ts'
import type { Route } from '../../route.ts'
import { conversationRoute, throwFailure } from './conversation-route.ts'
import { clientPage, pageRequestOf } from './paged-answer.ts'
import { deletionFields, fieldsOf, requiredClient, requiredClients, requiredNumber } from './request-fields.ts'

/** Who may not speak, for a time or for good (protocol/messaging, One-on-one and group conversations). */
export function silenceRoutes(kind: 'normal' | 'room'): Route[] {
  return [
    conversationRoute(kind, 'POST', '/temporary-silenceds', async ({ app, body }, convId) => {
      const fields = fieldsOf(body)
      const clientId = requiredClient(fields, 'client_id')
      await silenceFor(app.messaging, convId, clientId, requiredNumber(fields, 'ttl', 'a number of seconds'))
      return ok({})
    }),
    conversationRoute(kind, 'DELETE', '/temporary-silenceds', async (call, convId) => {
      await endSilence(call.app.messaging, convId, requiredClient(deletionFields(call), 'client_id'))
      return ok({})
    }),
    conversationRoute(kind, 'POST', '/permanent-silenceds', async ({ app, body }, convId) => {
      throwFailure((await silence(app.messaging, null, convId, requiredClients(fieldsOf(body), 'client_ids'))).failed)
      return ok({})
    }),
    conversationRoute(kind, 'DELETE', '/permanent-silenceds', async (call, convId) => {
      await unsilence(call.app.messaging, null, convId, requiredClients(deletionFields(call), 'client_ids'))
      return ok({})
    }),
    conversationRoute(kind, 'GET', '/permanent-silenceds', async ({ app, query }, convId) =>
      ok(clientPage(await listSilenced(app.messaging, null, convId, pageRequestOf(query)))),
    ),
  ]
}
