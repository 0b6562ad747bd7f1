import { errors } from '../../errors.ts'
import { isStorableText } from '../../values/json.ts'
import { type Conversation, isTemporaryId } from '../conversation.ts'
import type { SessionEvent } from '../events.ts'
import { MAX_MENTIONS, MAX_MESSAGE_BYTES, type Message, newMessageId } from '../message.ts'
import type { Messaging } from '../messaging.ts'
import { messagingErrors } from '../messaging-errors.ts'
import type { Audience, MessagePosition } from '../presence.ts'
import { notifyAbsent } from './absent-members.ts'
import type { Draft, Sender, Sent } from './draft.ts'
import { callMessageReceived, type HookedContent, notifyMessageSent } from './message-hooks.ts'
import { storeSystemMessage } from './system-messages.ts'

/** More than the tokens of clients have; entries of their index are limited in size. */
const MAX_TOKEN_LENGTH = 256

/**
 * Sends a message: stores it, unless it is transient, and then notifies its receivers (protocol/realtime, Sending: direct).
 * Resolves when the message is committed.
 * @throws MessagingError 4303, 4315, 4401, 4402, 4563; ApiError 1 when it is too large, 107 when it cannot be stored
 */
export async function sendMessage(messaging: Messaging, sender: Sender, draft: Draft): Promise<Sent> {
  checkDraft(draft)
  const conversation = await targetOf(messaging, sender, draft.convId)
  if (conversation.kind === 'system') return storeSystemMessage(messaging, conversation, sender, draft)
  const hooked = await applyReceivedHook(messaging, conversation, sender, draft)
  const sent = await persist(messaging, sender, { ...draft, content: hooked.content, bin: hooked.bin })
  // Temporary conversations have no record with a time.
  if (!draft.transient && conversation.kind !== 'temporary')
    messaging.lastMessageTimes.note(conversation.id, sent.message.ts)
  if (!sent.again) announce(messaging, conversation, sender, hooked, sent, draft)
  const { id, ts } = sent.message
  return { id, ts, changed: hooked.change && { message: sent.message, ...hooked.change } }
}

/**
 * Sends a message without storing it: the will of a client (protocol/realtime, Transient, will, priority, push data, mentions,
 * binary, will).
 * @param id the id that the sender received
 * @throws as `sendMessage`
 */
export async function sendUnstored(messaging: Messaging, sender: Sender, draft: Draft, id: string): Promise<void> {
  const conversation = await targetOf(messaging, sender, draft.convId)
  if (conversation.kind === 'system') {
    await storeSystemMessage(messaging, conversation, sender, draft)
    return
  }
  const hooked = await applyReceivedHook(messaging, conversation, sender, draft)
  const message = messageFrom(sender, { ...draft, content: hooked.content, bin: hooked.bin }, id, Date.now())
  announce(messaging, conversation, sender, hooked, { message, position: null }, { ...draft, transient: false })
}

/**
 * Returns the patch that the sending session gets after its acknowledgement if a hook has changed the message (protocol/realtime,
 * Edit and recall: patch); null if none has.
 */
export function patchOfSent({ changed }: Sent): Extract<SessionEvent, { kind: 'patches' }> | null {
  if (!changed) return null
  const { message, code, reason } = changed
  // Clients ignore a patch with the same time as the message.
  const patched = { ...message, patchedAt: message.ts + 1 }
  return { kind: 'patches', patches: [{ message: patched, cause: { code, reason } }] }
}

type Checked = Pick<Draft, 'content' | 'bin' | 'mentions'> & Partial<Pick<Draft, 'pushData' | 'token'>>

/** Checks the size and text of a message. @throws ApiError 1 when it is too large, 107 when it cannot be stored */
export function checkDraft({ content, bin, mentions, pushData = null, token = null }: Checked): void {
  const bytes = Buffer.byteLength(content, bin ? 'base64' : 'utf8') + Buffer.byteLength(pushData ?? '')
  if (bytes > MAX_MESSAGE_BYTES)
    throw errors.badArgument(
      `A message must have at most ${MAX_MESSAGE_BYTES} bytes, push data included; this one has ${bytes}.`,
    )
  if (mentions.length > MAX_MENTIONS)
    throw errors.badArgument(
      `A message must mention at most ${MAX_MENTIONS} clients; this one mentions ${mentions.length}.`,
    )
  if (token !== null && token.length > MAX_TOKEN_LENGTH)
    throw errors.badArgument(`The token of a message must have at most ${MAX_TOKEN_LENGTH} characters.`)
  if (!isStorableText(content) || !isStorableText(token ?? '') || !mentions.every(isStorableText))
    throw errors.malformedJson(
      'A message and the client ids that it mentions must be Unicode text without NUL characters.',
    )
}

