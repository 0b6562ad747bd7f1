import { randomBytes } from 'node:crypto'
import type { Row } from '../database/pool.ts'
import { literal, raw, type Sql, sql } from '../database/sql.ts'
import { errors } from '../errors.ts'
import type { Json } from '../values/json.ts'
import { checkKeyName } from '../values/names.ts'
import type { Caller } from './caller.ts'
import type { ClassSchema } from './class-schema.ts'
import { presentRows } from './present.ts'
import {
  DEFAULT_LIMIT,
  MAX_LIMIT,
  type Parameters,
  parseView,
  parseWhereParameter,
  type View,
} from './query-parameters.ts'
import { type ObjectStore, whereContext } from './store.ts'
import { whereToSql } from './where/to-sql.ts'
import type { Where } from './where/tree.ts'

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

/** spec/1, States: a cursor is valid for 10 minutes. */
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
    view: parseView({ ...parameters, returnACL: undefined }),
  }
}

/** Default 100, maximum 1000 (spec/1, Limits). */
function scanSize(raw: Json | undefined): number {
  const limit = Number(raw ?? DEFAULT_LIMIT)
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
  const sortKey = sortKeyOf(schema, key)
  const rows = await store.database.search(
    sql`
      SELECT id, created_at, updated_at, data, (${sortKey.value})::text AS position
      FROM ${schema.table}
      WHERE ${query.where ? whereToSql(query.where, className, whereContext(store, caller)) : raw('TRUE')}
        AND ${position ? behind(sortKey, position) : raw('TRUE')}
      ORDER BY ${ordering(sortKey, descending)}
      LIMIT ${query.limit}::bigint`,
    (row) => (row.data as string).length,
  )
  const results = await presentRows(store, schema, rows, query.view, caller)
  const last = rows.at(-1)
  // A page that was cut off for its size is shorter than asked for, but not the last one.
  const isEnd = rows.length < query.limit && sizeOf(rows) < 1024 * 1024
  const cursor =
    last && !isEnd
      ? await keep(store, className, { key, descending, value: textOrNull(last), id: String(last.id) })
      : null
  return { results, cursor }
}

function sizeOf(rows: readonly Row[]): number {
  return rows.reduce((sum, row) => sum + (row.data as string).length, 0)
}

function textOrNull(row: Row): string | null {
  return row.position === null ? null : String(row.position)
}

interface SortKeyColumns {
  readonly value: Sql
  /** An expression that never falls as `value` rises and that an index may hold; null when `value` is indexed itself. */
  readonly coarse: Sql | null
  readonly type: Sql
}

function sortKeyOf(schema: ClassSchema, key: string): SortKeyColumns {
  if (key === 'objectId') return { value: sql`id`, coarse: null, type: raw('text') }
  if (key === 'createdAt') return { value: sql`created_at`, coarse: null, type: raw('timestamptz') }
  if (key === 'updatedAt') return { value: sql`updated_at`, coarse: null, type: raw('timestamptz') }
  if (schema.fields.get(key)?.type.type === 'String') {
    const name = literal(key)
    return { value: sql`data->>${name}`, coarse: sql`left(data->>${name}, 200)`, type: raw('text') }
  }
  return { value: sql`data->${literal(key)}`, coarse: null, type: raw('jsonb') }
}

function ordering({ value, coarse }: SortKeyColumns, descending: boolean): Sql {
  const direction = raw(descending ? 'DESC NULLS LAST' : 'ASC NULLS FIRST')
  const first = coarse ? sql`${coarse} ${direction}, ` : raw('')
  return sql`${first}(${value}) ${direction}, id ${raw(descending ? 'DESC' : 'ASC')}`
}

/** The rows behind a position. Rows without a value come first, or last when the order is descending. */
function behind({ value, coarse, type }: SortKeyColumns, position: Position): Sql {
  const { id, descending } = position
  if (position.value === null) {
    return descending
      ? sql`((${value}) IS NULL AND id < ${id})`
      : sql`(((${value}) IS NULL AND id > ${id}) OR (${value}) IS NOT NULL)`
  }
  const last = sql`${position.value}::text::${type}`
  if (descending) {
    return sql`((${value}) < ${last} OR ((${value}) = ${last} AND id < ${id}) OR (${value}) IS NULL)`
  }
  const bound = coarse ? sql`${coarse} >= left(${position.value}::text, 200)` : sql`(${value}) >= ${last}`
  return sql`(${bound} AND ((${value}) > ${last} OR ((${value}) = ${last} AND id > ${id})))`
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
