import { ApiError } from '../errors.ts'
import type { CountedClient } from '../limits/app-limits.ts'
import type { Conversation } from '../messaging/conversation.ts'
import type { Messaging } from '../messaging/messaging.ts'
import { messagingErrors } from '../messaging/messaging-errors.ts'
import type { GenericCommand } from '../realtime-protocol/schema.ts'

/** Operations of clients with a limit per minute (protocol/realtime, Limits). */
export type Rate = 'sends' | 'history' | 'operations'

/** The clients that a command notifies, as far as they are counted. */
export interface Notified {
  /** The conversations whose members are notified. */
  readonly convIds: readonly string[]
  /** The weighted number of other clients that are notified. */
  readonly members: number
  /** Whether the command notifies no members in chat rooms. */
  readonly isSilentInRooms?: boolean
}

/** The weight of a client that becomes a member or is removed: rows are written, which costs more than a notification. */
const NEW_MEMBER = 4

/** Returns the clients that are notified by a command that changes or creates a conversation. */
export function conversationMembers({ convMessage }: GenericCommand): Notified {
  return { convIds: conversationOf(convMessage?.cid), members: NEW_MEMBER * (convMessage?.m?.length ?? 0) }
}

/**
 * Returns the clients that a change of members notifies. In a chat room it notifies none (protocol/realtime, Chat rooms);
 * otherwise the entry of the last of twenty thousand members would count as twenty thousand notifications.
 */
export function membersOfChange(command: GenericCommand): Notified {
  return { ...conversationMembers(command), isSilentInRooms: true }
}

/**
 * Counts an operation before it begins.
 * @param clientId null: unknown yet, so that the operation is counted by its address only
 * @param address IP address; null: already counted by its address
 * @param times its weight; as a command it counts once
 * @returns a promise only when there is something to count
 * @throws MessagingError 4116, by the promise, when a limit is exceeded
 */
export function countCommand(
  { limits, settings }: Messaging,
  rate: Rate,
  clientId: string | null,
  address: string | null,
  times = 1,
): Promise<void> | void {
  const client = { address: address ?? undefined, userId: clientId, userOnly: address === null }
  const counts = [
    clientId === null ? undefined : limits.takeInMinute(rate, clientId, settings().limits[rate], times),
    limits.take('commands', client),
    rate === 'sends' ? limits.take('messages', client, times) : undefined,
  ].filter((count) => count !== undefined)
  if (counts.length > 0) return Promise.all(counts).then(() => {}, refuse)
}

/**
 * Counts the clients that a command will notify: each costs as much as a small request.
 * @returns a promise only when there is something to count, or a conversation must be looked up
 * @throws MessagingError 4116, by the promise, when a limit is exceeded
 */
export function countDeliveries(
  messaging: Messaging,
  { convIds, members, isSilentInRooms = false }: Notified,
  client: CountedClient,
): Promise<void> | void {
  const { conversations, limits, presence } = messaging
  const receiversIn = (conversation: Conversation | null) => {
    if (conversation === null) return 0
    if (conversation.kind !== 'room') return conversation.members.size
    return isSilentInRooms ? 0 : presence.sizeOfRoom(conversation.id)
  }
  const take = (receivers: number) => {
    if (receivers > 0) return limits.take('deliveries', client, receivers)?.catch(refuse)
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

/** Looks up conversations in sequence, because a command may name thousands. */
async function countUnknown(convIds: readonly string[], receiversIn: (convId: string) => Promise<number>) {
  let receivers = 0
  for (const convId of convIds) receivers += await receiversIn(convId)
  return receivers
}

/** Returns the id of a command as a list; empty for none. */
export function conversationOf(convId: string | undefined): readonly string[] {
  return convId ? [convId] : []
}

/** Converts an exceeded limit to the error of messaging. @throws always */
function refuse(error: unknown): never {
  if (error instanceof ApiError && error.status === 429) throw messagingErrors.quotaExceeded(error.message)
  throw error
}

/** Lets the commands of a connection begin in order, although some must be counted first. */
export class CommandOrder {
  #last: Promise<void> | undefined

  /**
   * Queues a command.
   * @param counted fulfilled when the command has been counted; undefined when it is already counted
   * @returns when the command may begin: not before earlier ones. undefined for immediately.
   * @throws the rejection of `counted`, by the promise; later commands are not affected
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
