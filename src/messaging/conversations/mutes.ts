import { checkClientIds } from '../client-ids.ts'
import type { Conversation } from '../conversation.ts'
import { subscribedSince } from '../members/subscriptions.ts'
import type { Messaging } from '../messaging.ts'
import { messagingErrors } from '../messaging-errors.ts'
import type { ClientSession } from '../presence.ts'
import { isMember } from '../records/conversation-conditions.ts'
import { callConversationHook } from '../records/conversation-hooks.ts'
import { findConversation } from '../records/conversation-state.ts'
import { changeRecord } from '../records/record-change.ts'
import { checkRecordSize, MAX_MUTED_BYTES } from '../records/record-size.ts'

/**
 * Mutes or unmutes the push notifications of a conversation for a client (protocol/realtime, conv/update, mute, unmute).
 * @returns `updatedAt` of the conversation, ISO
 * @throws MessagingError 4303, 4305, 4306 when too many clients have muted it, 4307, 4309 for clients that do not participate
 */
export async function setMuted(
  messaging: Messaging,
  by: ClientSession,
  convId: string,
  muted: boolean,
): Promise<{ readonly updatedAt: string }> {
  const conversation = await findMutable(messaging, convId)
  await checkTakesPart(messaging, conversation, by)
  const input = { initBy: by.clientId, convId, mute: muted }
  const { mute } = await callConversationHook(messaging, '_conversationUpdate', input)
  const decided = typeof mute === 'boolean' ? mute : muted
  const condition = conversation.kind === 'normal' ? isMember(by.clientId) : null
  if (decided && conversation.kind !== 'normal')
    await checkRecordSize(messaging, convId, { mu: [by.clientId] }, MAX_MUTED_BYTES)
  const { updatedAt } = await changeRecord(messaging, convId, muters([by.clientId], decided), condition)
  await messaging.conversations.forget(convId)
  return { updatedAt }
}

/**
 * Mutes or unmutes a conversation for clients, on behalf of the app's back end.
 * @returns `updatedAt` of the conversation, ISO
 * @throws MessagingError 4303, 4307
 */
export async function muteClients(
  messaging: Messaging,
  convId: string,
  clientIds: readonly string[],
  muted: boolean,
): Promise<{ readonly updatedAt: string }> {
  const wanted = checkClientIds(clientIds)
  await findMutable(messaging, convId)
  const { updatedAt } = await changeRecord(messaging, convId, muters(wanted, muted), null)
  await messaging.conversations.forget(convId)
  return { updatedAt }
}

/** Returns the clients that have muted a conversation. @throws MessagingError 4303 */
export async function listMuters(messaging: Messaging, convId: string): Promise<string[]> {
  return [...(await findConversation(messaging, convId)).muters]
}

function muters(clientIds: readonly string[], muted: boolean) {
  return { mu: { __op: muted ? 'AddUnique' : 'Remove', objects: clientIds } }
}

async function findMutable(messaging: Messaging, convId: string): Promise<Conversation> {
  const conversation = await findConversation(messaging, convId)
  if (conversation.kind === 'temporary') throw messagingErrors.readOnly('A temporary conversation cannot be muted.')
  return conversation
}

/** Keeps clients that do not participate from growing the list. For groups, the statement checks membership. */
async function checkTakesPart(messaging: Messaging, { id, kind }: Conversation, by: ClientSession): Promise<void> {
  if (kind === 'room' && messaging.presence.roomOf(by) !== id) throw messagingErrors.updateRejected()
  if (kind === 'system' && !(await subscribedSince(messaging, by, [id])).has(id)) throw messagingErrors.updateRejected()
}
