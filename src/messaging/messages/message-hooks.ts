import { type Json, type JsonObject, storableText } from '../../values/json.ts'
import type { Conversation } from '../conversation.ts'
import { rejectionOf } from '../hooks.ts'
import type { Message } from '../message.ts'
import type { Messaging } from '../messaging.ts'
import { messagingErrors } from '../messaging-errors.ts'

/** The parts of a message that a hook may change. */
interface Content {
  readonly content: string
  readonly bin: boolean
}

/** A message, or a change of one, after a hook has processed it. */
export interface HookedContent extends Content {
  /** The receivers that the hook selected; null for the default receivers. */
  readonly receivers: readonly string[] | null
  /** The code and reason of the change by the hook; null when it changed nothing. */
  readonly change: { readonly code: number; readonly reason: string } | null
}

/**
 * Calls `_messageReceived`, if the app has this hook. It may drop a message, change its content or select its receivers
 * (protocol/cloud-code, Messaging hook parameters).
 * @throws MessagingError 4402
 */
export async function callMessageReceived(
  messaging: Messaging,
  conversation: Conversation,
  message: Content & {
    readonly sender: string
    readonly ip: string | null
    readonly transient: boolean
    readonly receipt: boolean
  },
): Promise<HookedContent> {
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
  if (answer.drop === true) throw messagingErrors.messageRejected(rejectionOf(answer))
  return contentFrom(answer, message)
}

/**
 * Calls `_messageUpdate`, if the app has this hook. It may reject an edit or recall, change the new content or select the
 * notified clients (protocol/cloud-code, Messaging hook parameters).
 * @param message the message after the change
 * @throws MessagingError 4405
 */
export async function callMessageUpdate(
  messaging: Messaging,
  conversation: Conversation,
  message: Content & {
    readonly id: string
    readonly ts: number
    readonly sender: string
    readonly ip: string | null
    readonly recall: boolean
  },
): Promise<HookedContent> {
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
  if (answer.drop === true) throw messagingErrors.updateRejectedByApp(rejectionOf(answer))
  const result = contentFrom(answer, message)
  // A recalled message has no content to change.
  return recall ? { ...unchanged(message), receivers: result.receivers } : result
}

/** Calls `_messageSent` in the background with the online and the offline receivers. */
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

function unchanged({ content, bin }: Content): HookedContent {
  return { content, bin, receivers: null, change: null }
}

function contentFrom(answer: JsonObject, before: Content): HookedContent {
  const content = typeof answer.content === 'string' ? storableText(answer.content) : before.content
  const bin = typeof answer.bin === 'boolean' ? answer.bin : before.bin
  const isChanged = content !== before.content || bin !== before.bin
  const { code, message } = rejectionOf(answer)
  return { content, bin, receivers: textsIn(answer, 'toPeers'), change: isChanged ? { code, reason: message } : null }
}

function othersIn({ members }: Conversation, sender: string): string[] {
  return [...members].filter((clientId) => clientId !== sender)
}

function textsIn(answer: JsonObject, key: string): readonly string[] | null {
  const value: Json | undefined = answer[key]
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? (value as string[]) : null
}
