import { boolean, type Decoder, number, rowDecoder, text, texts } from '../../database/decode-row.ts'
import type { Database } from '../../database/pool.ts'
import { join, raw, type Sql, sql } from '../../database/sql.ts'
import type { Principal } from '../../scheduling/principal.ts'
import type { LongPages } from '../long-pages.ts'
import type { Message } from '../message.ts'
import type { MessagingTables } from '../messaging-tables.ts'

/** A position in a history: a time in milliseconds, and optionally one message at that time. */
export interface Position {
  readonly ts: number
  readonly id: string | null
  /** Whether messages at the position are part of the page. */
  readonly included: boolean
}

/** The messages to read: those of threads, those of a sender in all conversations, or all. */
export type HistorySource =
  | { readonly threads: readonly string[] }
  | { readonly sender: string }
  | { readonly everything: true }

export interface HistoryQuery {
  readonly source: HistorySource
  /** The start of the page; null for the end of the history that `ascending` selects. */
  readonly from: Position | null
  /** The limit in the other direction; null for none. */
  readonly to: Position | null
  /** Oldest first. */
  readonly ascending: boolean
  readonly limit: number
  /** Only messages of this `_lctype`. */
  readonly type: number | null
}

/** The sources of an app's history. */
interface StoredHistory {
  readonly database: Database
  readonly tables: Pick<MessagingTables, 'messages'>
  readonly longPages: LongPages
}

/**
 * Reads a page of history, in the order of the query. The cost does not depend on the depth: each source is a range of an index
 * (docs/architecture.md, Data).
 */
export async function readHistory(
  { database, tables, longPages }: StoredHistory,
  query: HistoryQuery,
  principal?: Principal,
): Promise<Message[]> {
  if (query.limit === 0) return []
  const pages = sourcesOf(query.source).map((source) => pageOf(tables.messages, source, query))
  const statement =
    pages.length === 1
      ? pages[0]!
      : sql`SELECT * FROM (${join(
          pages.map((page) => sql`(${page})`),
          ' UNION ALL ',
        )}) AS page ${orderOf(query)} LIMIT ${query.limit}::bigint`
  return longPages.readQueued(query.limit, principal, async () => {
    const { rows } = await database.search(statement, principal)
    return rows.map(messageOf)
  })
}

/** `_lctype` of text messages. */
const TEXT = -1

export const MESSAGE_COLUMNS = raw(
  'id, conv_id, ts, sender, content, bin, mention_all, mentions, receipt, patched_at, recalled, ip',
)

const mentionsIn = texts.orNull('mentions')

/** Decodes the columns of `MESSAGE_COLUMNS`. */
export const messageOf: Decoder<Message> = rowDecoder({
  id: text('id'),
  convId: text('conv_id'),
  ts: number('ts'),
  sender: text('sender'),
  content: text('content'),
  bin: boolean('bin'),
  mentionAll: boolean('mention_all'),
  mentions: (row) => mentionsIn(row) ?? [],
  receipt: boolean('receipt'),
  patchedAt: number.orNull('patched_at'),
  recalled: boolean('recalled'),
  ip: text.orNull('ip'),
})

function sourcesOf(source: HistorySource): Sql[] {
  if ('threads' in source) return source.threads.map((thread) => sql`thread = ${thread}`)
  return ['sender' in source ? sql`sender = ${source.sender}` : sql`TRUE`]
}

function pageOf(messages: Sql, source: Sql, query: HistoryQuery): Sql {
  const conditions = [source]
  if (query.from) conditions.push(beyond(query.from, query.ascending))
  if (query.to) conditions.push(beyond(query.to, !query.ascending))
  if (query.type !== null) conditions.push(ofType(query.type))
  // A message to several subscribers is stored once per subscriber; only queries without threads can return it repeatedly.
  const once = raw('threads' in query.source ? '' : 'DISTINCT ON (ts, id)')
  return sql`
    SELECT ${once} ${MESSAGE_COLUMNS}
    FROM ${messages}
    WHERE ${join(conditions, ' AND ')}
    ${orderOf(query)}
    LIMIT ${query.limit}::bigint`
}

/** Matches messages by type. Types other than text have a partial index, which needs its condition repeated here. */
function ofType(type: number): Sql {
  return sql`type = ${type}::integer${raw(type === TEXT ? '' : ' AND type <> -1')}`
}

/** Matches messages after or before a position. A position without an id is before and after all messages of its time. */
function beyond({ ts, id, included }: Position, later: boolean): Sql {
  const operator = raw((later ? '>' : '<') + (included ? '=' : ''))
  if (id === null) return sql`ts ${operator} ${ts}::bigint`
  return sql`(ts, id) ${operator} (${ts}::bigint, ${id})`
}

function orderOf({ ascending }: HistoryQuery): Sql {
  return ascending ? raw('ORDER BY ts, id') : raw('ORDER BY ts DESC, id DESC')
}
