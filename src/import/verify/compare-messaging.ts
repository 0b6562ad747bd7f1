import { join, raw, type Sql, sql } from '../../database/sql.ts'
import { targetedThread } from '../../messaging/messages/threads.ts'
import { type MovedTable, type MovedTableName, movedTable } from '../../messaging/moved-tables.ts'
import type { Json, JsonObject } from '../../values/json.ts'
import { type Kind, messagingTable } from '../batch.ts'
import { type FieldDifference, KEY_SEPARATOR, shownKey } from '../verification.ts'
import { parseMessagingRow } from '../write/messaging-rows.ts'
import type { Comparison, Found } from './comparison.ts'
import type { VerifyApp } from './verify-app.ts'

/** A row of messaging that the source has. */
interface GivenRow {
  readonly row: JsonObject
  /** Columns of which the source says what they hold. */
  readonly said: readonly string[]
  /** The subscriber of a system conversation whom a message is for, if it is one; null: the row names its thread. */
  readonly to: string | null
}

/** Members of a line of a message by which it says what a column holds; a column that it does not name may be anything. */
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

/** What these tables have is gone when it has been delivered: that it is missing says nothing. */
const PASSING = new Set<MovedTableName>(['notifications', 'kicks'])
/** Marks only move forward, so one that is further here is as it should be. */
const MARKS = new Set<MovedTableName>(['threads', 'reads', 'kicks'])
/** What has ended by itself is missed by nobody. */
const ENDS = ['expires_ts', 'until_ts']
/** Columns that say nothing by themselves. */
const UNIMPORTANT: { readonly [table: string]: ReadonlySet<string> } = {
  threads: new Set(['before_ts']),
  reads: new Set(['changed_at']),
}

/**
 * Rows of messaging are the same when all that the source says of them is. Nothing of what they hold is told: it is what
 * people wrote to each other.
 */
export function messagingComparison({ objects, messaging }: VerifyApp, of: Kind): Comparison<GivenRow> {
  const name = messagingTable(of.className) ?? 'messages'
  const table = movedTable(name)
  return {
    read: (text) => readRow(name, text),
    keyOf: ({ row }) => keyOf(table, row),
    isCompared: () => true,
    async prepare(given) {
      const unsaid = given.flatMap(({ row, to }) => (to === null ? [] : [String(row.conv_id)]))
      if (unsaid.length === 0) return given
      const rows = await objects.database.query(sql`
        SELECT id
        FROM ${objects.classes.get('_Conversation')!.table}
        WHERE id = ANY(${[...new Set(unsaid)]}::text[]) AND data->'sys' = 'true'::jsonb`)
      const systems = new Set(rows.map(({ id }) => String(id)))
      return given.map((one) => withThread(one, systems))
    },
    async compare(given) {
      const rows = await differingRows(objects.database, messaging.tables[name], table, given)
      const now = Date.now()
      return given.map(({ row }, index): Found | null => {
        const differing = rows.get(index)
        const hasEnded = ENDS.some((column) => typeof row[column] === 'number' && row[column] <= now)
        if (!differing || ((PASSING.has(name) || hasEnded) && !differing.isHere)) return null
        const id = shownKey(keyOf(table, row))
        const there = timeOf(row.patched_at ?? row.ts)
        return differing.isHere
          ? {
              what: 'different',
              id,
              changedThere: there,
              changedHere: timeOf(differing.patchedAt) ?? there,
              fields: differing.fields,
            }
          : { what: 'missing', id, changedThere: timeOf(row.ts), changedHere: null, fields: [] }
      })
    },
  }
}

/** The key of a message here: ordered as its columns are. */
export function messageKey(thread: string, ts: number, id: string): string {
  return [thread, String(ts).padStart(16, '0'), id].join(KEY_SEPARATOR)
}

function keyOf({ name, key }: MovedTable, row: JsonObject): string {
  return name === 'messages'
    ? messageKey(String(row.thread), Number(row.ts), String(row.id))
    : key.map((column) => String(row[column])).join(KEY_SEPARATOR)
}

