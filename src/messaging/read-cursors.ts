import { coalesce, type Outcome } from '../database/coalesce.ts'
import { type Decoder, entry, number, rowDecoder, text } from '../database/decode-row.ts'
import type { Database } from '../database/pool.ts'
import { type Sql, sql } from '../database/sql.ts'
import type { MessagingTables } from './messaging-tables.ts'

/** A request to mark a conversation as received or read up to a position. */
export interface ReadCursor {
  readonly clientId: string
  readonly convId: string
  /** Whether it is also read, not only received. */
  readonly read: boolean
  /** The message that the cursor moves to; null when `upTo` is used. */
  readonly messageId: string | null
  /** Milliseconds; null for all messages that exist now. */
  readonly upTo: number | null
  /** The maximum time of the cursor; null for no maximum. */
  readonly atMost: number | null
  /** The thread of messages that only this client can see. */
  readonly ownThread: string | null
  /** Which receipts are requested for the passed messages; null for none. */
  readonly receipts: ReceiptRange | null
}

/** Which of the passed messages get receipts: those from a time on, only the named one, or the last one. */
type ReceiptRange = { readonly from: number } | 'this' | 'last'

/** The position of a cursor after a move. */
export interface MovedCursor {
  /** The time that the cursor was moved to, unless it was already further. */
  readonly upTo: number
  /** The time of the last message of the conversation. */
  readonly lastTs: number
  /** Passed messages of other senders that request receipts, oldest first. */
  readonly receipts: readonly { readonly messageId: string; readonly sender: string; readonly ts: number }[]
}

const SIZE = 500
/** A message is searched for among this many after the cursor, and among this many of the latest. */
const NEAR = 500
/** Maximum numbers of passed messages that are checked for receipts, and of receipts. */
const LOOKED_AT = 1000
const MAX_RECEIPTS = 100

/**
 * Stores how far clients have received and read. Cursors only move forward. Moves that arrive together share a statement. Only
 * one statement runs at a time, so that each move of a cursor passes only the messages after the previous one.
 */
export class ReadCursors {
  readonly #database: Database
  readonly #tables: MessagingTables
  readonly #move: (cursor: ReadCursor) => Promise<MovedCursor | null>

  constructor(database: Database, tables: MessagingTables) {
    this.#database = database
    this.#tables = tables
    this.#move = coalesce((cursors) => this.#moveAll(cursors), { atOnce: 1, size: SIZE })
  }

  /** Moves a cursor. @returns null when the conversation has no messages or the message is unknown */
  async move(cursor: ReadCursor): Promise<MovedCursor | null> {
    // No message has such an id, and the database would reject the whole statement, with the cursors of other clients.
    if (cursor.messageId?.includes('\u0000')) return null
    return this.#move(cursor)
  }

