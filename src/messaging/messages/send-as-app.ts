import { errors } from '../../errors.ts'
import type { Messaging } from '../messaging.ts'
import { findConversation } from '../records/conversation-state.ts'
import type { Draft } from './draft.ts'
import { sendMessage } from './send-message.ts'
import { sendTargeted } from './targeted-messages.ts'

/** A message that the app's back end sends on behalf of a client, in any kind of conversation. */
export interface AppMessage extends Pick<Draft, 'convId' | 'content' | 'transient' | 'pushData' | 'lowPriority'> {
  readonly fromClient: string
  /** The receivers in a system conversation; elsewhere all members receive the message. */
  readonly toClients: readonly string[]
  /** Whether the sending client receives the message too. */
  readonly sync: boolean
  readonly mentionAll: boolean
  readonly mentions: readonly string[]
}

/**
 * Sends to all members of a conversation, or to some subscribers of a system conversation (protocol/realtime, REST calls made by
 * realtime clients).
 * @throws MessagingError 4303, 4402; ApiError 1 when a system conversation gets no receivers, or the message is too large
 */
export async function sendAsApp(messaging: Messaging, message: AppMessage): Promise<{ id: string; ts: number }> {
  const { fromClient, toClients, sync, ...written } = message
  const { kind } = await findConversation(messaging, message.convId)
  if (kind === 'system') {
    if (toClients.length === 0)
      throw errors.badArgument("'to_peers' is missing; in a system conversation it must name the clients to send to.")
    return sendTargeted(messaging, { ...message, bin: false, ip: null })
  }
  const sender = { clientId: fromClient, session: null, ip: null, sync }
  return sendMessage(messaging, sender, { ...written, bin: false, receipt: false, token: null })
}