function timeOf(ts: Json | undefined): string | null {
  return typeof ts === 'number' && ts < 8e15 ? new Date(ts).toISOString() : null
}

function readRow(name: MovedTableName, text: string): GivenRow {
  const row = parseMessagingRow(name, text)
  if (name !== 'messages') {
    const said = movedTable(name).columns.map((column) => column.name)
    return { row, said: said.filter((column) => !UNIMPORTANT[name]?.has(column)), to: null }
  }
  const line = JSON.parse(text) as JsonObject
  const said = Object.keys(SAID_BY).filter((member) => Object.hasOwn(line, member))
  const to = typeof line.to === 'string' && line.to !== '' ? line.to : String(row.conv_id)
  return { row, said: said.map((member) => SAID_BY[member]!), to: typeof line.thread === 'string' ? null : to }
}

/** Messages of a system conversation that are for one client alone have a thread of their own. */
function withThread(given: GivenRow, systems: ReadonlySet<string>): GivenRow {
  if (given.to === null) return given
  const convId = String(given.row.conv_id)
  const thread = systems.has(convId) && given.to !== convId ? targetedThread(convId, given.to) : convId
  return { ...given, row: { ...given.row, thread } }
}

interface DifferingRow {
  readonly isHere: boolean
  readonly patchedAt: number | null
  readonly fields: readonly FieldDifference[]
}

/** @returns what is missing or different, by index */
async function differingRows(
  database: VerifyApp['objects']['database'],
  stored: Sql,
  { name, columns, key }: MovedTable,
  given: readonly GivenRow[],
): Promise<Map<number, DifferingRow>> {
  const typeOf = new Map(columns.map((column) => [column.name, column.type]))
  // `key` and the types are of our own making.
  const matching = join(
    key.map((column) => sql`stored.${raw(column)} = (given.row->>${column}::text)::${raw(typeOf.get(column)!)}`),
    ' AND ',
  )
  const differs = MARKS.has(name)
    ? sql`CASE jsonb_typeof(theirs.value)
        WHEN 'number' THEN (to_jsonb(stored)->>theirs.key)::bigint < (theirs.value)::bigint
        WHEN 'boolean' THEN theirs.value = 'true'::jsonb AND to_jsonb(stored)->theirs.key = 'false'::jsonb
        ELSE false END`
    : sql`to_jsonb(stored)->theirs.key IS DISTINCT FROM theirs.value`
  const lines = given.map(({ row, said }) => ({ row, said: Object.fromEntries(said.map((one) => [one, row[one]!])) }))
  const { rows } = await database.search(sql`
    SELECT place, ${raw(`stored.${key[0]!}`)} IS NOT NULL AS is_here,
      to_jsonb(stored)->>'patched_at' AS patched_at, differing.columns
    FROM (
      SELECT line->'row' AS row, line->'said' AS said, place
      FROM jsonb_array_elements(${JSON.stringify(lines)}::jsonb) WITH ORDINALITY AS given (line, place)
    ) AS given
    LEFT JOIN ${stored} AS stored ON ${matching}
    LEFT JOIN LATERAL (
      SELECT jsonb_agg(theirs.key ORDER BY theirs.key) AS columns
      FROM jsonb_each(given.said) AS theirs
      WHERE ${differs}
    ) AS differing ON true
    WHERE ${raw(`stored.${key[0]!}`)} IS NULL OR differing.columns IS NOT NULL`)
  return new Map(
    rows.map((row) => {
      const names = JSON.parse(String(row.columns ?? '[]')) as unknown
      const fields = (Array.isArray(names) ? names : []).map((field) => ({
        field: String(field),
        there: null,
        here: null,
      }))
      const patchedAt = row.patched_at === null ? null : Number(row.patched_at)
      return [Number(row.place) - 1, { isHere: row.is_here === true, patchedAt, fields }] as const
    }),
  )
}
