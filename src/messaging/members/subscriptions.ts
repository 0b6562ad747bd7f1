import { type Decoder, entry, number, rowDecoder, text } from '../../database/decode-row.ts'
import type { Executor } from '../../database/pool.ts'
import { raw, sql } from '../../database/sql.ts'
import { errors } from '../../errors.ts'
import type { Principal } from '../../scheduling/principal.ts'
import { blockedAmong } from '../admission.ts'
import type { Messaging } from '../messaging.ts'
import { messagingErrors } from '../messaging-errors.ts'
import type { RequestingClient } from '../presence.ts'
import { readState } from '../records/conversation-state.ts'
import { beginReading, endReading } from './begin-reading.ts'
import { membersTransaction } from './members-transaction.ts'
import type { Failure, MembersChanged } from './membership.ts'

/** protocol/messaging, Limits */
const PAGE_SIZE = 50

export interface Subscription {
  readonly convId: string
  readonly clientId: string
  /** milliseconds */
  readonly since: number
}

/**
 * Subscribes clients to a system conversation (protocol/realtime, System conversations).
 * @param client null for the app's back end
 * @throws MessagingError 4303, 4313; 4548 when all clients are blocked
 */
export async function subscribe(
  messaging: Messaging,
  client: RequestingClient | null,
  convId: string,
  clientIds: readonly string[],
): Promise<MembersChanged> {
  const changed = await membersTransaction(messaging, client, clientIds.length, async (transaction) => {
    // A shared lock: many clients can subscribe at once, but not while a client is being blocked.
    const { kind, now } = await readState(messaging, transaction, convId, 'FOR SHARE', [])
    if (kind !== 'system') throw messagingErrors.systemRequired()
    const blocked = await blockedAmong(messaging, transaction, convId, clientIds)
    const allowed = clientIds.filter((clientId) => !blocked.has(clientId))
    const failed: Failure[] = []
    if (blocked.size > 0) failed.push({ error: messagingErrors.blockedByConversation(), clientIds: [...blocked] })
    if (allowed.length === 0 && failed[0]) throw failed[0].error
    const rows = await transaction.query(sql`
      INSERT INTO ${messaging.tables.subscriptions} (conv_id, client_id, since_ts)
      SELECT ${convId}, client_id, ${now}::bigint
      FROM unnest(${[...allowed].sort()}::text[]) AS client_id
      ON CONFLICT DO NOTHING
      RETURNING client_id`)
    const added = rows.map(text('client_id'))
    await beginReading(messaging, transaction, convId, added)
    return { allowed, changed: added, failed, updatedAt: null }
  })
  return changed
}

/** Ends subscriptions; succeeds for clients without one. @throws MessagingError 4303, 4313 */
export async function unsubscribe(
  messaging: Messaging,
  client: RequestingClient | null,
  convId: string,
  clientIds: readonly string[],
): Promise<MembersChanged> {
  const ended = await membersTransaction(messaging, client, clientIds.length, async (transaction) => {
    const { kind } = await readState(messaging, transaction, convId, 'FOR SHARE', [])
    if (kind !== 'system') throw messagingErrors.systemRequired()
    return endSubscriptions(messaging, transaction, convId, clientIds)
  })
  return { allowed: clientIds, changed: ended, failed: [], updatedAt: null }
}

/** Deletes subscriptions. @returns the clients that had subscribed */
export async function endSubscriptions(
  messaging: Messaging,
  transaction: Executor,
  convId: string,
  clientIds: readonly string[],
): Promise<string[]> {
  const rows = await transaction.query(sql`
    DELETE FROM ${messaging.tables.subscriptions}
    WHERE conv_id = ${convId} AND client_id = ANY(${clientIds}::text[])
    RETURNING client_id`)
  await endReading(messaging, transaction, convId, clientIds)
  return rows.map(text('client_id'))
}

/**
 * Lists the subscribers of a system conversation, by id.
 * @param after the last client of the previous page
 * @param limit values outside 1–50 count as 50
 */
