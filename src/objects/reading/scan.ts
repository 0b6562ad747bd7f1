import { randomBytes } from 'node:crypto'
import type { Row } from '../../database/row.ts'
import { raw, type Sql, sql } from '../../database/sql.ts'
import { errors } from '../../errors.ts'
import { type Json, numberOf } from '../../values/json.ts'
import { checkKeyName } from '../../values/names.ts'
import type { Caller } from '../access/caller.ts'
import type { ClassSchema } from '../classes/class-schema.ts'
import {
  DEFAULT_LIMIT,
  MAX_LIMIT,
  type Parameters,
  parseView,
  parseWhereParameter,
  type View,
} from '../query-parameters.ts'
import { type ObjectStore, whereContext } from '../store.ts'
import {
  KEY_LENGTH,
  sortDirection,
  systemColumn,
  textExpression,
  textKeyExpression,
  valueExpression,
} from '../where/columns.ts'
import { whereToSql } from '../where/to-sql.ts'
import type { Where } from '../where/tree.ts'
import { presentRows } from './present.ts'

export interface ScanQuery {
  readonly where: Where | null
  readonly limit: number
  readonly key: string
  readonly descending: boolean
  readonly cursor: string | null
  readonly view: View
}

/** Where a scan stands: the key and the id of the last object that was given out. */
interface Position {
  readonly key: string
  readonly descending: boolean
  readonly value: string | null
  readonly id: string
}

/** protocol/storage, Export: a cursor is valid for 10 minutes. */
const CURSOR_LIFETIME = 10 * 60 * 1000

export function parseScanQuery(parameters: Parameters): ScanQuery {
  const scanKey = parameters.scan_key ?? 'objectId'
  if (typeof scanKey !== 'string') throw errors.invalidQuery("The parameter 'scan_key' must be a field name.")
  const descending = scanKey.startsWith('-')
  const cursor = parameters.cursor ?? null
  if (cursor !== null && typeof cursor !== 'string') throw errors.invalidQuery("The parameter 'cursor' must be a text.")
  return {
    where: parseWhereParameter(parameters.where),
    limit: scanSize(parameters.limit),
    key: checkKeyName(descending ? scanKey.slice(1) : scanKey),
    descending,
    cursor: cursor || null,
    view: { ...parseView({ ...parameters, returnACL: undefined }), asStored: true },
  }
}

/** Default 100, maximum 1000 (protocol/storage, Limits). */
function scanSize(raw: Json | undefined): number {
  const limit = numberOf(raw ?? DEFAULT_LIMIT)
  return Number.isInteger(limit) && limit >= 1 ? Math.min(limit, MAX_LIMIT) : DEFAULT_LIMIT
}

/**
 * One page of a traversal of a class. Each page starts behind the last object of the one before, so objects that are
 * written or deleted meanwhile neither hide nor repeat others.
 * @returns the objects as JSON texts, and the cursor of the next page; null when the end was reached
 * @throws ApiError 101 when the class does not exist, 102 when the cursor is unknown or has expired
 */
export async function scanObjects(
  store: ObjectStore,
  className: string,
  query: ScanQuery,
  caller: Caller,
): Promise<{ results: string[]; cursor: string | null }> {
  const schema = await store.classes.find(className)
  const position = query.cursor === null ? null : await positionOf(store, className, query.cursor)
  const key = position?.key ?? query.key
  const descending = position?.descending ?? query.descending
  const columns = columnsOf(schema, key)
  const condition = query.where ? whereToSql(query.where, className, whereContext(store, caller)) : raw('TRUE')
  const rows: Row[] = []
  for (const segment of segmentsBehind(columns, descending, position)) {
    const { rows: found, milliseconds } = await store.database.search(
      sql`
        SELECT id, created_at, updated_at, data, (${columns.value})::text AS position
        FROM ${schema.table}
        WHERE ${condition} AND ${segment}
        ORDER BY ${ordering(columns, key, descending)}
        LIMIT ${query.limit - rows.length}::bigint`,
      caller.origin?.party,
      (row) => (row.data as string).length,
    )
    store.indexes.observe(schema, query.where, [{ path: [key], descending }], milliseconds)
    rows.push(...found)
    if (rows.length >= query.limit || sizeOf(rows) >= LARGE_PAGE) break
  }
  const results = await presentRows(store, schema, rows, query.view, caller)
  const last = rows[results.length - 1]
  const isCut = results.length < rows.length || sizeOf(rows) >= LARGE_PAGE
  const isEnd = rows.length < query.limit && !isCut
  const cursor =
    last && !isEnd
      ? await keep(store, className, { key, descending, value: textOrNull(last), id: String(last.id) })
      : null
  return { results, cursor }
}