  async #moveAll(cursors: readonly ReadCursor[]): Promise<Outcome<MovedCursor | null>[]> {
    const rows = await this.#moveCursors(cursors)
    const receipts = await this.#receipts(cursors, rows)
    return cursors.map((_, number) => {
      const row = rows.get(number)
      if (!row) return { result: null }
      return { result: { upTo: row.upTo, lastTs: row.lastTs, receipts: receipts.get(number) ?? [] } }
    })
  }

  /**
   * Moves cursors. Rows are locked in one order, so that two statements never deadlock. The last message is the maximum: the
   * clocks of clients are unreliable, and messages of the future must not count as read.
   */
  async #moveCursors(cursors: readonly ReadCursor[]): Promise<Map<number, MovedRow>> {
    const { threads, reads } = this.#tables
    const rows = await this.#database.query(sql`
      WITH clock AS (
        SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now
      ), item AS (
        SELECT *
        FROM unnest(
          ${cursors.map((_, number) => String(number))}::integer[],
          ${cursors.map((cursor) => cursor.clientId)}::text[],
          ${cursors.map((cursor) => cursor.convId)}::text[],
          ${cursors.map((cursor) => String(cursor.read))}::boolean[],
          ${cursors.map((cursor) => cursor.messageId)}::text[],
          ${cursors.map((cursor) => cursor.upTo?.toString() ?? null)}::bigint[],
          ${cursors.map((cursor) => cursor.atMost?.toString() ?? null)}::bigint[],
          ${cursors.map((cursor) => cursor.ownThread)}::text[]
        ) AS item (number, client_id, conv_id, is_read, message_id, up_to, at_most, own_thread)
      ), placed AS (
        SELECT item.number, item.client_id, item.conv_id, item.is_read, thread.last_ts,
          coalesce(read_cursor.read_ts, 0) AS read_ts, coalesce(read_cursor.received_ts, 0) AS received_ts,
          message.ts AS message_ts,
          CASE
            WHEN item.message_id IS NULL THEN least(item.up_to, thread.last_ts, item.at_most)
            WHEN message.ts IS NOT NULL THEN least(message.ts, item.at_most)
          END AS up_to
        FROM item
        JOIN ${threads} AS thread ON thread.conv_id = item.conv_id COLLATE "C"
        LEFT JOIN ${reads} AS read_cursor
          ON read_cursor.client_id = item.client_id COLLATE "C" AND read_cursor.conv_id = item.conv_id COLLATE "C"
        LEFT JOIN LATERAL (${this.#timeOfMessage()}) AS message ON item.message_id IS NOT NULL
      ), moved AS (
        INSERT INTO ${reads} AS read_cursor (client_id, conv_id, read_ts, received_ts, changed_at, has_read, has_received)
        SELECT client_id, conv_id, coalesce(max(up_to) FILTER (WHERE is_read), 0), max(up_to),
          CASE WHEN bool_or(is_read) THEN now ELSE 0 END, bool_or(is_read), TRUE
        FROM placed, clock
        WHERE up_to IS NOT NULL
        GROUP BY client_id, conv_id, now
        ORDER BY client_id COLLATE "C", conv_id COLLATE "C"
        ON CONFLICT (client_id, conv_id) DO UPDATE
        SET read_ts = greatest(read_cursor.read_ts, excluded.read_ts),
            received_ts = greatest(read_cursor.received_ts, excluded.received_ts),
            changed_at = CASE
              WHEN excluded.read_ts > read_cursor.read_ts THEN excluded.changed_at
              ELSE read_cursor.changed_at
            END,
            has_read = read_cursor.has_read OR excluded.has_read,
            has_received = TRUE
        WHERE excluded.read_ts > read_cursor.read_ts
          OR excluded.received_ts > read_cursor.received_ts
          OR excluded.has_read > read_cursor.has_read
          OR NOT read_cursor.has_received
      )
      SELECT number, up_to, message_ts, last_ts, read_ts, received_ts
      FROM placed
      WHERE up_to IS NOT NULL`)
    return new Map(rows.map(entry(number('number'), decodeMoved)))
  }

  /**
   * Selects the time of the message of an `item`. Messages have no index on their ids alone, but clients acknowledge messages
   * right after their cursor or among the latest.
   */
  #timeOfMessage(): Sql {
    const { messages } = this.#tables
    return sql`
      SELECT near.ts
      FROM unnest(ARRAY[item.conv_id, item.own_thread]) AS place (thread)
      CROSS JOIN LATERAL (
        (
          SELECT ts, id
          FROM ${messages}
          WHERE thread = place.thread COLLATE "C" AND ts > coalesce(read_cursor.received_ts, 0)
          ORDER BY ts, id
          LIMIT ${NEAR}
        ) UNION ALL (
          SELECT ts, id
          FROM ${messages}
          WHERE thread = place.thread COLLATE "C"
          ORDER BY ts DESC, id DESC
          LIMIT ${NEAR}
        )
      ) AS near
      WHERE near.id = item.message_id COLLATE "C"
      LIMIT 1`
  }

  /** Returns the receipts of each cursor, by its number. */
  async #receipts(
    cursors: readonly ReadCursor[],
    rows: ReadonlyMap<number, MovedRow>,
  ): Promise<ReadonlyMap<number, MovedCursor['receipts']>> {
    const ranges = cursors.flatMap((cursor, number) => {
      const row = rows.get(number)
      return row && cursor.receipts !== null ? [{ ...cursor, ...passed(cursor, cursor.receipts, row), number }] : []
    })
    const wanted = ranges.filter(({ after, upTo }) => after < upTo)
    if (wanted.length === 0) return new Map()
    const found = await this.#database.query(sql`
      SELECT item.number, message.id, message.sender, message.ts
      FROM unnest(
        ${wanted.map(({ number }) => String(number))}::integer[],
        ${wanted.map(({ clientId }) => clientId)}::text[],
        ${wanted.map(({ convId }) => convId)}::text[],
        ${wanted.map(({ after }) => String(after))}::bigint[],
        ${wanted.map(({ upTo }) => String(upTo))}::bigint[],
        ${wanted.map(({ maxRows }) => String(maxRows))}::integer[]
      ) AS item (number, client_id, conv_id, after_ts, up_to, max_rows)
      CROSS JOIN LATERAL (
        SELECT id, sender, ts
        FROM (
          SELECT id, sender, ts, receipt
          FROM ${this.#tables.messages}
          WHERE thread = item.conv_id COLLATE "C" AND ts > item.after_ts AND ts <= item.up_to
          ORDER BY ts DESC, id DESC
          LIMIT ${LOOKED_AT}
        ) AS passed
        WHERE receipt AND sender <> item.client_id
        ORDER BY ts DESC, id DESC
        LIMIT item.max_rows
      ) AS message
      ORDER BY message.ts, message.id`)
    const receipts = new Map<number, MovedCursor['receipts'][number][]>()
    for (const { cursor, receipt } of found.map(decodeReceipt)) {
      const list = receipts.get(cursor) ?? []
      list.push(receipt)
      receipts.set(cursor, list)
    }
    return receipts
  }
}

/** Returns the range that a cursor has passed, after one time and up to another, and the maximum number of receipts. */
function passed(
  cursor: ReadCursor,
  range: ReceiptRange,
  row: MovedRow,
): { after: number; upTo: number; maxRows: number } {
  const before = cursor.read ? row.readTs : row.receivedTs
  if (range === 'this') {
    const upTo = row.messageTs
    return { after: Math.max(before, upTo - 1), upTo, maxRows: 1 }
  }
  const { upTo } = row
  if (range === 'last') return { after: before, upTo, maxRows: 1 }
  return { after: Math.max(before, range.from - 1), upTo, maxRows: MAX_RECEIPTS }
}

/** Decodes times that are NULL when the client has no cursor yet or no message is named. */
const orZero = (column: string): Decoder<number> => {
  const time = number.orNull(column)
  return (row) => time(row) ?? 0
}

const decodeMoved = rowDecoder({
  upTo: number('up_to'),
  messageTs: orZero('message_ts'),
  lastTs: orZero('last_ts'),
  readTs: orZero('read_ts'),
  receivedTs: orZero('received_ts'),
})

type MovedRow = ReturnType<typeof decodeMoved>

const decodeReceipt = rowDecoder({
  cursor: number('number'),
  receipt: rowDecoder({ messageId: text('id'), sender: text('sender'), ts: number('ts') }),
})
