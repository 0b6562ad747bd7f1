import { errors } from '../errors.ts'
import type { Json, JsonObject } from '../values/json.ts'
import type { Conversation } from './conversation.ts'
import { verdictOf } from './hooks.ts'
import { MAX_MENTIONS, MAX_MESSAGE_BYTES, type Message, newMessageId } from './message.ts'
import type { Messaging } from './messaging.ts'
import { messagingErrors } from './messaging-errors.ts'
import type { Audience, ClientSession } from './presence.ts'
import { storeSystemMessage } from './system-messages.ts'

/** A message as it is to be sent. */
export interface Draft {
  readonly convId: string
  /** Text, or base64 of bytes when `bin`. */
  readonly content: string
  readonly bin: boolean
  /** Only for those who are there now: neither stored nor counted. */
  readonly transient: boolean
  readonly receipt: boolean
  readonly token: string | null
  readonly mentionAll: boolean
  readonly mentions: readonly string[]
  /** JSON text for the push to absent members. */
  readonly pushData: string | null
}

export interface Sender {
  readonly clientId: string
  /** The session that sends; null for the app's back end, which may send in anybody's name (spec/3). */
  readonly session: ClientSession | null
  readonly ip: string | null
  /** Other sessions of the sender are told too. */
  readonly sync: boolean
}

export interface Sent {
  readonly id: string
  readonly ts: number
  /** What a hook has made of the content; null when it is as it was sent. */
  readonly changed: { readonly message: Message; readonly code: number; readonly reason: string } | null
}

/**
 * Sends a message: stores it, unless it is transient, and then tells everyone it concerns (spec/realtime-protocol, 6.1 and
 * 6.2). When this resolves the message is safe.
 * @throws MessagingError 4303, 4315, 4401, 4402, 4563; ApiError 1 when it is too large
 */
export async function sendMessage(messaging: Messaging, sender: Sender, draft: Draft): Promise<Sent> {
  checkSize(draft)
  const conversation = messaging.conversations.known(draft.convId) ?? (await messaging.conversations.find(draft.convId))
  checkMaySend(conversation, sender)
  if (conversation.kind === 'system') return storeSystemMessage(messaging, conversation, sender, draft)
  const judged = messaging.hooks.has('_messageReceived')
    ? await askHook(messaging, conversation, sender, draft)
    : { draft, receivers: null, verdict: null }
  const message = await persist(messaging, sender, judged.draft)
  if (!message.again) {
    const audience = audienceOf(conversation, sender, judged.receivers)
    const event = {
      kind: 'message',
      message: message.message,
      conversation: conversation.kind,
      transient: draft.transient,
    } as const
    messaging.presence.deliver(audience, event, sender.session?.id ?? null, message.turn)
    tellHook(messaging, conversation, message.message, draft)
  }
  const { id, ts } = message.message
  return { id, ts, changed: judged.verdict && { message: message.message, ...judged.verdict } }
}

/** @throws ApiError 1 */
export function checkSize({ content, pushData, mentions }: Pick<Draft, 'content' | 'pushData' | 'mentions'>): void {
  const bytes = Buffer.byteLength(content) + (pushData === null ? 0 : Buffer.byteLength(pushData))
  if (bytes > MAX_MESSAGE_BYTES)
    throw errors.badArgument(
      `A message may have ${MAX_MESSAGE_BYTES} bytes, push data included; this one has ${bytes}.`,
    )
  if (mentions.length > MAX_MENTIONS)
    throw errors.badArgument(`A message may mention ${MAX_MENTIONS} clients; this one mentions ${mentions.length}.`)
}

/** What a client may do, the app's back end may do in any conversation that exists (spec/3, Send message). */
function checkMaySend(conversation: Conversation | null, sender: Sender): asserts conversation is Conversation {
  if (!conversation) throw messagingErrors.invalidTarget('There is no such conversation.')
  const now = Date.now()
  if (conversation.expiresAt !== null && conversation.expiresAt <= now) throw messagingErrors.conversationNotFound()
  if (!sender.session) return
  const needsMembership = conversation.kind === 'normal' || conversation.kind === 'temporary'
  if (needsMembership && !conversation.members.has(sender.clientId))
    throw messagingErrors.invalidTarget('Only members can send in this conversation.')
  const until = conversation.silences.get(sender.clientId)
  if (until === null) throw messagingErrors.silenced()
  if (until !== undefined && until > now) throw messagingErrors.temporarilySilenced()
}

