import { randomInt } from 'node:crypto'
import type { SessionEvent } from '../events.ts'
import type { Messaging } from '../messaging.ts'
import { MessagingError, messagingErrors } from '../messaging-errors.ts'
import type { ClientSession, Presence } from '../presence.ts'
import { findOfKind } from '../records/conversation-state.ts'

const SAMPLE_SIZE = 50
/** A room may hold a hundred thousand: more than so many are not looked for. */
const LARGEST_SAMPLE = 1000

/**
 * Puts a session into a chat room, and out of the one that it was in. Who is in a room is known by the nodes alone: there
 * is no row for it.
 * @throws MessagingError 4303, 4316, 4548
 */
export async function enterRoom(messaging: Messaging, session: ClientSession, roomId: string): Promise<void> {
  await findOfKind(messaging, roomId, 'room')
  if (messaging.presence.roomOf(session) !== roomId) await checkAdmitted(messaging, session, roomId)
  await goIn(messaging, session, roomId)
}

/** Puts a session that may come in into a room. @throws MessagingError 4548 */
async function goIn(messaging: Messaging, session: ClientSession, roomId: string): Promise<void> {
  messaging.presence.enterRoom(session, roomId)
  try {
    // Once more: who was blocked in between was told before it was here, and has not been sent out.
    await checkAdmitted(messaging, session, roomId)
  } catch (error) {
    leaveRoom(messaging, session, roomId)
    throw error
  }
}

/** Takes a session out of a room, if it is in it. */
export function leaveRoom({ presence }: Messaging, session: ClientSession, roomId: string): void {
  if (presence.roomOf(session) === roomId) presence.leaveRoom(session)
}

/**
 * To be called with all that a session is told: a session that is blocked from its room, or whose room is gone, is no
 * longer in it. Whatever node decided that tells all nodes by this event.
 */
export function heedNews(presence: Presence, session: ClientSession, event: SessionEvent): void {
  if (event.kind !== 'conversation' || (event.news !== 'blocked' && event.news !== 'left')) return
  if (presence.roomOf(session) === event.convId) presence.leaveRoom(session)
}

/**
 * Keeps the place of a session whose connection was lost, unless its device is back already: the loss may have been
 * noticed late. To be called before the session is removed.
 */
export async function keepSeat({ presence, seats }: Messaging, session: ClientSession): Promise<void> {
  const roomId = presence.roomOf(session)
  if (roomId === null || sameDevice(presence, session).length > 0) return
  await seats.keep(session, roomId)
}

/**
 * Gives a session that has come back the place that it had, for once; also when nobody has noticed yet that it was away,
 * or the node that it was connected to died.
 * @returns the room that it is in again, or has entered meanwhile; null when no place was kept, or not long enough, or it may
 * not come in any more
 */
export async function takeSeat(messaging: Messaging, session: ClientSession): Promise<string | null> {
  const { presence } = messaging
  const kept = (await giveUpSeat(messaging, session)) ?? roomOfDevice(presence, session)
  const roomId = kept ?? (await presence.roomElsewhere(session))
  if (roomId === null) return presence.roomOf(session)
  try {
    await findOfKind(messaging, roomId, 'room')
    await checkAdmitted(messaging, session, roomId)
    // Where the client has gone by itself meanwhile counts.
    if (presence.roomOf(session) === null) await goIn(messaging, session, roomId)
    return presence.roomOf(session)
  } catch (error) {
    if (error instanceof MessagingError) return null
    throw error
  }
}

/** Ends what `keepSeat` began, for a session that begins anew. @returns the room, if its place was still kept */
export function giveUpSeat({ seats }: Messaging, session: ClientSession): Promise<string | null> {
  return seats.take(session)
}

/**
 * Some of the clients in a room, on whatever node, chosen at random (protocol/realtime, Other conversation queries).
 * Where a node has more of them than another, each of its own is less likely to be chosen.
 */
export async function someInRoom({ presence }: Messaging, roomId: string, limit = SAMPLE_SIZE): Promise<string[]> {
  const size = Math.min(Math.max(limit, 0), LARGEST_SAMPLE)
  const here = drawn(
    [...presence.inRoom(roomId)].map(({ clientId }) => clientId),
    size,
  )
  return drawn([...here, ...(await presence.someInRoomElsewhere(roomId, size))], size)
}

/** So many different ones of these texts, or all, in any order. */
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

/** Other sessions of a client on this node with the same device: one of them is a connection that is no more. */
function sameDevice(presence: Presence, session: ClientSession): ClientSession[] {
  if (session.deviceId === null) return []
  return presence
    .sessionsOf(session.clientId)
    .filter((other) => other !== session && other.deviceId === session.deviceId)
}
