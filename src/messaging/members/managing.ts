import type { Executor } from '../../database/pool.ts'
import type { Messaging } from '../messaging.ts'
import { type MessagingError, messagingErrors } from '../messaging-errors.ts'
import type { Audience, RequestingClient } from '../presence.ts'
import { type ConversationState, findConversation, readState } from '../records/conversation-state.ts'
import type { Failure, ListOutcome } from './membership.ts'
import { checkManager, checkMember, mayManage } from './rights.ts'

/** Shared rules of silences, blacklists and roles: a client with a role manages other clients. */

/** Checks that a conversation can be managed; temporary ones cannot. @throws MessagingError 4303, 4307 */
export async function checkManageable(messaging: Messaging, convId: string): Promise<void> {
  const { kind } = await findConversation(messaging, convId)
  if (kind === 'temporary') throw messagingErrors.readOnly('A temporary conversation cannot be changed.')
}

/**
 * Locks a conversation for a client that manages others in it.
 * @param by null for the app's back end
 * @throws MessagingError 4303, 4317, 4320
 */
export async function lockForManaging(
  messaging: Messaging,
  transaction: Executor,
  convId: string,
  by: string | null,
  others: readonly string[],
): Promise<ConversationState> {
  const who = by === null ? others : [by, ...others]
  const state = await readState(messaging, transaction, convId, 'FOR UPDATE', who)
  checkManager(messaging, state, by)
  return state
}

/** Reads the state of a conversation that only its members may see. @throws MessagingError 4303, 4307, 4317 */
export async function readForMember(
  messaging: Messaging,
  client: RequestingClient | null,
  convId: string,
): Promise<ConversationState> {
  await checkManageable(messaging, convId)
  const state = await readState(messaging, messaging.database, convId, '', [])
  checkMember(state, client?.clientId ?? null)
  return state
}

/** A list of clients, such as a blacklist, with the data that additions need. */
export interface ClientList {
  /** Which of the requested clients are on the list. */
  readonly present: ReadonlySet<string>
  readonly size: number
  readonly limit: number
  full(detail: string): MessagingError
}

export interface Judgement {
  /** The clients to add to the list. */
  readonly added: readonly string[]
  readonly outcome: ListOutcome
}

/** Decides which clients can be added to a list: those that the caller may manage, until the list is full. */
export function checkManagedAdditions(
  messaging: Messaging,
  state: ConversationState,
  by: string | null,
  clientIds: readonly string[],
  list: ClientList,
): Judgement {
  const peers = peersAmong(messaging, state, by, clientIds)
  const fresh = clientIds.filter((clientId) => !list.present.has(clientId) && !peers.includes(clientId))
  const added = fresh.slice(0, Math.max(0, list.limit - list.size))
  const surplus = fresh.slice(added.length)
  const failed: Failure[] = []
  if (peers.length > 0) failed.push({ error: messagingErrors.unauthorized(), clientIds: peers })
  if (surplus.length > 0) failed.push({ error: list.full(`It may hold ${list.limit} clients.`), clientIds: surplus })
  return { added, outcome: outcomeOf(clientIds, failed) }
}

/** Decides which clients can be removed from a list: those that the caller may manage. */
export function checkManagedRemovals(
  messaging: Messaging,
  state: ConversationState,
  by: string | null,
  clientIds: readonly string[],
): ListOutcome {
  const peers = peersAmong(messaging, state, by, clientIds)
  return outcomeOf(clientIds, peers.length > 0 ? [{ error: messagingErrors.unauthorized(), clientIds: peers }] : [])
}

function peersAmong(
  messaging: Messaging,
  state: ConversationState,
  by: string | null,
  clientIds: readonly string[],
): string[] {
  return clientIds.filter((clientId) => !mayManage(messaging, state, by, clientId))
}

function outcomeOf(clientIds: readonly string[], failed: readonly Failure[]): ListOutcome {
  const refused = new Set(failed.flatMap((failure) => failure.clientIds))
  return { allowed: clientIds.filter((clientId) => !refused.has(clientId)), failed }
}

/** Returns the clients to notify of changes of others. Subscribers of a system conversation are not visible to each other. */
export function audienceOf({ id, kind }: ConversationState, members: readonly string[]): readonly string[] | Audience {
  if (kind === 'room') return { room: id }
  return kind === 'system' ? [] : members
}
