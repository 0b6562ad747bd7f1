import type { Executor } from '../database/pool.ts'
import { sql } from '../database/sql.ts'
import type { Json, JsonObject } from '../values/json.ts'
import type { ConversationEvent } from './conversation-news.ts'
import { newMessageId } from './message.ts'
import type { Messaging } from './messaging.ts'

/** How long a client may be away and still learn of what has happened, in milliseconds. */
const KEPT = 30 * 86_400_000
const PAGE_SIZE = 100

export interface Notification {
  /** Milliseconds; the time that the event itself has. */
  readonly ts: number
  readonly event: ConversationEvent
}

export interface NotificationPage {
  /** From old to new. */
  readonly notifications: readonly Notification[]
  /** There are newer ones. */
  readonly hasMore: boolean
}

/**
 * Keeps an event for clients, who may not be there now (spec/realtime-protocol, 6.13). It costs some of what has been kept
 * long enough.
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
      WHERE ts < ${event.at - KEPT}::bigint
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
 * What was kept for a client since a time, which is not part of it. Events of one time are never on two pages: the next
 * page begins behind the last time of this one (spec/realtime-protocol, 10).
 */
export async function readNotifications(
  messaging: Messaging,
  clientId: string,
  since: number,
  limit = PAGE_SIZE,
): Promise<NotificationPage> {
  const { notifications } = messaging.tables
  const rows = await messaging.database.query(sql`
    WITH page AS (
      SELECT ts
      FROM ${notifications}
      WHERE client_id = ${clientId} AND ts > ${since}::bigint
      ORDER BY ts
      LIMIT ${limit}::bigint
    ), last AS (
      SELECT max(ts) AS ts
      FROM page
    )
    SELECT ts, body, EXISTS (
      SELECT FROM ${notifications} WHERE client_id = ${clientId} AND ts > (SELECT ts FROM last)
    ) AS more
    FROM ${notifications}
    WHERE client_id = ${clientId} AND ts > ${since}::bigint AND ts <= (SELECT ts FROM last)
    ORDER BY ts, id`)
  return {
    notifications: rows.map((row) => ({ ts: Number(row.ts), event: JSON.parse(String(row.body)) })),
    hasMore: rows[0]?.more === true,
  }
}

/** Every kept notification is a permanent one (spec/realtime-protocol, 3.1). */
const PERMANENT = 1

/** A notification as clients fetch it: the command that they missed, its message flattened (spec/realtime-protocol, 10). */
export function notificationForm(clientId: string, { ts, event }: Notification): JsonObject {
  const { news, convId, conversation, by, updatedAt, ttl } = event
  const form: Record<string, Json> = {
    cmd: 'conv',
    op: news,
    peerId: clientId,
    serverTs: ts,
    notificationType: PERMANENT,
    cid: convId,
    udate: updatedAt,
  }
  if (by !== null) form.initBy = by
  if (conversation === 'room') form.transient = true
  if (conversation === 'temporary') form.tempConv = true
  if (ttl !== undefined) form.tempConvTTL = ttl
  return form
}
