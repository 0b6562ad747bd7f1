import { boolean, type Decoder, number, rowDecoder, text, texts } from '../../database/decode-row.ts'
import type { Database } from '../../database/pool.ts'
import { join, raw, type Sql, sql } from '../../database/sql.ts'
import type { Principal } from '../../scheduling/principal.ts'
import type { LongPages } from '../long-pages.ts'
import type { Message } from '../message.ts'
import type { MessagingTables } from '../messaging-tables.ts'

/** A place in a history: a time in milliseconds, and the message at that time if one is meant. */
export interface Position {
  readonly ts: number
  readonly id: string | null
  /** Whether what is at this place is part of the page. */
  readonly included: boolean
}

/** Whose messages: those of threads, of a sender wherever it wrote, or all. */
export type HistorySource =
  | { readonly threads: readonly string[] }
  | { readonly sender: string }
  | { readonly everything: true }

export interface HistoryQuery {
  readonly source: HistorySource
  /** Where the page begins; null: at the end that `ascending` says. */
  readonly from: Position | null
  /** Where it ends at the latest. */
  readonly to: Position | null
  /** From old to new. */
  readonly ascending: boolean
  readonly limit: number
  /** Only messages of this `_lctype`. */
  readonly type: number | null
}

/** What histories of an app are read from. */
interface StoredHistory {
  readonly database: Database
  readonly tables: Pick<MessagingTables, 'messages'>
  readonly longPages: LongPages
}

/**
 * A page of history, in the order of the query. It costs the same at any depth: each source is a range of an index
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
  return longPages.readInTurn(query.limit, principal, async () => {
    const { rows } = await database.search(statement, principal)
    return rows.map(messageOf)
  })
}

/** `_lctype` of plain texts. */
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
  // A message to several subscribers is there once for each; only outside of threads they meet.
  const once = raw('threads' in query.source ? '' : 'DISTINCT ON (ts, id)')
  return sql`
    SELECT ${once} ${MESSAGE_COLUMNS}
    FROM ${messages}
    WHERE ${join(conditions, ' AND ')}
    ${orderOf(query)}
    LIMIT ${query.limit}::bigint`
}

/** An index holds the messages that are no text; it serves conditions that say so. */
function ofType(type: number): Sql {
  return sql`type = ${type}::integer${raw(type === TEXT ? '' : ' AND type <> -1')}`
}

/** Later than the position, or earlier. A position without an id is before and after all messages of its time. */
function beyond({ ts, id, included }: Position, later: boolean): Sql {
  const operator = raw((later ? '>' : '<') + (included ? '=' : ''))
  if (id === null) return sql`ts ${operator} ${ts}::bigint`
  return sql`(ts, id) ${operator} (${ts}::bigint, ${id})`
}

function orderOf({ ascending }: HistoryQuery): Sql {
  return ascending ? raw('ORDER BY ts, id') : raw('ORDER BY ts DESC, id DESC')
}
