import { text } from '../../database/decode-row.ts'
import type { Database } from '../../database/pool.ts'
import { type Sql, sql } from '../../database/sql.ts'
import type { JsonObject } from '../../values/json.ts'
import type { SessionEvent } from '../events.ts'
import { type Message, newMessageId } from '../message.ts'
import type { Messaging } from '../messaging.ts'
import { messagingErrors } from '../messaging-errors.ts'
import type { Audience } from '../presence.ts'
import { findOfKind } from '../records/conversation-state.ts'
import { devicePush, pushObject } from './absent-members.ts'
import { MESSAGE_COLUMNS, messageOf } from './history.ts'
import { checkDraft } from './send-message.ts'

export interface Broadcast {
  readonly convId: string
  readonly fromClient: string
  readonly content: string
  readonly bin: boolean
  readonly ip: string | null
  /** The notification for devices, as JSON text; null or omitted for none. */
  readonly pushData?: string | null
  /** Sent to online clients only, and not stored. */
  readonly transient?: boolean
}

/** The receivers of a broadcast. Broadcasts to everyone are sent to new clients until a time in milliseconds; null for no end. */
export type Reach = 'subscribers' | { readonly everyoneUntil: number | null }

/**
 * Sends a message to the subscribers of a system conversation, or to all clients of the app (protocol/realtime, System
 * conversations). It is stored once, in the thread of the conversation, whatever the number of receivers.
 * @throws MessagingError 4303, 4313; ApiError 1, 107
 */
export async function sendBroadcast(
  messaging: Messaging,
  broadcast: Broadcast,
  reach: Reach,
): Promise<{ id: string; ts: number }> {
  const { convId, fromClient, content, bin, ip, pushData = null } = broadcast
  const written = { convId, sender: fromClient, content, bin, mentionAll: false, mentions: [], receipt: false, ip }
  checkDraft(written)
  await findOfKind(messaging, convId, 'system')
  const position = { id: newMessageId(), threads: [convId], token: null }
  const audience: Audience = reach === 'subscribers' ? { subscribers: convId } : { everyone: true }
  if (broadcast.transient) {
    const passing: Message = { ...written, id: position.id, ts: Date.now(), patchedAt: null, recalled: false }
    messaging.presence.deliver(audience, { ...broadcastEvent(passing), transient: true }, null, null)
    await pushToEveryone(messaging, pushObject(pushData), reach)
    return passing
  }
  const { id, ts, before } = await messaging.messages.store({ ...written, ...position })
  const message: Message = { ...written, id, ts, patchedAt: null, recalled: false }
  await note(messaging, message, reach)
  messaging.presence.deliver(audience, broadcastEvent(message), null, { convId, before, ts })
  await pushToEveryone(messaging, pushObject(pushData), reach)
  return { id, ts }
}

/**
 * Pushes a broadcast with push data to all devices, whether their clients subscribe or not (protocol/messaging, System
 * conversations).
 */
async function pushToEveryone({ devices }: Messaging, data: JsonObject | null, reach: Reach): Promise<void> {
  const until = reach === 'subscribers' ? null : reach.everyoneUntil
  if (data) await devices.toEveryone(devicePush(data, until ?? undefined))
}

async function note({ database, tables }: Messaging, { id, ts, convId }: Message, reach: Reach): Promise<void> {
  const expires = reach === 'subscribers' ? null : reach.everyoneUntil
  await database.query(sql`
    INSERT INTO ${tables.broadcasts} (id, ts, conv_id, to_everyone, expires_ts)
    VALUES (${id}, ${ts}::bigint, ${convId}, ${reach !== 'subscribers'}::boolean, ${expires}::bigint)`)
}

/** Returns whether a message of a system conversation was sent to all clients of the app. */
export async function isToEveryone({ database, tables }: Messaging, id: string): Promise<boolean> {
  const rows = await database.query(sql`SELECT FROM ${tables.broadcasts} WHERE id = ${id} AND to_everyone`)
  return rows.length > 0
}

/**
 * Deletes a broadcast; clients that have received it are not notified (protocol/messaging, Messaging over REST).
 * @throws MessagingError 4404
 */
export async function deleteBroadcast(messaging: Messaging, id: string): Promise<void> {
  const { broadcasts, messages } = messaging.tables
  const deleted = await messaging.database.query(sql`
    WITH broadcast AS (
      DELETE FROM ${broadcasts}
      WHERE id = ${id}
      RETURNING conv_id, ts, id
    ), message AS (
      DELETE FROM ${messages} AS message
      USING broadcast
      WHERE message.thread = broadcast.conv_id AND message.ts = broadcast.ts AND message.id = broadcast.id
    )
    SELECT id FROM broadcast`)
  if (deleted.length === 0) throw messagingErrors.messageNotFound()
}

/**
 * Lists the unexpired broadcasts to everyone of a system conversation, newest first.
 * @throws MessagingError 4303, 4313
 */
export async function listBroadcasts(
  messaging: Messaging,
  convId: string,
  { limit, skip }: { readonly limit: number; readonly skip: number },
): Promise<Message[]> {
  const { broadcasts, messages } = messaging.tables
  await findOfKind(messaging, convId, 'system')
  const rows = await messaging.database.query(sql`
    SELECT ${MESSAGE_COLUMNS}
    FROM (
      SELECT conv_id, ts, id
      FROM ${broadcasts}
      WHERE conv_id = ${convId} AND to_everyone
        AND (expires_ts IS NULL OR expires_ts > (extract(epoch FROM statement_timestamp()) * 1000)::bigint)
      ORDER BY ts DESC, id DESC
      LIMIT ${limit}::bigint
      OFFSET ${skip}::bigint
    ) AS valid
    JOIN ${messages} AS message USING (conv_id, ts, id)
    WHERE message.thread = message.conv_id
    ORDER BY ts DESC, id DESC`)
  return rows.map(messageOf)
}

/** Returns which of these clients subscribe to a system conversation. Each node calls it for its own clients. */
export async function subscribersAmong(
  database: Database,
  subscriptions: Sql,
  convId: string,
  clientIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await database.query(sql`
    SELECT client_id
    FROM ${subscriptions}
    WHERE conv_id = ${convId} AND client_id = ANY(${clientIds}::text[])`)
  return new Set(rows.map(text('client_id')))
}

/** Returns the event of a broadcast. */
export function broadcastEvent(message: Message): Extract<SessionEvent, { kind: 'message' }> {
  return { kind: 'message', message, conversation: 'system', transient: false }
}
