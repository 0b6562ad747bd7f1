import type { Executor } from '../../database/pool.ts'
import type { Messaging } from '../messaging.ts'
import { type MessagingError, messagingErrors } from '../messaging-errors.ts'
import type { Asker, Audience } from '../presence.ts'
import { type ConversationState, findConversation, readState } from '../records/conversation-state.ts'
import type { Failure, ListOutcome } from './membership.ts'
import { checkManager, checkMember, mayManage } from './rights.ts'

/** What silences, blacklists and roles have in common: somebody with a role decides over others. */

/** A temporary conversation has nothing to manage. @throws MessagingError 4303, 4307 */
export async function checkManageable(messaging: Messaging, convId: string): Promise<void> {
  const { kind } = await findConversation(messaging, convId)
  if (kind === 'temporary') throw messagingErrors.readOnly('A temporary conversation stays as it is.')
}

/**
 * Locks a conversation for somebody who decides over others in it.
 * @param by null: the app's back end
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

/** For what only members may see of a conversation that has members. @throws MessagingError 4303, 4307, 4317 */
export async function readForMember(
  messaging: Messaging,
  asker: Asker | null,
  convId: string,
): Promise<ConversationState> {
  await checkManageable(messaging, convId)
  const state = await readState(messaging, messaging.database, convId, '', [])
  checkMember(state, asker?.clientId ?? null)
  return state
}

/** A list of clients, such as the blacklist, as far as it matters for additions. */
export interface ClientList {
  /** Which of the given clients are on the list. */
  readonly present: ReadonlySet<string>
  readonly size: number
  readonly limit: number
  full(detail: string): MessagingError
}

export interface Judgement {
  /** Who is to come onto the list. */
  readonly added: readonly string[]
  readonly outcome: ListOutcome
}

/** Who of the clients can be put on a list: those over whom one may decide, until it is full. */
export function judgeAdditions(
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

/** Who of the clients can be taken off a list: those over whom one may decide. */
export function judgeRemovals(
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

/** Who is notified of what happens to others. The subscribers of a system conversation are strangers to each other. */
export function audienceOf({ id, kind }: ConversationState, members: readonly string[]): readonly string[] | Audience {
  if (kind === 'room') return { room: id }
  return kind === 'system' ? [] : members
}
