import { isTimeout } from '../../database/faults.ts'
import { type Conversation, isTemporaryId } from '../conversation.ts'
import type { Message } from '../message.ts'
import { readHistory } from '../messages/history.ts'
import { threadsFor } from '../messages/threads.ts'
import type { Messaging } from '../messaging.ts'
import { messagingErrors } from '../messaging-errors.ts'
import type { RequestingClient } from '../presence.ts'
import { furthest, type Progress, progressOf } from '../reading/max-read.ts'
import { hasReceipts } from '../reading/receipts.ts'
import { type LogParameters, logsQueryOf } from './log-parameters.ts'

/** A message of a history, and when a client other than its sender received and read it, in milliseconds. */
export interface LoggedMessage {
  readonly message: Message
  /** null if no client has, or the conversation has no receipts. */
  readonly receivedAt: number | null
  readonly readAt: number | null
}

/**
 * Reads a page of history as a client may see it, oldest first whatever the direction (protocol/realtime, History: logs). Chat
 * rooms are open to everyone; in a system conversation, each client sees broadcasts and its own messages.
 * @throws MessagingError 4303; 4311 for temporary conversations, which have no history, and for timeouts; 4312 for non-members
 */
export async function clientHistory(
  messaging: Messaging,
  { clientId, principal }: RequestingClient,
  convId: string,
  parameters: LogParameters,
): Promise<LoggedMessage[]> {
  const conversation = await readable(messaging, clientId, convId)
  const query = logsQueryOf(parameters, { threads: threadsFor(conversation.kind, convId, clientId) })
  const messages = await readHistory(messaging, query, principal).catch((error) => {
    throw isTimeout(error) ? messagingErrors.logFailed('The query timed out.') : error
  })
  const progress = hasReceipts(conversation) ? await progressOf(messaging, conversation, principal) : NO_PROGRESS
  const ascending = query.ascending ? messages : messages.reverse()
  return ascending.map((message) => ({ message, ...arrival(message, progress) }))
}

/** Returns the conversation if the client may read its history. @throws MessagingError 4303, 4311, 4312 */
async function readable(messaging: Messaging, clientId: string, convId: string): Promise<Conversation> {
  if (isTemporaryId(convId)) throw messagingErrors.logFailed('Temporary conversations have no history.')
  const conversation = await messaging.conversations.find(convId)
  if (!conversation) throw messagingErrors.conversationNotFound(convId)
  if (conversation.kind === 'normal' && !conversation.members.has(clientId)) throw messagingErrors.logRejected()
  return conversation
}

const NO_PROGRESS: ReadonlyMap<string, Progress> = new Map()

/** Returns when a message was received and read. Cursors are times of messages, so a cursor after the message includes it. */
function arrival({ sender, ts }: Message, progress: ReadonlyMap<string, Progress>): Omit<LoggedMessage, 'message'> {
  const { received, read } = furthest([...progress].flatMap(([member, made]) => (member === sender ? [] : [made])))
  return {
    receivedAt: received !== null && received >= ts ? received : null,
    readAt: read !== null && read >= ts ? read : null,
  }
}
