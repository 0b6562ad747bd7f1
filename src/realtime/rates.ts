import { ApiError } from '../errors.ts'
import type { Doer } from '../limits/app-limits.ts'
import type { Conversation } from '../messaging/conversation.ts'
import type { Messaging } from '../messaging/messaging.ts'
import { messagingErrors } from '../messaging/messaging-errors.ts'
import type { GenericCommand } from '../realtime-protocol/schema.ts'

/** What clients may do so many times in a minute (protocol/realtime, Limits). */
export type Rate = 'sends' | 'history' | 'operations'

/** Whom a command notifies, as far as they are counted. */
export interface Notified {
  /** The conversations whose members are notified. */
  readonly convIds: readonly string[]
  /** How many clients are notified besides their members. */
  readonly members: number
  /** In chat rooms no member is notified. */
  readonly isSilentInRooms?: boolean
}

/** A client that becomes a member, or is one no longer, costs more than a notification: rows are written. */
const NEW_MEMBER = 4

/** Returns whom a command notifies that changes a conversation, or makes one. */
export function conversationMembers({ convMessage }: GenericCommand): Notified {
  return { convIds: conversationOf(convMessage?.cid), members: NEW_MEMBER * (convMessage?.m?.length ?? 0) }
}

/**
 * Returns whom a command notifies by which clients come or go: in a chat room nobody (protocol/realtime, Chat rooms), or the entry
 * of the last of twenty thousand members would count twenty thousand notifications.
 */
export function membersOfChange(command: GenericCommand): Notified {
  return { ...conversationMembers(command), isSilentInRooms: true }
}

/**
 * Counts what a client is about to do.
 * @param clientId null: it is not known yet, and counted by its address alone
 * @param address IP address; null: it has been counted by that already
 * @param times how many times it counts; as a command it counts once
 * @returns a promise only where there is something to count
 * @throws MessagingError 4116, by the promise, when it is too much
 */
export function countCommand(
  { limits, settings }: Messaging,
  rate: Rate,
  clientId: string | null,
  address: string | null,
  times = 1,
): Promise<void> | void {
  const doer = { address: address ?? undefined, userId: clientId, userOnly: address === null }
  const counts = [
    clientId === null ? undefined : limits.takeInMinute(rate, clientId, settings().limits[rate], times),
    limits.take('commands', doer),
    rate === 'sends' ? limits.take('messages', doer, times) : undefined,
  ].filter((count) => count !== undefined)
  if (counts.length > 0) return Promise.all(counts).then(() => {}, refuse)
}

/**
 * Counts the clients that a command is about to notify: each of them costs as much as a small request.
 * @returns a promise only where there is something to count, or the conversation has to be looked up
 * @throws MessagingError 4116, by the promise, when it is too much
 */
export function countDeliveries(
  messaging: Messaging,
  { convIds, members, isSilentInRooms = false }: Notified,
  doer: Doer,
): Promise<void> | void {
  const { conversations, limits, presence } = messaging
  const receiversIn = (conversation: Conversation | null) => {
    if (conversation === null) return 0
    if (conversation.kind !== 'room') return conversation.members.size
    return isSilentInRooms ? 0 : presence.sizeOfRoom(conversation.id)
  }
  const take = (receivers: number) => {
    if (receivers > 0) return limits.take('deliveries', doer, receivers)?.catch(refuse)
  }
  let receivers = members
  const unknown: string[] = []
  for (const convId of convIds.length > 1 ? new Set(convIds) : convIds) {
    const known = conversations.known(convId)
    if (known) receivers += receiversIn(known)
    else unknown.push(convId)
  }
  if (unknown.length === 0) return take(receivers)
  return countUnknown(unknown, async (convId) => receiversIn(await conversations.find(convId))).then((found) =>
    take(receivers + found),
  )
}

/** Looks conversations up one after the other: a command may name thousands. */
async function countUnknown(convIds: readonly string[], receiversIn: (convId: string) => Promise<number>) {
  let receivers = 0
  for (const convId of convIds) receivers += await receiversIn(convId)
  return receivers
}

/** Returns the id that a command has as a list; none where it has none. */
export function conversationOf(convId: string | undefined): readonly string[] {
  return convId ? [convId] : []
}

/** @throws what clients of messaging are told */
function refuse(error: unknown): never {
  if (error instanceof ApiError && error.status === 429) throw messagingErrors.quotaExceeded(error.message)
  throw error
}

/** Lets the commands of a connection begin in their order, where some have to be counted first. */
export class CommandOrder {
  #last: Promise<void> | undefined

  /**
   * @param counted fulfilled when the command has been counted; nothing when it is already
   * @returns when the command may begin: not before those that came earlier. Nothing when that is now.
   * @throws what `counted` is rejected with, by the promise; later commands begin all the same
   */
  next(counted: Promise<void> | void): Promise<void> | void {
    const before = this.#last
    if (!counted) return before
    const begin = before ? Promise.all([before, counted]).then(() => {}) : counted
    const last = begin.catch(() => {})
    this.#last = last
    void last.then(() => {
      if (this.#last === last) this.#last = undefined
    })
    return begin
  }
}
