import type { Executor } from '../../database/pool.ts'
import { identifier, join, raw, type Sql, sql } from '../../database/sql.ts'
import { errors } from '../../errors.ts'
import { typeOf } from '../../messaging/message.ts'
import type { Messaging } from '../../messaging/messaging.ts'
import { type MovedColumn, type MovedTableName, movedTable } from '../../messaging/moved-tables.ts'
import { isJsonObject, type Json, type JsonObject, parseJson } from '../../values/json.ts'

/** A row of a table of messaging, by its columns. */
export type MessagingRow = JsonObject

/** Characters of a message, an id or a name. Clients may send far less; what other servers took is kept. */
const MAX_CONTENT = 1024 * 1024
const MAX_NAME = 300
const MAX_NAMES = 10_000

/**
 * Reads a line of messaging (docs/moving-in.md, The way out). A message is an item of GET /1.2/rtm/messages
 * (protocol/messaging, Message); all else is the row.
 * @throws ApiError that names what cannot be taken
 */
export function parseMessagingRow(name: MovedTableName, text: string): MessagingRow {
  const line = parseJson(text, 'The line')
  if (!isJsonObject(line)) throw errors.malformedJson('The line must be a JSON object.')
  const given = name === 'messages' ? messageRow(line) : line
  return Object.fromEntries(
    movedTable(name).columns.map((column) => [column.name, checkedValue(column, given[column.name] ?? null)]),
  )
}

function messageRow(item: JsonObject): JsonObject {
  const content = item.data ?? null
  const bin = item.bin ?? false
  return {
    thread: item.thread ?? item['conv-id'] ?? null,
    ts: item.timestamp ?? null,
    id: item['msg-id'] ?? null,
    conv_id: item['conv-id'] ?? null,
    sender: item.from ?? null,
    content,
    bin,
    token: item.token ?? null,
    mention_all: item['mention-all'] ?? false,
    mentions: item.mentions ?? null,
    receipt: item.receipt ?? false,
    type: typeof content === 'string' ? typeOf(content, bin === true) : null,
    ip: item['from-ip'] === '' ? null : (item['from-ip'] ?? null),
    patched_at: item['patched-at'] ?? null,
    recalled: item.recalled ?? false,
  }
}

function checkedValue({ name, type, optional }: MovedColumn, value: Json): Json {
  if (value === null && optional) return null
  if (!isOfType(type, name, value)) throw errors.incorrectType(`'${name}' must be ${IN_WORDS[type]}.`)
  return value
}

const IN_WORDS: { readonly [type in MovedColumn['type']]: string } = {
  text: 'a text',
  bigint: 'a time in milliseconds',
  integer: 'a number',
  boolean: 'true or false',
  'text[]': 'a list of texts',
  jsonb: 'an object',
}

function isOfType(type: MovedColumn['type'], name: string, value: Json): boolean {
  switch (type) {
    case 'text':
      return isText(value, name === 'content' ? MAX_CONTENT : MAX_NAME)
    case 'bigint':
      return Number.isSafeInteger(value) && Number(value) >= 0
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

/** PostgreSQL stores no NUL. */
function isText(value: Json, most: number): value is string {
  return typeof value === 'string' && value.length <= most && !value.includes('\0') && value.isWellFormed()
}

/**
 * Writes rows; one that is here already stays, or moves forward where it is a mark. No two of them have the same key.
 * @returns whether each that was not as it is was new
 */
export async function writeMessagingRows(
  transaction: Executor,
  { tables }: Pick<Messaging, 'tables'>,
  name: MovedTableName,
  rows: readonly MessagingRow[],
): Promise<{ readonly isNew: boolean }[]> {
  const { columns, key, onConflict } = movedTable(name)
  const names = join(
    columns.map((column) => identifier(column.name)),
    ', ',
  )
  const given = sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS given (${join(columns.map(typed), ', ')})`
  // Locked in one order, so that two batches never wait for each other.
  const written = await transaction.query(sql`
    INSERT INTO ${tables[name]} AS stored (${names})
    SELECT ${names}
    FROM ${given}
    ORDER BY ${join(
      key.map((column) => sql`${identifier(column)}${isTextColumn(columns, column) ? raw(' COLLATE "C"') : raw('')}`),
      ', ',
    )}
    ON CONFLICT ${onConflict}
    RETURNING xmax = 0 AS is_new`)
  if (name === 'messages') await advanceThreads(transaction, tables.threads, given)
  return written.map((row) => ({ isNew: row.is_new === true }))
}

function isTextColumn(columns: readonly MovedColumn[], column: string): boolean {
  return columns.find(({ name }) => name === column)!.type === 'text'
}

function typed({ name, type }: MovedColumn): Sql {
  return sql`${identifier(name)} ${raw(type)}`
}

/** The next message of a conversation comes behind all that were imported. */
async function advanceThreads(transaction: Executor, threads: Sql, given: Sql): Promise<void> {
  await transaction.query(sql`
    INSERT INTO ${threads} AS stored (conv_id, last_ts, before_ts)
    SELECT conv_id, max(ts), 0
    FROM ${given}
    GROUP BY conv_id
    ORDER BY conv_id COLLATE "C"
    ON CONFLICT (conv_id) DO UPDATE
    SET before_ts = stored.last_ts, last_ts = excluded.last_ts
    WHERE excluded.last_ts > stored.last_ts`)
}
