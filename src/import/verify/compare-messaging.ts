import { boolean, type Decoder, entry, jsonOrNull, number, rowDecoder, text } from '../../database/decode-row.ts'
import { join, raw, type Sql, sql } from '../../database/sql.ts'
import { ApiError } from '../../errors.ts'
import { type MovedTable, type MovedTableName, movedTable } from '../../messaging/moved-tables.ts'
import { conversationTable } from '../../messaging/records/conversation-class.ts'
import type { Json, JsonObject } from '../../values/json.ts'
import { type FieldDifference, KEY_SEPARATOR, shownKey } from '../verification.ts'
import { findThreads } from '../write/messaging/find-threads.ts'
import { type GivenMessage, parseMessage } from '../write/messaging/message-lines.ts'
import { type MessagingRow, parseMessagingRow } from '../write/messaging/messaging-rows.ts'
import { changesOf } from '../write/rewrite-urls.ts'
import type { Comparison, Found } from './comparison.ts'
import type { Rewriting, VerifyApp } from './verify-app.ts'

/** A record of messaging at the source. */
interface GivenRecord {
  /** Several rows for a message that is in several threads. */
  readonly rows: readonly MessagingRow[]
  /** Columns whose values the source specifies. */
  readonly said: readonly string[]
  /** A message whose threads must be looked up. */
  readonly message?: GivenMessage
}

/** Members of a message line, with the column that each specifies. A column that the line does not specify may have any value. */
const SAID_BY: { readonly [member: string]: string } = {
  from: 'sender',
  data: 'content',
  bin: 'bin',
  token: 'token',
  'mention-all': 'mention_all',
  mentions: 'mentions',
  receipt: 'receipt',
  'patched-at': 'patched_at',
  recalled: 'recalled',
}

/** Rows of these tables are deleted after delivery, so a missing one is not a difference. */
const PASSING = new Set<MovedTableName>(['notifications', 'kicks'])
/** Marks only move forward, so a mark that is further here is correct. */
const MARKS = new Set<MovedTableName>(['threads', 'reads', 'kicks'])
/** Rows that have expired are not reported as missing. */
const ENDS = ['expires_ts', 'until_ts']
/** Columns that are not compared. */
const UNIMPORTANT: { readonly [table: string]: ReadonlySet<string> } = {
  threads: new Set(['before_ts']),
  reads: new Set(['changed_at']),
}

/**
 * Compares rows of messaging by the columns that the source specifies. Findings contain no values, because messages are private.
 */
export function messagingComparison(
  app: VerifyApp,
  name: MovedTableName,
  rewriting: Rewriting | null,
): Comparison<GivenRecord> {
  const { objects, messaging } = app
  const table = movedTable(name)
  return {
    read: (text) => (name === 'messages' ? readMessage(text) : readRow(name, text)),
    async prepare(given) {
      const messages = given.flatMap(({ message }) => (message ? [message] : []))
      if (messages.length === 0) return given
      const threads = await findThreads(objects.database, conversationTable(app), messages)
      return given.map((one, index) => {
        const thread = threads[index]!
        return thread instanceof ApiError ? thread : { ...one, rows: thread.rows }
      })
    },
    keysOf: ({ rows }) => rows.map((row) => keyOf(table, row)),
    isCompared: () => true,
    async compare(given) {
      const flat = given.flatMap(({ rows, said }, record) => rows.map((row) => ({ row, said, record })))
      const hits = flat.map(({ row }, key) => ({ key, values: { content: row.content ?? null } }))
      const { changes } = rewriting && name === 'messages' ? await changesOf(app, hits, rewriting) : { changes: [] }
      const rewritten = new Map(changes.map(({ key, values }) => [key, values]))
      const lines = flat.map(({ row, said }, index) => ({ row, said, rewritten: rewritten.get(index) ?? {} }))
      const differing = await differingRows(objects.database, messaging.tables[name], table, lines)
      const found: (Found | null)[] = given.map(() => null)
      for (const [index, one] of differing) {
        const { row, record } = flat[index]!
        if (!one.isHere && (PASSING.has(name) || hasEnded(row))) continue
        // A finding that the message is missing in one thread takes precedence over a difference in another.
        if (found[record]?.what !== 'missing') found[record] = foundOf(table, row, one)
      }
      return found
    },
  }
}

function foundOf(table: MovedTable, row: MessagingRow, { isHere, patchedAt, fields }: DifferingRow): Found {
  const id = shownKey(keyOf(table, row))
  if (!isHere) return { what: 'missing', id, changedThere: timeOf(row.ts), changedHere: null, fields: [] }
  const changedThere = timeOf(row.patched_at ?? row.ts)
  return { what: 'different', id, changedThere, changedHere: timeOf(patchedAt) ?? changedThere, fields }
}

