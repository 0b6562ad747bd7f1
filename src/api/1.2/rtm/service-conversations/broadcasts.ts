import { sendBroadcast } from '../../../../messaging/messages/broadcasts.ts'
import { type Answer, type Call, ok } from '../../../call.ts'
import { conversationRoute } from '../../../messaging/conversation-route.ts'
import { pushDataOf, sentAnswer } from '../../../messaging/message-body.ts'
import { countRequest } from '../../../messaging/rate-limit.ts'
import { requiredClient, requiredText } from '../../../request-fields.ts'

/**
 * POST /1.2/rtm/service-conversations/:convId/broadcasts — sends a message to all subscribers (protocol/messaging,
 * System conversations).
 */
export const subscriberBroadcasts = conversationRoute('system', {
  method: 'POST',
  path: '/broadcasts',
  rate: 'writes',
  handler: broadcast,
})

async function broadcast(call: Call, convId: string): Promise<Answer> {
  await countRequest(call, 'restBroadcasts')
  const fields = call.parameters
  const pushData = pushDataOf(fields, 'push')
  const fromClient = requiredClient(fields, 'from_client')
  const message = { convId, fromClient, content: requiredText(fields, 'message'), bin: false, ip: null, pushData }
  return ok(sentAnswer(await sendBroadcast(call.app.messaging, message, 'subscribers')))
}
