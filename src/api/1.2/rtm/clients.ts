import { errors } from '../../../errors.ts'
import { signUserIfOn } from '../../../hooks/user-signature.ts'
import { checkClientIds } from '../../../messaging/client-ids.ts'
import { appHistory } from '../../../messaging/history/app-history.ts'
import { listSubscriptions } from '../../../messaging/members/subscriptions.ts'
import {
  blockConversation,
  listBlockedConversations,
  unblockConversation,
} from '../../../messaging/moderation/client-blacklists.ts'
import { unreadCount } from '../../../messaging/reading/unread.ts'
import { kickClient } from '../../../messaging/sessions/kick-client.ts'
import type { Parameters } from '../../../objects/query-parameters.ts'
import { type Answer, type Call, ok, signRequestOf } from '../../call.ts'
import { callingClient } from '../../messaging/calling-client.ts'
import { pageRequestOf } from '../../messaging/paged-answer.ts'
import { subscriberRecord } from '../../messaging/subscriber-record.ts'
import { numberIn, requiredClients, requiredText, requiredTime, textIn } from '../../request-fields.ts'
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
  route('GET', '/1.2/rtm/clients/:clientId/unread-count', async (call) => {
    const { app, params, parameters } = call
    const clientId = clientOf(params)
    await checkMayCount(call, clientId)
    return ok({ count: await unreadCount(app.messaging, clientId, textIn(parameters, 'conv_id') || null) })
  }),
  masterRoute('GET', '/1.2/rtm/clients/:clientId/messages', async ({ app, params, parameters, caller }) =>
    ok(await appHistory(app.messaging, { sender: clientOf(params) }, parameters, caller.origin?.party)),
  ),
  masterRoute('POST', '/1.2/rtm/clients/:clientId/kick', async ({ app, params, parameters }) => {
    await kickClient(app.messaging, clientOf(params), textIn(parameters, 'reason') || null)
    return ok({})
  }),
  masterRoute('GET', '/1.2/rtm/clients/:clientId/service-conversations', subscriptions),
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

/**
 * Any client of the app may ask (protocol/messaging, Client operations). Where conversations are private it is told
 * only the client itself: by its session of messaging, or as a user whose id it bears.
 * @throws ApiError 401
 */
async function checkMayCount(call: Call, clientId: string): Promise<void> {
  const { app, caller } = call
  if (app.messaging.settings().openMembership || caller.master || caller.userId === clientId) return
  if ((await callingClient(call)) !== clientId) throw errors.unauthorized()
}

async function subscriptions({ app, params, parameters }: Call): Promise<Answer> {
  const found = await listSubscriptions(app.messaging, clientOf(params), {
    after: placeOf(parameters),
    ascending: isAscending(parameters),
    limit: numberIn(parameters, 'limit'),
  })
  return ok(found.map(subscriberRecord))
}

function placeOf(query: Parameters) {
  const convId = textIn(query, 'conv_id')
  return convId ? { convId, since: requiredTime(query, 'timestamp') } : undefined
}

function isAscending(query: Parameters): boolean {
  const direction = textIn(query, 'direction') ?? 'new'
  if (direction !== 'new' && direction !== 'old')
    throw errors.badArgument("'direction' must be 'old', for the newest first, or 'new', for the oldest first.")
  return direction === 'new'
}
