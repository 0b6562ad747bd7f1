import { boolean, json, number, rowDecoder } from '../../database/decode-row.ts'
import type { Executor } from '../../database/pool.ts'
import { sql } from '../../database/sql.ts'
import type { SessionEvent } from '../events.ts'
import { newMessageId } from '../message.ts'
import type { Messaging } from '../messaging.ts'
import type { ConversationEvent } from '../records/conversation-notifications.ts'

/** How long notifications of offline clients are kept, in milliseconds. */
const RETENTION_MS = 30 * 86_400_000
const PAGE_SIZE = 100

export interface Notification {
  /** The time of the event, in milliseconds. */
  readonly ts: number
  readonly event: SessionEvent
}

export interface NotificationPage {
  /** Oldest first. */
  readonly notifications: readonly Notification[]
  /** Whether there are newer ones. */
  readonly hasMore: boolean
}

/**
 * Stores an event for clients that may be offline (protocol/realtime, Missed conversation notifications). Each call deletes some
 * expired notifications.
 * @param executor the transaction that makes the change
 */
export async function storeNotifications(
  messaging: Messaging,
  executor: Executor,
  clientIds: readonly string[],
  event: ConversationEvent,
): Promise<void> {
  const { notifications } = messaging.tables
  await executor.query(sql`
    WITH old AS (
      SELECT client_id, ts, id
      FROM ${notifications}
      WHERE ts < ${event.at - RETENTION_MS}::bigint
      ORDER BY ts
      LIMIT ${10 + 2 * clientIds.length}::bigint
      FOR UPDATE SKIP LOCKED
    ), removed AS (
      DELETE FROM ${notifications} AS notification
      USING old
      WHERE notification.client_id = old.client_id AND notification.ts = old.ts AND notification.id = old.id
    )
    INSERT INTO ${notifications} (client_id, ts, id, permanent, body)
    SELECT client_id, ${event.at}::bigint, ${newMessageId()}, TRUE, ${JSON.stringify(event)}::jsonb
    FROM unnest(${clientIds}::text[]) AS client_id`)
}

/**
 * Reads the notifications of a client after a time, either the permanent or the other ones (protocol/realtime, Missed
 * conversation notifications). Events with the same time are always on the same page, because the next page begins after the last
 * time of this one.
 * @param since milliseconds; exclusive
 */
export async function readNotifications(
  { database, tables }: Messaging,
  clientId: string,
  since: number,
  permanent = true,
  limit = PAGE_SIZE,
): Promise<NotificationPage> {
  const kept = sql`
    SELECT ts, id, body
    FROM ${tables.notifications}
    WHERE client_id = ${clientId} AND ts > ${since}::bigint AND permanent = ${permanent}::boolean`
  const rows = await database.query(sql`
    WITH last AS (
      SELECT max(ts) AS ts
      FROM (SELECT ts FROM (${kept}) AS kept ORDER BY ts LIMIT ${limit}::bigint) AS page
    )
    SELECT ts, body, EXISTS (SELECT FROM (${kept}) AS kept WHERE ts > (SELECT ts FROM last)) AS more
    FROM (${kept}) AS kept
    WHERE ts <= (SELECT ts FROM last)
    ORDER BY ts, id`)
  return {
    notifications: rows.map(decodeNotification),
    hasMore: rows[0] !== undefined && boolean('more')(rows[0]),
  }
}

const decodeNotification = rowDecoder({
  ts: number('ts'),
  event: json<SessionEvent>('body'),
})
