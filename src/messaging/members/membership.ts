import { isUniqueViolation } from '../../database/faults.ts'
import type { Executor } from '../../database/pool.ts'
import { sql } from '../../database/sql.ts'
import { noteWrite } from '../../objects/store.ts'
import type { JsonObject } from '../../values/json.ts'
import type { Messaging } from '../messaging.ts'
import type { MessagingError } from '../messaging-errors.ts'
import type { RequestingClient } from '../presence.ts'
import {
  CONVERSATION,
  conversationTable,
  MEMBER_INFO,
  memberInfoTable,
  storeOf,
} from '../records/conversation-class.ts'
import { type Change, notificationOf } from '../records/conversation-notifications.ts'
import type { ConversationState } from '../records/conversation-state.ts'
import { beginReading, endReading } from './begin-reading.ts'
import { uniqueIdOf } from './member-set.ts'
import { membersTransaction } from './members-transaction.ts'
import { storeNotifications } from './notifications.ts'

/** An error, and the clients that it applies to. */
export interface Failure {
  readonly error: MessagingError
  readonly clientIds: readonly string[]
}

/** The result for a list of clients (protocol/realtime, Adding and removing members: partial success). */
export interface ListOutcome {
  /** The clients that now have the requested state, whether they had it before or not. */
  readonly allowed: readonly string[]
  readonly failed: readonly Failure[]
}

export interface MembersChanged extends ListOutcome {
  /** The clients whose state changed. */
  readonly changed: readonly string[]
  /** `updatedAt` of the conversation, ISO; null when members are not part of its record. */
  readonly updatedAt: string | null
}

/**
 * Runs a change of members in a transaction. If two conversations get the same members at the same time, only one can be the
 * unique conversation of these: the second change is retried and finds the first.
 * @param client the client whose principal is charged; null for the app
 * @param count the maximum number of changed members
 */
export async function changingMembers<Result>(
  messaging: Messaging,
  client: RequestingClient | null,
  count: number,
  work: (transaction: Executor) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await membersTransaction(messaging, client, count, work)
    } catch (error) {
      if (!isUniqueViolation(error, 'conversation_unique_id') || attempt === 5) throw error
    }
  }
}

/** Adds members, as part of a transaction that has locked the conversation. */
export async function admit(
  messaging: Messaging,
  transaction: Executor,
  state: ConversationState,
  added: readonly string[],
  by: string | null,
): Promise<Change> {
  const change = changeOf(state, by)
  await writeMembers(messaging, transaction, state, { m: [...state.members, ...added] }, change)
  await beginReading(messaging, transaction, state.id, added)
  await storeNotifications(messaging, transaction, added, notificationOf(change, 'joined'))
  return change
}

/** Removes members, their roles and their read cursors, as part of a transaction that has locked the conversation. */
export async function dismiss(
  messaging: Messaging,
  transaction: Executor,
  state: ConversationState,
  removed: readonly string[],
  by: string | null,
): Promise<Change> {
  const change = changeOf(state, by)
  const remaining = (clientIds: readonly string[]) => clientIds.filter((clientId) => !removed.includes(clientId))
  const lists = { m: remaining(state.members), ...(state.muters.length > 0 && { mu: remaining(state.muters) }) }
  await writeMembers(messaging, transaction, state, lists, change)
  await endReading(messaging, transaction, state.id, removed)
  const infos = await transaction.query(sql`
    DELETE FROM ${memberInfoTable(messaging)}
    WHERE data->>'cid' = ${state.id} AND data->>'clientId' = ANY(${removed}::text[])
    RETURNING id`)
  if (infos.length > 0) noteWrite(messaging.objects, MEMBER_INFO)
  await storeNotifications(messaging, transaction, removed, notificationOf(change, 'left'))
  return change
}

export function changeOf({ id, kind, now }: ConversationState, by: string | null): Change {
  return { convId: id, conversation: kind, by, at: now, updatedAt: new Date(now).toISOString() }
}

/** Writes the members. A unique conversation becomes that of its new members, unless these have one already. */
async function writeMembers(
  messaging: Messaging,
  transaction: Executor,
  state: ConversationState,
  lists: { readonly m: readonly string[]; readonly mu?: readonly string[] },
  { updatedAt }: Change,
): Promise<void> {
  const table = conversationTable(messaging)
  const uniqueId = state.isUnique && lists.m.length > 0 ? uniqueIdOf(lists.m) : null
  const [other] = uniqueId
    ? await transaction.query(sql`SELECT id FROM ${table} WHERE data->>'uniqueId' = ${uniqueId} AND id <> ${state.id}`)
    : []
  const fields: JsonObject = { ...lists, ...(uniqueId && !other && { uniqueId }) }
  await transaction.query(sql`
    UPDATE ${table}
    SET data = (data - 'uniqueId') || ${JSON.stringify(fields)}::jsonb, updated_at = ${updatedAt}::timestamptz
    WHERE id = ${state.id}`)
  noteWrite(storeOf(messaging), CONVERSATION)
}
