import { addMembers } from '../../../../messaging/members/add-members.ts'
import { removeMembers } from '../../../../messaging/members/remove-members.ts'
import { countSubscribers, listSubscribers } from '../../../../messaging/members/subscriptions.ts'
import { deleteMessage } from '../../../../messaging/messages/patches.ts'
import { threadsFor } from '../../../../messaging/messages/threads.ts'
import { type Answer, type Call, ok } from '../../../call.ts'
import { conversationRoute, throwFailure } from '../../../messaging/conversation-route.ts'
import { historyRoute } from '../../../messaging/history-route.ts'
import { subscriberRecord } from '../../../messaging/subscriber-record.ts'
import { numberIn, requiredClient, requiredTime, textIn } from '../../../request-fields.ts'
import type { Route } from '../../../route.ts'

/** Subscribers of a system conversation, and the messages sent to each (protocol/messaging, System conversations). */
export const subscribers: readonly Route[] = [
  conversationRoute('system', {
    method: 'POST',
    path: '/subscribers',
    rate: 'writes',
    handler: async ({ app, parameters }, convId) => {
      const { failed } = await addMembers(app.messaging, null, convId, [requiredClient(parameters, 'client_id')])
      throwFailure(failed)
      return ok({})
    },
  }),
  conversationRoute('system', {
    method: 'DELETE',
    path: '/subscribers/:clientId',
    rate: 'writes',
    handler: async ({ app, params }, convId) => {
      await removeMembers(app.messaging, null, convId, [params.clientId!])
      return ok({})
    },
  }),
  conversationRoute('system', {
    method: 'GET',
    path: '/subscribers',
    rate: 'queries',
    adminReadable: true,
    handler: async ({ app, parameters }, convId) => {
      const page = { after: textIn(parameters, 'client_id'), limit: numberIn(parameters, 'limit') }
      return ok((await listSubscribers(app.messaging, convId, page)).map(subscriberRecord))
    },
  }),
  conversationRoute('system', {
    method: 'GET',
    path: '/subscribers/count',
    rate: 'queries',
    adminReadable: true,
    handler: async ({ app }, convId) => ok({ count: await countSubscribers(app.messaging, convId) }),
  }),
  conversationRoute('system', {
    method: 'DELETE',
    path: '/subscribers/:clientId/messages/:messageId',
    rate: 'writes',
    handler: removeTargeted,
  }),
  historyRoute('system', '/subscribers/:clientId/messages', ({ params }, convId) => ({
    threads: threadsFor('system', convId, params.clientId!),
  })),
]

/** Deletes a message for one subscriber; broadcasts are deleted at a separate path. */
async function removeTargeted({ app, params, parameters }: Call, convId: string): Promise<Answer> {
  const sender = requiredClient(parameters, 'from_client')
  const ts = requiredTime(parameters, 'timestamp')
  await deleteMessage(app.messaging, { convId, id: params.messageId!, ts, receivers: [params.clientId!] }, sender)
  return ok({})
}
