import { blockClients, listBlocked, unblockClients } from '../../../../messaging/moderation/blacklists.ts'
import { ok } from '../../../call.ts'
import { conversationRoute, type Kind, throwFailure } from '../../../messaging/conversation-route.ts'
import { clientPage, pageRequestOf } from '../../../messaging/paged-answer.ts'
import { requiredClients } from '../../../request-fields.ts'
import type { Route } from '../../../route.ts'

/** Returns the routes of a conversation's block list (protocol/messaging, One-on-one and group conversations). */
export function blacklistRoutes(kind: Kind): Route[] {
  return [
    conversationRoute(kind, {
      method: 'POST',
      path: '/blacklists',
      rate: 'writes',
      handler: async ({ app, parameters }, convId) => {
        const { failed } = await blockClients(app.messaging, null, convId, requiredClients(parameters, 'client_ids'))
        throwFailure(failed)
        return ok({})
      },
    }),
    conversationRoute(kind, {
      method: 'DELETE',
      path: '/blacklists',
      rate: 'writes',
      handler: async (call, convId) => {
        await unblockClients(call.app.messaging, null, convId, requiredClients(call.parameters, 'client_ids'))
        return ok({})
      },
    }),
    conversationRoute(kind, {
      method: 'GET',
      path: '/blacklists',
      rate: 'queries',
      adminReadable: true,
      handler: async ({ app, parameters }, convId) =>
        ok(clientPage(await listBlocked(app.messaging, null, convId, pageRequestOf(parameters)))),
    }),
  ]
}
