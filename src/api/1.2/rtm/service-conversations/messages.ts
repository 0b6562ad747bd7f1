import { MAX_RECEIVERS, sendTargeted } from '../../../../messaging/messages/targeted-messages.ts'
import { type Answer, type Call, ok } from '../../../call.ts'
import { conversationRoute } from '../../../messaging/conversation-route.ts'
import { messageBodyOf, sentAnswer } from '../../../messaging/message-body.ts'
import { countRequest } from '../../../messaging/rate-limit.ts'
import { requiredClient, requiredClients } from '../../../request-fields.ts'
import type { Route } from '../../../route.ts'
import { editRoutes } from '../conversations/messages.ts'

/** Messages to some clients, and their updates (protocol/messaging, System conversations). */
export const serviceMessages: readonly Route[] = [
  conversationRoute('system', { method: 'POST', path: '/messages', rate: 'writes', handler: send }),
  ...editRoutes('system'),
]

async function send(call: Call, convId: string): Promise<Answer> {
  await countRequest(call, 'restSends')
  const fields = call.parameters
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