/** Bytes from which on a page may have been cut off for its size: then it is shorter than asked for, but not the last. */
const LARGE_PAGE = 1024 * 1024

function sizeOf(rows: readonly Row[]): number {
  return rows.reduce((sum, row) => sum + (row.data as string).length, 0)
}

function textOrNull(row: Row): string | null {
  return row.position === null ? null : String(row.position)
}

interface ScanColumns {
  readonly value: Sql
  /** An expression that never falls as `value` rises and that an index may hold; null when `value` is indexed itself. */
  readonly coarse: Sql | null
  readonly type: Sql
  /** Whether objects may lack the value. */
  readonly nullable: boolean
}

function columnsOf(schema: ClassSchema, key: string): ScanColumns {
  const column = systemColumn(key)
  if (column)
    return { value: column, coarse: null, type: raw(key === 'objectId' ? 'text' : 'timestamptz'), nullable: false }
  if (schema.fields.get(key)?.type.type === 'String') {
    return { value: textExpression(key), coarse: textKeyExpression(key), type: raw('text'), nullable: true }
  }
  return { value: valueExpression(key), coarse: null, type: raw('jsonb'), nullable: true }
}

function ordering({ value, coarse }: ScanColumns, key: string, descending: boolean): Sql {
  const direction = sortDirection(key, descending)
  const id = raw(descending ? 'id DESC' : 'id')
  if (key === 'objectId') return id
  return coarse ? sql`${coarse} ${direction}, ${value} ${direction}, ${id}` : sql`${value} ${direction}, ${id}`
}

/**
 * The rows behind a position, in parts that follow each other: rows without a value come first, or last when the order is
 * descending. Each part is one range of an index, so that a page costs the same wherever it begins.
 */
function segmentsBehind(columns: ScanColumns, descending: boolean, position: Position | null): Sql[] {
  const { value, nullable } = columns
  if (!nullable) return [position ? valuesBehind(columns, position) : raw('TRUE')]
  const values = sql`${value} IS NOT NULL`
  const nulls = sql`${value} IS NULL`
  if (!position) return descending ? [values, nulls] : [nulls, values]
  if (position.value === null) {
    const rest = sql`(${nulls} AND id ${raw(descending ? '<' : '>')} ${position.id})`
    return descending ? [rest] : [rest, values]
  }
  const behind = valuesBehind(columns, position)
  return descending ? [behind, nulls] : [behind]
}

function valuesBehind({ value, coarse, type }: ScanColumns, { value: last, id, key, descending }: Position): Sql {
  const after = raw(descending ? '<' : '>')
  if (key === 'objectId') return sql`${value} ${after} ${id}`
  const bound = sql`${last}::text::${type}`
  const range = coarse
    ? sql`${coarse} ${after}= left(${last}::text, ${raw(String(KEY_LENGTH))})`
    : sql`${value} ${after}= ${bound}`
  return sql`(${range} AND (${value} ${after} ${bound} OR (${value} = ${bound} AND id ${after} ${id})))`
}

async function keep(store: ObjectStore, className: string, position: Position): Promise<string> {
  const cursor = randomBytes(12).toString('base64url')
  const expires = new Date(Date.now() + CURSOR_LIFETIME).toISOString()
  await store.database.query(sql`
    INSERT INTO ${store.scans} (cursor, class_name, position, expires_at)
    VALUES (${cursor}, ${className}, ${JSON.stringify(position)}::jsonb, ${expires}::timestamptz)`)
  return cursor
}

/** Cursors stay valid after their use, so that a page whose answer got lost can be asked for again. */
async function positionOf(store: ObjectStore, className: string, cursor: string): Promise<Position> {
  const now = new Date().toISOString()
  const [row] = await store.database.query(sql`
    WITH expired AS (DELETE FROM ${store.scans} WHERE expires_at <= ${now}::timestamptz)
    SELECT position
    FROM ${store.scans}
    WHERE cursor = ${cursor} AND class_name = ${className} AND expires_at > ${now}::timestamptz`)
  if (!row) throw errors.invalidQuery("The 'cursor' is unknown or has expired; cursors are valid for 10 minutes.")
  return JSON.parse(String(row.position)) as Position
}
