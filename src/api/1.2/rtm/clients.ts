import { signUserIfOn } from '../../../hooks/user-signature.ts'
import { checkClientIds } from '../../../messaging/client-ids.ts'
import { appHistory } from '../../../messaging/history/app-history.ts'
import {
  blockConversation,
  listBlockedConversations,
  unblockConversation,
} from '../../../messaging/moderation/client-blacklists.ts'
import { kickClient } from '../../../messaging/sessions/kick-client.ts'
import { type Call, ok, signRequestOf } from '../../call.ts'
import { pageRequestOf } from '../../messaging/paged-answer.ts'
import { subscriptionsOf } from '../../messaging/subscriptions-of-client.ts'
import { unreadOf } from '../../messaging/unread-of-client.ts'
import { requiredClients, requiredText, textIn } from '../../request-fields.ts'
import { masterRoute, type Route, route } from '../../route.ts'

/** protocol/messaging, Limits */
const MAX_CHECKED = 20

/** Operations on clients (protocol/messaging, Client operations). */
export const clients: readonly Route[] = [
  masterRoute({
    method: 'POST',
    path: '/1.2/rtm/clients/check-online',
    rate: 'writes',
    handler: async ({ app, parameters }) => {
      const clientIds = requiredClients(parameters, 'client_ids', MAX_CHECKED)
      const online = await app.messaging.presence.online(clientIds)
      return ok({ results: [...new Set(clientIds)].filter((clientId) => online.has(clientId)) })
    },
  }),
  route({
    method: 'GET',
    path: '/1.2/rtm/clients/sign',
    rate: 'queries',
    handler: async (call) =>
      ok(await signUserIfOn(call.app, requiredText(call.parameters, 'session_token'), signRequestOf(call))),
  }),
  route({
    method: 'GET',
    path: '/1.2/rtm/clients/:clientId/unread-count',
    rate: 'queries',
    adminReadable: true,
    handler: (call) => unreadOf(call, clientOf(call.params), textIn(call.parameters, 'conv_id') || null),
  }),
  masterRoute({
    method: 'GET',
    path: '/1.2/rtm/clients/:clientId/messages',
    rate: 'queries',
    adminReadable: true,
    handler: async ({ app, params, parameters, caller }) =>
      ok(await appHistory(app.messaging, { sender: clientOf(params) }, parameters, caller.origin?.principal)),
  }),
  masterRoute({
    method: 'POST',
    path: '/1.2/rtm/clients/:clientId/kick',
    rate: 'writes',
    handler: async ({ app, params, parameters }) => {
      await kickClient(app.messaging, clientOf(params), textIn(parameters, 'reason') || null)
      return ok({})
    },
  }),
  masterRoute({
    method: 'GET',
    path: '/1.2/rtm/clients/:clientId/service-conversations',
    rate: 'queries',
    adminReadable: true,
    handler: (call) => subscriptionsOf(call, clientOf(call.params)),
  }),
  masterRoute({
    method: 'POST',
    path: '/1.2/rtm/clients/:clientId/blacklists',
    rate: 'writes',
    handler: async ({ app, params, parameters }) => {
      await blockConversation(app.messaging, null, clientOf(params), requiredText(parameters, 'conv_id'))
      return ok({})
    },
  }),
  masterRoute({
    method: 'DELETE',
    path: '/1.2/rtm/clients/:clientId/blacklists',
    rate: 'writes',
    handler: async (call) => {
      const convId = requiredText(call.parameters, 'conv_id')
      await unblockConversation(call.app.messaging, clientOf(call.params), convId)
      return ok({})
    },
  }),
  masterRoute({
    method: 'GET',
    path: '/1.2/rtm/clients/:clientId/blacklists',
    rate: 'queries',
    adminReadable: true,
    handler: async ({ app, params, parameters }) => {
      const page = await listBlockedConversations(app.messaging, clientOf(params), pageRequestOf(parameters))
      return ok({ conv_ids: page.convIds, ...(page.next !== null && { next: page.next }) })
    },
  }),
]

/** @throws ApiError 1 */
function clientOf(params: Call['params']): string {
  const [clientId] = checkClientIds([params.clientId!])
  return clientId!
}
