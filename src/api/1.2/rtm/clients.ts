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

/** What concerns one client, or is asked of clients (protocol/messaging, Client operations). */
export const clients: readonly Route[] = [
  masterRoute('POST', '/1.2/rtm/clients/check-online', async ({ app, parameters }) => {
    const clientIds = requiredClients(parameters, 'client_ids', MAX_CHECKED)
    const online = await app.messaging.presence.online(clientIds)
    return ok({ results: [...new Set(clientIds)].filter((clientId) => online.has(clientId)) })
  }),
  route('GET', '/1.2/rtm/clients/sign', async (call) =>
    ok(await signUserIfOn(call.app, requiredText(call.parameters, 'session_token'), signRequestOf(call))),
  ),
  route('GET', '/1.2/rtm/clients/:clientId/unread-count', (call) =>
    unreadOf(call, clientOf(call.params), textIn(call.parameters, 'conv_id') || null),
  ),
  masterRoute('GET', '/1.2/rtm/clients/:clientId/messages', async ({ app, params, parameters, caller }) =>
    ok(await appHistory(app.messaging, { sender: clientOf(params) }, parameters, caller.origin?.party)),
  ),
  masterRoute('POST', '/1.2/rtm/clients/:clientId/kick', async ({ app, params, parameters }) => {
    await kickClient(app.messaging, clientOf(params), textIn(parameters, 'reason') || null)
    return ok({})
  }),
  masterRoute('GET', '/1.2/rtm/clients/:clientId/service-conversations', (call) =>
    subscriptionsOf(call, clientOf(call.params)),
  ),
  masterRoute('POST', '/1.2/rtm/clients/:clientId/blacklists', async ({ app, params, parameters }) => {
    await blockConversation(app.messaging, null, clientOf(params), requiredText(parameters, 'conv_id'))
    return ok({})
  }),
  masterRoute('DELETE', '/1.2/rtm/clients/:clientId/blacklists', async (call) => {
    const convId = requiredText(call.parameters, 'conv_id')
    await unblockConversation(call.app.messaging, clientOf(call.params), convId)
    return ok({})
  }),
  masterRoute('GET', '/1.2/rtm/clients/:clientId/blacklists', async ({ app, params, parameters }) => {
    const page = await listBlockedConversations(app.messaging, clientOf(params), pageRequestOf(parameters))
    return ok({ conv_ids: page.convIds, ...(page.next !== null && { next: page.next }) })
  }),
]

/** @throws ApiError 1 */
function clientOf(params: Call['params']): string {
  const [clientId] = checkClientIds([params.clientId!])
  return clientId!
}
