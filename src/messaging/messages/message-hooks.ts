import { type Json, type JsonObject, storableText } from '../../values/json.ts'
import type { Conversation } from '../conversation.ts'
import { verdictOf } from '../hooks.ts'
import type { Message } from '../message.ts'
import type { Messaging } from '../messaging.ts'
import { messagingErrors } from '../messaging-errors.ts'

/** What a hook may change of a message. */
interface Content {
  readonly content: string
  readonly bin: boolean
}

/** What is left of a message, or of a change of one, after a hook has seen it. */
export interface Judged extends Content {
  /** Who is to receive it; null for whoever it concerns. */
  readonly receivers: readonly string[] | null
  /** What the hook said of its change; null when it changed nothing. */
  readonly verdict: { readonly code: number; readonly reason: string } | null
}

/**
 * Asks `_messageReceived`, where the app has this hook: it may drop a message, change its content or choose who receives it
 * (protocol/cloud-code, Messaging hook parameters).
 * @throws MessagingError 4402
 */
export async function askMessageReceived(
  messaging: Messaging,
  conversation: Conversation,
  message: Content & {
    readonly sender: string
    readonly ip: string | null
    readonly transient: boolean
    readonly receipt: boolean
  },
): Promise<Judged> {
  const { sender, ip, transient, receipt, content, bin } = message
  const answer = await messaging.hooks.decide('_messageReceived', {
    fromPeer: sender,
    convId: conversation.id,
    toPeers: othersIn(conversation, sender),
    transient,
    bin,
    content,
    receipt,
    timestamp: Date.now(),
    system: conversation.kind === 'system',
    sourceIP: ip ?? '',
  })
  if (answer.drop === true) throw messagingErrors.messageRejected(verdictOf(answer))
  return judgedBy(answer, message)
}

/**
 * Asks `_messageUpdate`, which may refuse an edit or recall, change the new content or choose who is told
 * (protocol/cloud-code, Messaging hook parameters).
 * @param message the message as it would be
 * @throws MessagingError 4405
 */
export async function askMessageUpdate(
  messaging: Messaging,
  conversation: Conversation,
  message: Content & {
    readonly id: string
    readonly ts: number
    readonly sender: string
    readonly ip: string | null
    readonly recall: boolean
  },
): Promise<Judged> {
  if (!messaging.hooks.has('_messageUpdate')) return unchanged(message)
  const { id, ts, sender, ip, recall, content, bin } = message
  const answer = await messaging.hooks.decide('_messageUpdate', {
    fromPeer: sender,
    convId: conversation.id,
    toPeers: othersIn(conversation, sender),
    bin,
    content,
    timestamp: ts,
    msgId: id,
    sourceIP: ip ?? '',
    recall,
    system: conversation.kind === 'system',
  })
  if (answer.drop === true) throw messagingErrors.updateRejectedByApp(verdictOf(answer))
  const judged = judgedBy(answer, message)
  // A recalled message has no content that could be changed.
  return recall ? { ...unchanged(message), receivers: judged.receivers } : judged
}

/** Calls the hook `_messageSent`, where the app has it, with the receivers that are online and those that are not. */
export function notifyMessageSent(
  messaging: Messaging,
  conversation: Conversation,
  message: Message,
  transient: boolean,
): void {
  const receivers = othersIn(conversation, message.sender)
  const notify = async () => {
    const online = await messaging.presence.online(receivers)
    messaging.hooks.notify('_messageSent', {
      fromPeer: message.sender,
      convId: conversation.id,
      msgId: message.id,
      onlinePeers: receivers.filter((clientId) => online.has(clientId)),
      offlinePeers: receivers.filter((clientId) => !online.has(clientId)),
      transient,
      system: conversation.kind === 'system',
      bin: message.bin,
      content: message.content,
      receipt: message.receipt,
      timestamp: message.ts,
      sourceIP: message.ip ?? '',
    })
  }
  messaging.pendingWork.add(notify(), 'messaging hook call failed')
}

function unchanged({ content, bin }: Content): Judged {
  return { content, bin, receivers: null, verdict: null }
}

function judgedBy(answer: JsonObject, before: Content): Judged {
  const content = typeof answer.content === 'string' ? storableText(answer.content) : before.content
  const bin = typeof answer.bin === 'boolean' ? answer.bin : before.bin
  const isChanged = content !== before.content || bin !== before.bin
  const { code, message } = verdictOf(answer)
  return { content, bin, receivers: textsIn(answer, 'toPeers'), verdict: isChanged ? { code, reason: message } : null }
}

function othersIn({ members }: Conversation, sender: string): string[] {
  return [...members].filter((clientId) => clientId !== sender)
}

function textsIn(answer: JsonObject, key: string): readonly string[] | null {
  const value: Json | undefined = answer[key]
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? (value as string[]) : null
}
