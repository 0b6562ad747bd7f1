import { number, text, texts } from '../../database/decode-row.ts'
import type { Executor } from '../../database/pool.ts'
import { type Sql, sql } from '../../database/sql.ts'
import { checkClientIds } from '../client-ids.ts'
import type { ConversationKind } from '../conversation.ts'
import type { ConversationNotification } from '../events.ts'
import {
  audienceOf,
  checkManageable,
  checkManagedAdditions,
  checkManagedRemovals,
  type Judgement,
  lockForManaging,
  readForMember,
} from '../members/managing.ts'
import { membersTransaction } from '../members/members-transaction.ts'
import { changeOf, type ListOutcome } from '../members/membership.ts'
import type { Messaging } from '../messaging.ts'
import type { MessagingError } from '../messaging-errors.ts'
import { type ClientPage, type PageRequest, pageOf, splitPage } from '../paged-list.ts'
import type { RequestingClient } from '../presence.ts'
import { notificationOf, notify } from '../records/conversation-notifications.ts'
import type { ConversationState } from '../records/conversation-state.ts'

/** A list of clients that is managed by roles: blocked or silenced clients. */
export interface ManagedList {
  /** The table, with the columns `conv_id` and `client_id`. */
  readonly table: Sql
  /** The condition that selects the rows of the list. */
  readonly rows: Sql
  readonly limits: { readonly [kind in ConversationKind]: number }
  readonly full: (detail: string) => MessagingError
  /** The events for clients that are removed from the list, and for the others. */
  readonly lifted: readonly [them: ConversationNotification, others: ConversationNotification]
}

/** Decides which of the clients can be added to a list, in the transaction of the addition. */
export async function checkListing(
  messaging: Messaging,
  transaction: Executor,
  list: ManagedList,
  state: ConversationState,
  by: string | null,
  wanted: readonly string[],
): Promise<Judgement> {
  const [row] = await transaction.query(sql`
    SELECT count(*) AS size, array_agg(client_id) FILTER (WHERE client_id = ANY(${wanted}::text[])) AS present
    FROM ${list.table}
    WHERE conv_id = ${state.id} AND ${list.rows}`)
  return checkManagedAdditions(messaging, state, by, wanted, {
    present: new Set(texts.orNull('present')(row!)),
    size: number('size')(row!),
    limit: list.limits[state.kind],
    full: list.full,
  })
}

/**
 * Removes clients from a list.
 * @param rows the condition of the rows to delete; may include rows outside the list
 * @param client null for the app's back end
 * @throws MessagingError 4303, 4307, 4317, 4320
 */
export async function takeOff(
  messaging: Messaging,
  list: ManagedList,
  rows: Sql,
  client: RequestingClient | null,
  convId: string,
  clientIds: readonly string[],
): Promise<ListOutcome> {
  const wanted = checkClientIds(clientIds)
  const by = client?.clientId ?? null
  await checkManageable(messaging, convId)
  const { state, outcome, lifted } = await membersTransaction(messaging, client, wanted.length, async (transaction) => {
    const state = await lockForManaging(messaging, transaction, convId, by, wanted)
    const outcome = checkManagedRemovals(messaging, state, by, wanted)
    const deleted = await transaction.query(sql`
      DELETE FROM ${list.table}
      WHERE conv_id = ${convId} AND client_id = ANY(${outcome.allowed}::text[]) AND ${rows}
      RETURNING client_id`)
    return { state, outcome, lifted: deleted.map(text('client_id')) }
  })
  if (lifted.length > 0) {
    await messaging.conversations.forget(convId)
    const change = changeOf(state, by)
    const [them, others] = list.lifted
    notify(messaging, lifted, notificationOf(change, them))
    notify(messaging, audienceOf(state, state.members), notificationOf(change, others, { members: lifted }))
  }
  return outcome
}

/** Returns a page of a list, for members only. @throws MessagingError 4303, 4307, 4317; ApiError 1 */
export async function pageOfList(
  messaging: Messaging,
  list: ManagedList,
  client: RequestingClient | null,
  convId: string,
  request: PageRequest,
): Promise<ClientPage> {
  const page = pageOf(request)
  await readForMember(messaging, client, convId)
  const statement = sql`
    SELECT client_id
    FROM ${list.table}
    WHERE conv_id = ${convId} AND ${list.rows}
    ORDER BY client_id
    LIMIT ${page.limit + 1}::bigint OFFSET ${page.offset}::bigint`
  const rows = await messaging.database.query(statement, client?.principal)
  const [items, next] = splitPage(rows, page)
  return { clientIds: items.map(text('client_id')), next }
}
