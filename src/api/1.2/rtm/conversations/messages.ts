import { deleteMessage, editMessage, type NewContent } from '../../../../messaging/messages/patches.ts'
import { sendMessage } from '../../../../messaging/messages/send-message.ts'
import { MAX_RECEIVERS } from '../../../../messaging/messages/targeted-messages.ts'
import { type Answer, type Call, ok } from '../../../call.ts'
import { conversationRoute } from '../../../messaging/conversation-route.ts'
import { historyRoute } from '../../../messaging/history-route.ts'
import { mentionsOf, messageBodyOf, sentAnswer } from '../../../messaging/message-body.ts'
import { countRequest } from '../../../messaging/rate-limit.ts'
import { clientsIn, requiredClient, requiredText, requiredTime } from '../../../request-fields.ts'
import type { Route } from '../../../route.ts'

/**
 * Returns the routes to send and list messages in conversations where each message is for all members
 * (protocol/messaging, One-on-one and group conversations).
 */
export function messageRoutes(kind: 'normal' | 'room'): Route[] {
  return [
    conversationRoute(kind, { method: 'POST', path: '/messages', rate: 'writes', handler: send }),
    historyRoute(kind, '/messages', (_call, convId) => ({ threads: [convId] })),
    ...editRoutes(kind),
    conversationRoute(kind, {
      method: 'DELETE',
      path: '/messages/:messageId',
      rate: 'writes',
      handler: async ({ app, params, parameters }, convId) => {
        const sender = requiredClient(parameters, 'from_client')
        const ref = { convId, id: params.messageId!, ts: requiredTime(parameters, 'timestamp'), receivers: null }
        await deleteMessage(app.messaging, ref, sender)
        return ok({})
      },
    }),
  ]
}

/**
 * Returns the routes to update and recall messages, in conversations of all kinds; clients are notified of both
 * (protocol/messaging, One-on-one and group conversations).
 */
export function editRoutes(kind: 'normal' | 'room' | 'system'): Route[] {
  return [
    conversationRoute(kind, {
      method: 'PUT',
      path: '/messages/:messageId',
      rate: 'writes',
      handler: (call, convId) => {
        const { parameters } = call
        return edit(call, convId, {
          content: requiredText(parameters, 'message'),
          bin: false,
          ...mentionsOf(parameters),
        })
      },
    }),
    conversationRoute(kind, {
      method: 'PUT',
      path: '/messages/:messageId/recall',
      rate: 'writes',
      handler: (call, convId) => edit(call, convId, null),
    }),
  ]
}

async function send(call: Call, convId: string): Promise<Answer> {
  await countRequest(call, 'restSends')
  const fields = call.parameters
  const sender = { clientId: requiredClient(fields, 'from_client'), session: null, ip: null }
  const { sync, ...message } = messageBodyOf(fields)
  const draft = { convId, bin: false, receipt: false, token: null, ...message }
  return ok(sentAnswer(await sendMessage(call.app.messaging, { ...sender, sync }, draft)))
}

async function edit(call: Call, convId: string, content: NewContent): Promise<Answer> {
  await countRequest(call, 'restUpdates')
  const fields = call.parameters
  const editor = { clientId: requiredClient(fields, 'from_client'), session: null, ip: null }
  const receivers = clientsIn(fields, 'to_clients', MAX_RECEIVERS)
  const ref = {
    convId,
    id: call.params.messageId!,
    ts: requiredTime(fields, 'timestamp'),
    receivers: receivers.length > 0 ? receivers : null,
  }
  await editMessage(call.app.messaging, editor, ref, content)
  return ok({})
}