interface Persisted {
  readonly message: Message
  readonly again: boolean
  readonly turn: { readonly convId: string; readonly before: number; readonly ts: number } | null
}

async function persist(messaging: Messaging, sender: Sender, draft: Draft): Promise<Persisted> {
  const { convId, content, bin, mentionAll, mentions, receipt } = draft
  const parts = { convId, content, bin, mentionAll, mentions, receipt, ip: sender.ip, sender: sender.clientId }
  const shown = (id: string, ts: number): Message => ({ ...parts, id, ts, patchedAt: null, recalled: false })
  if (draft.transient) return { message: shown(newMessageId(), Date.now()), again: false, turn: null }
  const stored = await messaging.messages.store({
    ...parts,
    id: newMessageId(),
    threads: [convId],
    token: draft.token,
  })
  const { id, ts, before, again } = stored
  return { message: shown(id, ts), again, turn: { convId, before, ts } }
}

function audienceOf(conversation: Conversation, sender: Sender, receivers: readonly string[] | null): Audience {
  if (conversation.kind === 'room') return { room: conversation.id }
  const all = receivers ?? [...conversation.members]
  const others = sender.sync ? all : all.filter((clientId) => clientId !== sender.clientId)
  // The app may send in the name of somebody who is no member; whoever sends hears of it all the same.
  const withSender = sender.sync && !others.includes(sender.clientId) ? [...others, sender.clientId] : others
  return { clients: withSender }
}

interface Judged {
  readonly draft: Draft
  readonly receivers: readonly string[] | null
  readonly verdict: { readonly code: number; readonly reason: string } | null
}

/** `_messageReceived` may drop the message, change its content or choose who receives it. @throws MessagingError 4402 */
async function askHook(
  messaging: Messaging,
  conversation: Conversation,
  sender: Sender,
  draft: Draft,
): Promise<Judged> {
  const others = [...conversation.members].filter((clientId) => clientId !== sender.clientId)
  const answer = await messaging.hooks.decide('_messageReceived', {
    fromPeer: sender.clientId,
    convId: conversation.id,
    toPeers: others,
    transient: draft.transient,
    bin: draft.bin,
    content: draft.content,
    receipt: draft.receipt,
    timestamp: Date.now(),
    system: conversation.kind === 'system',
    sourceIP: sender.ip ?? '',
  })
  if (answer.drop === true) throw messagingErrors.messageRejected(verdictOf(answer))
  const content = typeof answer.content === 'string' ? answer.content : draft.content
  const bin = typeof answer.bin === 'boolean' ? answer.bin : draft.bin
  const isChanged = content !== draft.content || bin !== draft.bin
  const { code, message } = verdictOf(answer)
  return {
    draft: { ...draft, content, bin },
    receivers: textsIn(answer, 'toPeers'),
    verdict: isChanged ? { code, reason: message } : null,
  }
}

function textsIn(answer: JsonObject, key: string): readonly string[] | null {
  const value: Json | undefined = answer[key]
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? (value as string[]) : null
}

function tellHook(messaging: Messaging, conversation: Conversation, message: Message, draft: Draft): void {
  if (!messaging.hooks.has('_messageSent')) return
  const receivers = [...conversation.members].filter((clientId) => clientId !== message.sender)
  void messaging.presence.online(receivers).then((online) => {
    messaging.hooks.notify('_messageSent', {
      fromPeer: message.sender,
      convId: conversation.id,
      msgId: message.id,
      onlinePeers: receivers.filter((clientId) => online.has(clientId)),
      offlinePeers: receivers.filter((clientId) => !online.has(clientId)),
      transient: draft.transient,
      system: conversation.kind === 'system',
      bin: message.bin,
      content: message.content,
      receipt: message.receipt,
      timestamp: message.ts,
      sourceIP: message.ip ?? '',
    })
  })
}
