import { addMembers } from '../../../messaging/members/add-members.ts'
import { removeMembers } from '../../../messaging/members/remove-members.ts'
import { countSubscribers, listSubscribers } from '../../../messaging/members/subscriptions.ts'
import { sendBroadcast } from '../../../messaging/messages/broadcasts.ts'
import { deleteMessage } from '../../../messaging/messages/patches.ts'
import { MAX_RECEIVERS, sendTargeted } from '../../../messaging/messages/targeted-messages.ts'
import { threadsFor } from '../../../messaging/messages/threads.ts'
import { type Answer, type Call, ok } from '../../call.ts'
import type { Route } from '../../route.ts'
import { blacklistRoutes } from './blacklist-routes.ts'
import { conversationRoute, throwFailure } from './conversation-route.ts'
import { historyRoute } from './history-route.ts'
import { messageBodyOf, pushDataOf, sentAnswer } from './message-body.ts'
import { editRoutes } from './message-routes.ts'
import { countRequest } from './rate-limit.ts'
import { recordRoutes } from './record-routes.ts'
import {
  fieldsOf,
  numberIn,
  requiredClient,
  requiredClients,
  requiredText,
  requiredTime,
  textIn,
} from './request-fields.ts'
import { subscriberRecord } from './subscriber-record.ts'

/** System conversations (protocol/messaging, System conversations). */
export const serviceConversations: readonly Route[] = [
  ...recordRoutes(
    'system',
    (attributes) => ({ kind: 'system', members: [], unique: false, attributes }),
    ({ objectId, createdAt }) => ({ objectId: objectId!, createdAt: createdAt! }),
  ),
  conversationRoute('system', 'POST', '/subscribers', async ({ app, body }, convId) => {
    const { failed } = await addMembers(app.messaging, null, convId, [requiredClient(fieldsOf(body), 'client_id')])
    throwFailure(failed)
    return ok({})
  }),
  conversationRoute('system', 'DELETE', '/subscribers/:clientId', async ({ app, params }, convId) => {
    await removeMembers(app.messaging, null, convId, [params.clientId!])
    return ok({})
  }),
  conversationRoute('system', 'GET', '/subscribers', async ({ app, query }, convId) => {
    const page = { after: textIn(query, 'client_id'), limit: numberIn(query, 'limit') }
    return ok((await listSubscribers(app.messaging, convId, page)).map(subscriberRecord))
  }),
  conversationRoute('system', 'GET', '/subscribers/count', async ({ app }, convId) =>
    ok({ count: await countSubscribers(app.messaging, convId) }),
  ),
  conversationRoute('system', 'POST', '/broadcasts', broadcast),
  conversationRoute('system', 'POST', '/messages', send),
  ...editRoutes('system'),
  conversationRoute('system', 'DELETE', '/subscribers/:clientId/messages/:messageId', removeTargeted),
  historyRoute('system', '/subscribers/:clientId/messages', ({ params }, convId) => ({
    threads: threadsFor('system', convId, params.clientId!),
  })),
  ...blacklistRoutes('system'),
]

async function broadcast(call: Call, convId: string): Promise<Answer> {
  await countRequest(call, 'restBroadcasts')
  const fields = fieldsOf(call.body)
  const pushData = pushDataOf(fields, 'push')
  const fromClient = requiredClient(fields, 'from_client')
  const message = { convId, fromClient, content: requiredText(fields, 'message'), bin: false, ip: null, pushData }
  return ok(sentAnswer(await sendBroadcast(call.app.messaging, message, 'subscribers')))
}

async function send(call: Call, convId: string): Promise<Answer> {
  await countRequest(call, 'restSends')
  const fields = fieldsOf(call.body)
  const fromClient = requiredClient(fields, 'from_client')
  const toClients = requiredClients(fields, 'to_clients', MAX_RECEIVERS)
  const { content, transient, sync, pushData, lowPriority } = messageBodyOf(fields)
  const written = {
    convId,
    fromClient,
    toClients,
    content,
    bin: false,
    transient,
    sync,
    pushData,
    lowPriority,
    ip: null,
  }
  return ok(sentAnswer(await sendTargeted(call.app.messaging, written)))
}

/** What was for one subscriber; broadcasts are deleted at a path of their own. */
async function removeTargeted({ app, params, query }: Call, convId: string): Promise<Answer> {
  const sender = requiredClient(query, 'from_client')
  const ts = requiredTime(query, 'timestamp')
  await deleteMessage(app.messaging, { convId, id: params.messageId!, ts, receivers: [params.clientId!] }, sender)
  return ok({})
}