/**
 * Returns the conversation if the sender may send to it. The app's back end may send to any existing conversation
 * (protocol/messaging, Send message).
 * @throws MessagingError 4303, 4315, 4401, 4563
 */
export async function targetOf(messaging: Messaging, sender: Sender, convId: string): Promise<Conversation> {
  const conversation = messaging.conversations.known(convId) ?? (await messaging.conversations.find(convId))
  const now = Date.now()
  const isOver = conversation !== null && conversation.expiresAt !== null && conversation.expiresAt <= now
  if (isOver || (!conversation && isTemporaryId(convId))) throw messagingErrors.conversationNotFound(convId)
  if (!conversation) throw messagingErrors.invalidTarget('Conversation not found.')
  if (!sender.session) return conversation
  const needsMembership = conversation.kind === 'normal' || conversation.kind === 'temporary'
  if (needsMembership && !conversation.members.has(sender.clientId))
    throw messagingErrors.invalidTarget('Only members can send in this conversation.')
  const until = conversation.silences.get(sender.clientId)
  if (until === null) throw messagingErrors.silenced()
  if (until !== undefined && until > now) throw messagingErrors.temporarilySilenced()
  return conversation
}

/** Calls the hook `_messageReceived`, which may change the message; without a hook it is unchanged. */
function applyReceivedHook(
  messaging: Messaging,
  conversation: Conversation,
  sender: Sender,
  draft: Draft,
): HookedContent | Promise<HookedContent> {
  const { content, bin, transient, receipt } = draft
  if (!messaging.hooks.has('_messageReceived')) return { content, bin, receivers: null, change: null }
  const message = { content, bin, transient, receipt, sender: sender.clientId, ip: sender.ip }
  return callMessageReceived(messaging, conversation, message)
}

interface Outgoing {
  readonly message: Message
  readonly position: MessagePosition | null
}

async function persist(
  messaging: Messaging,
  sender: Sender,
  draft: Draft,
): Promise<Outgoing & { readonly again: boolean }> {
  if (draft.transient)
    return { message: messageFrom(sender, draft, newMessageId(), Date.now()), again: false, position: null }
  const { convId, content, bin, mentionAll, mentions, receipt, token } = draft
  const { id, ts, before, again } = await messaging.messages.store({
    id: newMessageId(),
    convId,
    threads: [convId],
    sender: sender.clientId,
    content,
    bin,
    token,
    mentionAll,
    mentions,
    receipt,
    ip: sender.ip,
  })
  return { message: messageFrom(sender, draft, id, ts), again, position: { convId, before, ts } }
}

function messageFrom(sender: Sender, draft: Draft, id: string, ts: number): Message {
  const { convId, content, bin, mentionAll, mentions, receipt } = draft
  const written = { convId, content, bin, mentionAll, mentions, receipt, sender: sender.clientId, ip: sender.ip }
  return { ...written, id, ts, patchedAt: null, recalled: false }
}

function announce(
  messaging: Messaging,
  conversation: Conversation,
  sender: Sender,
  hooked: HookedContent,
  { message, position }: Outgoing,
  { transient, pushData, lowPriority }: Pick<Draft, 'transient' | 'pushData' | 'lowPriority'>,
): void {
  const audience = audienceOf(conversation, sender, hooked.receivers)
  const spare = lowPriority === true && (transient || conversation.kind === 'room')
  const event = {
    kind: 'message',
    message,
    conversation: conversation.kind,
    transient,
    ...(spare && { spare }),
  } as const
  messaging.presence.deliver(audience, event, sender.session?.id ?? null, position)
  if (messaging.hooks.has('_messageSent')) notifyMessageSent(messaging, conversation, message, transient)
  if (!transient && conversation.kind !== 'room' && hasPush(messaging, pushData))
    notifyAbsent(messaging, conversation, message, hooked.receivers ?? conversation.members, pushData)
}

/**
 * Returns whether offline receivers of a message may get a push.
 * @param pushData the push data of the sender
 */
export function hasPush({ hooks, settings }: Messaging, pushData: string | null): boolean {
  return pushData !== null || settings().offlinePush !== null || hooks.has('_receiversOffline')
}

function audienceOf(conversation: Conversation, sender: Sender, receivers: readonly string[] | null): Audience {
  // The client on whose behalf the app sends in a room is not notified (protocol/messaging, Messaging over REST).
  if (conversation.kind === 'room')
    return sender.session ? { room: conversation.id } : { room: conversation.id, without: sender.clientId }
  const clients = new Set(receivers ?? conversation.members)
  // The app may send on behalf of a client that is not a member; the sender is notified nevertheless.
  if (sender.sync) clients.add(sender.clientId)
  else clients.delete(sender.clientId)
  return { clients: [...clients] }
}
