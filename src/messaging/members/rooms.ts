import { randomInt } from 'node:crypto'
import type { SessionEvent } from '../events.ts'
import type { Messaging } from '../messaging.ts'
import { MessagingError, messagingErrors } from '../messaging-errors.ts'
import type { ClientSession, Presence } from '../presence.ts'
import { findOfKind } from '../records/conversation-state.ts'

const SAMPLE_SIZE = 50
/** Maximum size of a sample; a room may hold a hundred thousand clients. */
const LARGEST_SAMPLE = 1000

/**
 * Moves a session into a chat room, out of its previous one. Room membership is not stored, only the nodes keep it.
 * @throws MessagingError 4303, 4316, 4548
 */
export async function enterRoom(messaging: Messaging, session: ClientSession, roomId: string): Promise<void> {
  await findOfKind(messaging, roomId, 'room')
  if (messaging.presence.roomOf(session) !== roomId) await checkAdmitted(messaging, session, roomId)
  await goIn(messaging, session, roomId)
}

/** Moves an admitted session into a room. @throws MessagingError 4548 */
async function goIn(messaging: Messaging, session: ClientSession, roomId: string): Promise<void> {
  messaging.presence.enterRoom(session, roomId)
  try {
    // Checks again: a block between the first check and the entry was published before the session was in the room.
    await checkAdmitted(messaging, session, roomId)
  } catch (error) {
    leaveRoom(messaging, session, roomId)
    throw error
  }
}

/** Removes a session from a room if it is in it. */
export function leaveRoom({ presence }: Messaging, session: ClientSession, roomId: string): void {
  if (presence.roomOf(session) === roomId) presence.leaveRoom(session)
}

/**
 * Removes a session from its room when it is blocked or the room is deleted. Called for every event of a session, because the
 * deciding node publishes the event to all nodes.
 */
export function applyMembershipEvent(presence: Presence, session: ClientSession, event: SessionEvent): void {
  if (event.kind !== 'conversation' || (event.news !== 'blocked' && event.news !== 'left')) return
  if (presence.roomOf(session) === event.convId) presence.leaveRoom(session)
}

/**
 * Keeps the room membership of a session whose connection was lost, unless its device has already reconnected: the loss may be
 * detected late. Called before the session is removed.
 */
export async function keepRoomMembership(
  { presence, roomMemberships }: Messaging,
  session: ClientSession,
): Promise<void> {
  const roomId = presence.roomOf(session)
  if (roomId === null || sameDevice(presence, session).length > 0) return
  await roomMemberships.keep(session, roomId)
}

/**
 * Returns a reconnected session to its room, once. Also works when the disconnect has not been detected yet, or the previous node
 * has died.
 * @returns the room that it is in again, or has entered meanwhile; null when no membership was kept, it has expired, or the
 *   session is no longer admitted
 */
export async function takeRoomMembership(messaging: Messaging, session: ClientSession): Promise<string | null> {
  const { presence } = messaging
  const kept = (await dropRoomMembership(messaging, session)) ?? roomOfDevice(presence, session)
  const roomId = kept ?? (await presence.roomOnOtherNode(session))
  if (roomId === null) return presence.roomOf(session)
  try {
    await findOfKind(messaging, roomId, 'room')
    await checkAdmitted(messaging, session, roomId)
    // A room that the client has entered meanwhile takes precedence.
    if (presence.roomOf(session) === null) await goIn(messaging, session, roomId)
    return presence.roomOf(session)
  } catch (error) {
    if (error instanceof MessagingError) return null
    throw error
  }
}

/** Drops the kept membership of a session that starts afresh. @returns the room, unless it has expired */
export function dropRoomMembership({ roomMemberships }: Messaging, session: ClientSession): Promise<string | null> {
  return roomMemberships.take(session)
}

/**
 * Returns random clients in a room on all nodes (protocol/realtime, Other conversation queries). Clients on nodes with more of
 * them are less likely to be chosen.
 */
export async function someInRoom({ presence }: Messaging, roomId: string, limit = SAMPLE_SIZE): Promise<string[]> {
  const size = Math.min(Math.max(limit, 0), LARGEST_SAMPLE)
  const here = drawn(
    [...presence.inRoom(roomId)].map(({ clientId }) => clientId),
    size,
  )
  return drawn([...here, ...(await presence.someInRoomOnOtherNodes(roomId, size))], size)
}

/** Returns up to `size` distinct texts, in random order. */
function drawn(texts: readonly string[], size: number): string[] {
  const different = [...new Set(texts)]
  const count = Math.min(size, different.length)
  for (let index = 0; index < count; index++) {
    const other = randomInt(index, different.length)
    ;[different[index], different[other]] = [different[other]!, different[index]!]
  }
  return different.slice(0, count)
}

async function checkAdmitted({ blocks }: Messaging, { clientId }: ClientSession, roomId: string): Promise<void> {
  if (await blocks.has({ convId: roomId, clientId })) throw messagingErrors.blockedByConversation()
}

function roomOfDevice(presence: Presence, session: ClientSession): string | null {
  const rooms = sameDevice(presence, session).map((other) => presence.roomOf(other))
  return rooms.find((roomId) => roomId !== null) ?? null
}

/** Returns the other sessions of the client with the same device on this node; one of them belongs to a lost connection. */
function sameDevice(presence: Presence, session: ClientSession): ClientSession[] {
  if (session.deviceId === null) return []
  return presence
    .sessionsOf(session.clientId)
    .filter((other) => other !== session && other.deviceId === session.deviceId)
}
