import { copyText } from '../../../database/copy.ts'
import { boolean, rowDecoder } from '../../../database/decode-row.ts'
import type { Executor, Transaction } from '../../../database/pool.ts'
import { arrayLiteral, identifier, join, raw, type Sql, sql } from '../../../database/sql.ts'
import { errors } from '../../../errors.ts'
import type { MessagingTables } from '../../../messaging/messaging-tables.ts'
import { type MovedColumn, type MovedTableName, movedTable } from '../../../messaging/moved-tables.ts'
import { type Notice, notice } from '../../../notices/notice.ts'
import { isJsonObject, type Json, type JsonObject, parseJson } from '../../../values/json.ts'

/** A row of a messaging table, by column. */
export type MessagingRow = JsonObject

/** Maximum characters of a message, an id or a name: ten times the current limits, because the source may have allowed more. */
const MAX_CONTENT = 64 * 1024
const MAX_NAME = 300
const MAX_NAMES = 10_000
/** Maximum milliseconds by which the clock of the source may be ahead. */
const AHEAD = 24 * 60 * 60_000
/** Times that may be in the future. For other columns, a future time would sort before all later messages. */
const FUTURE = new Set(['until_ts', 'expires_ts'])

/**
 * Parses a row of messaging in an export (docs/moving-in-reference.md, Files of an export). Messages are parsed by
 * `message-lines.ts`.
 * @throws ApiError that names the invalid value
 */
export function parseMessagingRow(name: Exclude<MovedTableName, 'messages'>, text: string): MessagingRow {
  const line = parseJson(text, notice('theLine'))
  if (!isJsonObject(line)) throw errors.malformedJson(notice('lineNotObject'))
  return Object.fromEntries(
    movedTable(name).columns.map((column) => [column.name, checkedValue(column, line[column.name], column.name)]),
  )
}

/**
 * @param called the name of the value in the source
 * @throws ApiError with that name
 */
export function checkedValue(column: MovedColumn, value: Json | undefined, called: string): Json {
  if (value === undefined || value === null) {
    if (column.optional) return null
    throw errors.incorrectType(notice('mustBeGiven', { name: called, expected: inWords(column) }))
  }
  if (!isOfColumn(column, value))
    throw errors.incorrectType(notice('mustBe', { name: called, expected: inWords(column) }))
  return value
}

function inWords({ name, type }: MovedColumn): Notice {
  if (type === 'text') return notice('aTextUpTo', { maximum: name === 'content' ? MAX_CONTENT : MAX_NAME })
  if (type === 'bigint') return notice(FUTURE.has(name) ? 'aTimeInMs' : 'aPastTimeInMs')
  return {
    integer: notice('aNumber'),
    boolean: notice('aBoolean'),
    'text[]': notice('aListOfTexts'),
    jsonb: notice('anObject'),
  }[type]
}

function isOfColumn({ name, type }: MovedColumn, value: Json): boolean {
  switch (type) {
    case 'text':
      return isText(value, name === 'content' ? MAX_CONTENT : MAX_NAME)
    case 'bigint':
      return (
        Number.isSafeInteger(value) && Number(value) >= 0 && (FUTURE.has(name) || Number(value) <= Date.now() + AHEAD)
      )
    case 'integer':
      return Number.isSafeInteger(value) && Math.abs(Number(value)) < 2 ** 31
    case 'boolean':
      return typeof value === 'boolean'
    case 'text[]':
      return Array.isArray(value) && value.length <= MAX_NAMES && value.every((one) => isText(one, MAX_NAME))
    case 'jsonb':
      return isJsonObject(value) && !JSON.stringify(value).includes('\\u0000')
  }
}

/** Returns whether PostgreSQL can store a value as text, which excludes NUL. */
function isText(value: Json, max: number): value is string {
  return typeof value === 'string' && value.length <= max && !value.includes('\0') && value.isWellFormed()
}

/**
 * Writes rows of a table.
 * @param rows must have distinct keys
 * @param onConflict how to handle an existing row, named `stored`
 * @returns the keys of the inserted and changed rows, and whether each was new
 */
export async function writeMessagingRows(
  transaction: Executor,
  tables: Pick<MessagingTables, MovedTableName>,
  name: MovedTableName,
  rows: readonly MessagingRow[],
  onConflict: Sql = movedTable(name).onConflict,
): Promise<{ readonly key: string; readonly isNew: boolean }[]> {
  const { columns, key } = movedTable(name)
  const names = namesOf(columns)
  // Rows are locked in one order, so that two batches cannot deadlock.
  const written = await transaction.query(sql`
    INSERT INTO ${tables[name]} AS stored (${names})
    SELECT ${names}
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS given (${join(columns.map(typed), ', ')})
    ORDER BY ${join(
      key.map((column) => sql`${identifier(column)}${isTextColumn(columns, column) ? raw(' COLLATE "C"') : raw('')}`),
      ', ',
    )}
    ON CONFLICT ${onConflict}
    RETURNING xmax = 0 AS is_new, ${join(
      key.map((column) => sql`stored.${identifier(column)}::text AS ${identifier(column)}`),
      ', ',
    )}`)
  const decode = rowDecoder({ key: (row) => keyOf(name, row), isNew: boolean('is_new') })
  return written.map(decode)
}

/**
 * Writes rows that are all new, in a third of the time.
 * @param rows must have distinct keys (`copyRows`)
 * @throws any rejection of the database, also when a row exists; then none is written
 */
export async function copyMessagingRows(
  transaction: Transaction,
  tables: Pick<MessagingTables, MovedTableName>,
  name: MovedTableName,
  rows: string | Uint8Array,
): Promise<void> {
  await transaction.copy(sql`COPY ${tables[name]} (${namesOf(movedTable(name).columns)}) FROM STDIN`, rows)
}

/** Encodes rows in the text format of COPY. */
export function copyRows(name: MovedTableName, rows: readonly MessagingRow[]): string {
  const { columns } = movedTable(name)
  let lines = ''
  for (const row of rows) lines += copyRow(columns, row)
  return lines
}

function copyRow(columns: readonly MovedColumn[], row: MessagingRow): string {
  let line = ''
  for (const { name, type } of columns) line += `${line === '' ? '' : '\t'}${copyValue(type, row[name]!)}`
  return `${line}\n`
}

function copyValue(type: MovedColumn['type'], value: Json): string {
  if (value === null) return copyText(null)
  if (type === 'text') return copyText(value as string)
  if (type === 'text[]') return copyText(arrayLiteral(value as readonly string[]))
  return type === 'jsonb' ? copyText(JSON.stringify(value)) : String(value)
}

/** Returns the primary key of a row as a text. Names contain no NUL. */
export function keyOf(name: MovedTableName, row: { readonly [column: string]: unknown }): string {
  return movedTable(name)
    .key.map((column) => row[column])
    .join('\0')
}

function namesOf(columns: readonly MovedColumn[]): Sql {
  return join(
    columns.map((column) => identifier(column.name)),
    ', ',
  )
}

function isTextColumn(columns: readonly MovedColumn[], column: string): boolean {
  return columns.find(({ name }) => name === column)!.type === 'text'
}

function typed({ name, type }: MovedColumn): Sql {
  return sql`${identifier(name)} ${raw(type)}`
}
