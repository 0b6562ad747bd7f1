import { coalesce, type Outcome } from '../database/coalesce.ts'
import { type Decoder, entry, number, rowDecoder, text } from '../database/decode-row.ts'
import type { Database } from '../database/pool.ts'
import { type Sql, sql } from '../database/sql.ts'
import type { MessagingTables } from './messaging-tables.ts'

/** Up to where a client has received or read a conversation. */
export interface ReadCursor {
  readonly clientId: string
  readonly convId: string
  /** Read, and so received too. */
  readonly read: boolean
  /** The message that the cursor stands at; null when it is a time. */
  readonly messageId: string | null
  /** Milliseconds; null for everything that is there now. */
  readonly upTo: number | null
  /** The cursor goes no further than this time; null for no such limit. */
  readonly atMost: number | null
  /** Where messages are that are for this client alone. */
  readonly ownThread: string | null
  /** Which messages are asked for that the sender wants receipts for; null for none. */
  readonly receipts: ReceiptRange | null
}

/** Which of the messages that a cursor has passed: those from a time on, one alone, or the last one. */
type ReceiptRange = { readonly from: number } | 'this' | 'last'

/** Where a cursor stands now. */
export interface MovedCursor {
  /** The time that the cursor was moved to, if it was not further already. */
  readonly upTo: number
  /** The time of the last message of the conversation. */
  readonly lastTs: number
  /** Messages of others that the cursor has passed and that their senders want receipts for, from old to new. */
  readonly receipts: readonly { readonly messageId: string; readonly sender: string; readonly ts: number }[]
}

const SIZE = 500
/** A message is looked for among so many behind the cursor, and among so many of the latest. */
const NEAR = 500
/** How many of the messages that a cursor passes are looked at for receipts, and how many receipts are made. */
const LOOKED_AT = 1000
const MAX_RECEIPTS = 100

/**
 * How far clients have received and read. Cursors only move forward. Those that arrive together are moved by one statement.
 * One statement runs at a time, so that each move of a cursor passes only what the one before it has left.
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

  /** @returns null when there is nothing that could be marked, or the message is not known */
  async move(cursor: ReadCursor): Promise<MovedCursor | null> {
    // No message has such an id, and the database would refuse it together with the cursors of others.
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
   * Rows are locked in one order, so that two statements never wait for each other. Nobody marks what is yet to come: the
   * clocks of clients are no guide, so the last message is the furthest that a cursor goes.
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
   * When the message of an `item` was sent. Messages have no index by their ids alone: what clients acknowledge is right
   * behind their cursor, or among the latest.
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

  /** The receipts that each cursor calls for, by its number. */
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
        ${wanted.map(({ most }) => String(most))}::integer[]
      ) AS item (number, client_id, conv_id, after_ts, up_to, most)
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
        LIMIT item.most
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

/** What a cursor has passed on its way: the times after which and up to which, and how many messages matter. */
function passed(cursor: ReadCursor, range: ReceiptRange, row: MovedRow): { after: number; upTo: number; most: number } {
  const before = cursor.read ? row.readTs : row.receivedTs
  if (range === 'this') {
    const upTo = row.messageTs
    return { after: Math.max(before, upTo - 1), upTo, most: 1 }
  }
  const { upTo } = row
  if (range === 'last') return { after: before, upTo, most: 1 }
  return { after: Math.max(before, range.from - 1), upTo, most: MAX_RECEIPTS }
}

/** Times are NULL where the client has no cursor yet, or no message is named. */
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