export async function listSubscribers(
  messaging: Messaging,
  convId: string,
  { after = '', limit = PAGE_SIZE }: { readonly after?: string | undefined; readonly limit?: number | undefined },
): Promise<Subscription[]> {
  const rows = await messaging.database.query(sql`
    SELECT conv_id, client_id, since_ts
    FROM ${messaging.tables.subscriptions}
    WHERE conv_id = ${convId} AND client_id > ${after}
    ORDER BY client_id
    LIMIT ${pageSize(limit)}::bigint`)
  return rows.map(subscriptionOf)
}

export async function isSubscriber(
  { database, tables }: Messaging,
  convId: string,
  clientId: string,
): Promise<boolean> {
  const rows = await database.query(sql`
    SELECT FROM ${tables.subscriptions} WHERE conv_id = ${convId} AND client_id = ${clientId}`)
  return rows.length > 0
}

/** Counts subscribers. There may be a million, so it uses the connections for queries. */
export async function countSubscribers(messaging: Messaging, convId: string, principal?: Principal): Promise<number> {
  const { rows } = await messaging.database.search(
    sql`SELECT count(*) AS count FROM ${messaging.tables.subscriptions} WHERE conv_id = ${convId}`,
    principal,
  )
  return number('count')(rows[0]!)
}

export interface SubscriptionQuery {
  /** The last subscription of the previous page. */
  readonly after?: { readonly convId: string; readonly since: number } | undefined
  /** Oldest first; otherwise newest first. */
  readonly ascending: boolean
  readonly limit?: number | undefined
}

/**
 * Lists the subscriptions of a client by time (protocol/messaging, Client operations).
 * @throws ApiError 1 when the subscription in `after` did not begin at that time
 */
export async function listSubscriptions(
  messaging: Messaging,
  clientId: string,
  { after, ascending, limit = PAGE_SIZE }: SubscriptionQuery,
): Promise<Subscription[]> {
  const { subscriptions } = messaging.tables
  if (after) await checkSubscription(messaging, clientId, after)
  const direction = raw(ascending ? 'ASC' : 'DESC')
  const beyond = after
    ? sql`AND (since_ts, conv_id) ${raw(ascending ? '>' : '<')} (${after.since}::bigint, ${after.convId})`
    : raw('')
  const rows = await messaging.database.query(sql`
    SELECT conv_id, client_id, since_ts
    FROM ${subscriptions}
    WHERE client_id = ${clientId} ${beyond}
    ORDER BY since_ts ${direction}, conv_id ${direction}
    LIMIT ${pageSize(limit)}::bigint`)
  return rows.map(subscriptionOf)
}

/** Returns when a client subscribed to conversations, by their ids; omits conversations without a subscription. */
export async function subscribedSince(
  messaging: Messaging,
  { clientId, principal }: RequestingClient,
  convIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const statement = sql`
    SELECT conv_id, since_ts
    FROM ${messaging.tables.subscriptions}
    WHERE client_id = ${clientId} AND conv_id = ANY(${convIds}::text[])`
  const rows = await messaging.database.query(statement, principal)
  return new Map(rows.map(entry(text('conv_id'), number('since_ts'))))
}

async function checkSubscription(
  messaging: Messaging,
  clientId: string,
  { convId, since }: { readonly convId: string; readonly since: number },
): Promise<void> {
  const [row] = await messaging.database.query(sql`
    SELECT since_ts FROM ${messaging.tables.subscriptions} WHERE conv_id = ${convId} AND client_id = ${clientId}`)
  // A subscription that has ended since the previous page is accepted.
  if (row && number('since_ts')(row) !== since)
    throw errors.badArgument(`'timestamp' must be that of the subscription to '${convId}'.`)
}

function pageSize(limit: number): number {
  return Number.isInteger(limit) && limit >= 1 && limit <= PAGE_SIZE ? limit : PAGE_SIZE
}

const subscriptionOf: Decoder<Subscription> = rowDecoder({
  convId: text('conv_id'),
  clientId: text('client_id'),
  since: number('since_ts'),
})
