import type { Executor, Transaction } from '../../../database/pool.ts'
import { type Sql, sql } from '../../../database/sql.ts'
import { writeLastMessageTimes } from '../../../messaging/last-message-times.ts'
import type { Messaging } from '../../../messaging/messaging.ts'
import type { OnConflict } from '../../batch.ts'
import type { ThreadedMessage } from './find-threads.ts'
import { type LastTimes, lastTimesOf } from './last-times.ts'
import { copyMessagingRows, copyRows, keyOf, type MessagingRow, writeMessagingRows } from './messaging-rows.ts'

/** The tables that messages are written to. */
interface MessageTables {
  readonly tables: Messaging['tables']
  /** The table of the conversation class. */
  readonly conversations: Sql
}

/** Whether a written message was new or replaced an existing one. */
interface WrittenMessage {
  readonly isNew: boolean
}

/**
 * Stores messages with their ids and times. An existing message is kept, or takes the imported content, according to
 * `onConflict`. Later messages of a conversation follow all imported ones, and its record gets the time of the last one. When the
 * source has no read marks, messages count as read for members without receipts here, so that they do not find their complete
 * history unread.
 */
export async function writeMessages(
  transaction: Executor,
  to: MessageTables,
  messages: readonly ThreadedMessage[],
  onConflict: OnConflict,
): Promise<WrittenMessage[]> {
  const rows = rowsByKey(messages, onConflict)
  const written = await writeMessagingRows(
    transaction,
    to.tables,
    'messages',
    [...rows.values()],
    conflictOf(onConflict),
  )
  await followMessages(transaction, to, lastTimesOf(messages))
  return changesOf(messages, new Map(written.map(({ key, isNew }) => [key, isNew])))
}

/**
 * Stores messages that are all new, in a third of the time. The caller must call `followMessages` afterwards.
 * @throws any rejection of the database, also when a message exists; then none is written
 */
export async function copyMessages(
  transaction: Transaction,
  to: MessageTables,
  messages: readonly ThreadedMessage[],
  onConflict: OnConflict,
): Promise<WrittenMessage[]> {
  const rows = rowsByKey(messages, onConflict)
  await copyMessagingRows(transaction, to.tables, 'messages', copyRows('messages', [...rows.values()]))
  return changesOf(messages, new Map([...rows.keys()].map((key) => [key, true])))
}

/** Keeps one row of each key, as if the messages were written one by one (`conflictOf`): the first unless it is replaced. */
function rowsByKey(messages: readonly ThreadedMessage[], onConflict: OnConflict): Map<string, MessagingRow> {
  const rows = new Map<string, MessagingRow>()
  for (const row of messages.flatMap((message) => message.rows)) {
    const key = keyOf('messages', row)
    const known = rows.get(key)
    if (!known || isReplaced(known, row, onConflict)) rows.set(key, row)
  }
  return rows
}

function isReplaced(stored: MessagingRow, given: MessagingRow, onConflict: OnConflict): boolean {
  if (onConflict !== 'newer') return onConflict === 'overwrite'
  const [storedAt, givenAt] = [stored.patched_at ?? null, given.patched_at ?? null]
  return givenAt === null ? storedAt === null : Number(givenAt) > Number(storedAt ?? 0)
}

/** Returns the written messages. A message is new if it is new in any of its threads. Of repeated messages, the first counts. */
function changesOf(messages: readonly ThreadedMessage[], written: Map<string, boolean>): WrittenMessage[] {
  const changes: WrittenMessage[] = []
  for (const { rows } of messages) {
    const keys = rows.map((row) => keyOf('messages', row)).filter((key) => written.has(key))
    if (keys.length > 0) changes.push({ isNew: keys.some((key) => written.get(key)) })
    for (const key of keys) written.delete(key)
  }
  return changes
}

/** Updates the data that depends on the last messages of conversations. */
export async function followMessages(
  transaction: Executor,
  { tables, conversations }: MessageTables,
  { all, unmarked }: LastTimes,
): Promise<void> {
  await advanceThreads(transaction, tables.threads, [...all])
  await writeLastMessageTimes(transaction, conversations, [...all])
  if (unmarked.size > 0) await markAsRead(transaction, tables.reads, conversations, [...unmarked])
}

/**
 * Returns the conflict clause. The message that was edited later is newer. If neither has an edit time, the imported one wins.
 */
function conflictOf(onConflict: OnConflict): Sql {
  const isWanted = {
    skip: sql`FALSE`,
    overwrite: sql`TRUE`,
    newer: sql`(
      excluded.patched_at > coalesce(stored.patched_at, 0) OR (excluded.patched_at IS NULL AND stored.patched_at IS NULL)
    )`,
  }[onConflict]
  return sql`(thread, ts, id) DO UPDATE
    SET content = excluded.content, bin = excluded.bin, type = excluded.type, recalled = excluded.recalled,
        patched_at = greatest(stored.patched_at, excluded.patched_at)
    WHERE ${isWanted}
      AND (stored.content, stored.bin, stored.recalled)
        IS DISTINCT FROM (excluded.content, excluded.bin, excluded.recalled)`
}

/** Advances the last times of threads. The time before the last one lets nodes notice that they have missed messages. */
async function advanceThreads(
  transaction: Executor,
  threads: Sql,
  times: readonly (readonly [convId: string, ts: number])[],
): Promise<void> {
  await transaction.query(sql`
    INSERT INTO ${threads} AS thread (conv_id, last_ts, before_ts)
    SELECT conv_id, ts, 0
    FROM unnest(
      ${times.map(([convId]) => convId)}::text[], ${times.map(([, ts]) => String(ts))}::bigint[]
    ) AS given (conv_id, ts)
    ORDER BY conv_id COLLATE "C"
    ON CONFLICT (conv_id) DO UPDATE
    SET before_ts = thread.last_ts, last_ts = excluded.last_ts
    WHERE thread.last_ts < excluded.last_ts`)
}

async function markAsRead(
  transaction: Executor,
  reads: Sql,
  conversations: Sql,
  times: readonly (readonly [convId: string, ts: number])[],
): Promise<void> {
  await transaction.query(sql`
    INSERT INTO ${reads} AS read_cursor (client_id, conv_id, read_ts, received_ts, changed_at)
    SELECT DISTINCT member, conversation.id, given.ts, given.ts, given.ts
    FROM unnest(
      ${times.map(([convId]) => convId)}::text[], ${times.map(([, ts]) => String(ts))}::bigint[]
    ) AS given (conv_id, ts)
    JOIN ${conversations} AS conversation ON conversation.id = given.conv_id COLLATE "C"
    CROSS JOIN LATERAL jsonb_array_elements_text(
      CASE jsonb_typeof(conversation.data->'m') WHEN 'array' THEN conversation.data->'m' ELSE '[]' END) AS member
    WHERE conversation.data->'sys' IS DISTINCT FROM 'true'::jsonb
      AND conversation.data->'tr' IS DISTINCT FROM 'true'::jsonb
    ORDER BY member, conversation.id
    ON CONFLICT (client_id, conv_id) DO UPDATE
    SET read_ts = excluded.read_ts,
        received_ts = greatest(read_cursor.received_ts, excluded.received_ts),
        changed_at = greatest(read_cursor.changed_at, excluded.changed_at)
    WHERE NOT read_cursor.has_read AND NOT read_cursor.has_received AND read_cursor.read_ts < excluded.read_ts`)
}