function hasEnded(row: MessagingRow): boolean {
  return ENDS.some((column) => typeof row[column] === 'number' && row[column] <= Date.now())
}

/** Returns the key of a message, which sorts like its columns. */
export function messageKey(thread: string, ts: number, id: string): string {
  return [thread, String(ts).padStart(16, '0'), id].join(KEY_SEPARATOR)
}

const [THREAD, TS, ID] = [text('thread'), number('ts'), text('id')]

function keyOf({ name, key }: MovedTable, row: MessagingRow): string {
  return name === 'messages'
    ? messageKey(THREAD.read(row.thread), TS.read(row.ts), ID.read(row.id))
    : key.map((column) => row[column]).join(KEY_SEPARATOR)
}

function timeOf(ts: Json | undefined): string | null {
  return typeof ts === 'number' && ts < 8e15 ? new Date(ts).toISOString() : null
}

function readRow(name: Exclude<MovedTableName, 'messages'>, text: string): GivenRecord {
  const said = movedTable(name).columns.map((column) => column.name)
  return { rows: [parseMessagingRow(name, text)], said: said.filter((column) => !UNIMPORTANT[name]?.has(column)) }
}

function readMessage(text: string): GivenRecord {
  const message = parseMessage(text)
  const line = JSON.parse(text) as JsonObject
  const said = Object.keys(SAID_BY).filter((member) => Object.hasOwn(line, member))
  return { rows: [message.row], said: said.map((member) => SAID_BY[member]!), message }
}

interface DifferingRow {
  readonly isHere: boolean
  readonly patchedAt: number | null
  readonly fields: readonly FieldDifference[]
}

/** @returns missing or different rows, by index */
async function differingRows(
  database: VerifyApp['objects']['database'],
  stored: Sql,
  { name, columns, key }: MovedTable,
  given: readonly { readonly row: MessagingRow; readonly said: readonly string[]; readonly rewritten: JsonObject }[],
): Promise<Map<number, DifferingRow>> {
  const typeOf = new Map(columns.map((column) => [column.name, column.type]))
  // `key` and the types come from our own table definitions.
  const matching = join(
    key.map((column) => sql`stored.${raw(column)} = (given.row->>${column}::text)::${raw(typeOf.get(column)!)}`),
    ' AND ',
  )
  const differs = MARKS.has(name)
    ? sql`CASE jsonb_typeof(theirs.value)
        WHEN 'number' THEN (to_jsonb(stored)->>theirs.key)::bigint < (theirs.value)::bigint
        WHEN 'boolean' THEN theirs.value = 'true'::jsonb AND to_jsonb(stored)->theirs.key = 'false'::jsonb
        ELSE false END`
    : sql`to_jsonb(stored)->theirs.key IS DISTINCT FROM theirs.value
        AND (to_jsonb(stored)->theirs.key = given.rewritten->theirs.key) IS NOT TRUE`
  const lines = given.map(({ row, said, rewritten }) => ({
    row,
    said: Object.fromEntries(said.map((one) => [one, row[one]!])),
    rewritten,
  }))
  const { rows } = await database.search(sql`
    SELECT place, ${raw(`stored.${key[0]!}`)} IS NOT NULL AS is_here,
      to_jsonb(stored)->>'patched_at' AS patched_at, differing.columns
    FROM (
      SELECT line->'row' AS row, line->'said' AS said, line->'rewritten' AS rewritten, place
      FROM jsonb_array_elements(${JSON.stringify(lines)}::jsonb) WITH ORDINALITY AS given (line, place)
    ) AS given
    LEFT JOIN ${stored} AS stored ON ${matching}
    LEFT JOIN LATERAL (
      SELECT jsonb_agg(theirs.key ORDER BY theirs.key) AS columns
      FROM jsonb_each(given.said) AS theirs
      WHERE ${differs}
    ) AS differing ON true
    WHERE ${raw(`stored.${key[0]!}`)} IS NULL OR differing.columns IS NOT NULL`)
  return new Map(rows.map(indexed))
}

const indexed: Decoder<readonly [index: number, DifferingRow]> = entry(
  number('place', (number) => number - 1),
  rowDecoder({
    isHere: boolean('is_here'),
    patchedAt: number.orNull('patched_at'),
    fields: (row) => (columnsOf(row) ?? []).map((field) => ({ field, there: null, here: null })),
  }),
)

const columnsOf = jsonOrNull<readonly string[]>('columns')
