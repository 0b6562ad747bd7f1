import { entry, number, text } from '../../database/decode-row.ts'
import { sql } from '../../database/sql.ts'
import type { Principal } from '../../scheduling/principal.ts'
import type { Message } from '../message.ts'
import { MESSAGE_COLUMNS, messageOf } from '../messages/history.ts'
import type { Messaging } from '../messaging.ts'

/** Returns when the last message of each conversation was stored, in milliseconds; omits conversations without messages. */
export async function lastTimes(
  { database, tables }: Messaging,
  convIds: readonly string[],
  principal?: Principal,
): Promise<ReadonlyMap<string, number>> {
  if (convIds.length === 0) return new Map()
  const rows = await database.query(
    sql`SELECT conv_id, last_ts FROM ${tables.threads} WHERE conv_id = ANY(${convIds}::text[])`,
    principal,
  )
  return new Map(rows.map(entry(text('conv_id'), number('last_ts'))))
}

/**
 * Returns the last message of each conversation; omits conversations without messages.
 * @param threads the threads to search, by conversation
 */
export async function lastMessages(
  { database, tables }: Messaging,
  threads: ReadonlyMap<string, readonly string[]>,
  principal?: Principal,
): Promise<ReadonlyMap<string, Message>> {
  const pairs = [...threads].flatMap(([convId, names]) => names.map((thread) => ({ convId, thread })))
  if (pairs.length === 0) return new Map()
  const statement = sql`
    SELECT DISTINCT ON (place.conversation) place.conversation, message.*
    FROM unnest(${pairs.map(({ convId }) => convId)}::text[], ${pairs.map(({ thread }) => thread)}::text[])
      AS place (conversation, thread)
    CROSS JOIN LATERAL (
      SELECT ${MESSAGE_COLUMNS}
      FROM ${tables.messages} AS message
      WHERE message.thread = place.thread COLLATE "C"
      ORDER BY ts DESC, id DESC
      LIMIT 1
    ) AS message
    ORDER BY place.conversation, message.ts DESC, message.id DESC`
  const rows = await database.query(statement, principal)
  return new Map(rows.map(entry(text('conversation'), messageOf)))
}
