import { text } from '../../database/decode-row.ts'
import type { Row } from '../../database/row.ts'
import { raw, type Sql, sql } from '../../database/sql.ts'
import { errors } from '../../errors.ts'
import { canonicalDate, isDatabaseTime } from '../../values/date.ts'
import type { Caller } from '../access/caller.ts'
import type { ClassSchema } from '../classes/class-schema.ts'
import { checkVisible } from '../classes/field-options.ts'
import type { View } from '../query-parameters.ts'
import { type ObjectStore, shownData, whereContext } from '../store.ts'
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
import { dataOf } from './present-row.ts'

/** The top-level field that orders a page; objects with equal values are ordered by id. */
export interface PageOrder {
  readonly key: string
  readonly descending: boolean
}

/** A query that is read page by page. */
export interface PageQuery extends PageOrder {
  readonly where: Where | null
  readonly limit: number
  readonly view: View
}

/** Position of the last object of a page: the value of its key, as text of its SQL type, or null if it has none; and its id. */
export interface Position {
  readonly value: string | null
  readonly id: string
}

/**
 * Reads the page after a position, for callers with the master key. Its cost does not depend on the position, and concurrent
 * writes neither hide nor repeat other objects.
 * @param position null for the first page
 * @returns the objects as JSON texts, and the position of the next page; null at the end
 * @throws ApiError 101 when the class does not exist, 124 when it takes too long, 403 when the key is hidden from the caller
 */
export async function readPage(
  store: ObjectStore,
  className: string,
  query: PageQuery,
  position: Position | null,
  caller: Caller,
): Promise<{ results: string[]; next: Position | null }> {
  const { key, descending } = query
  const schema = await store.classes.find(className)
  checkVisible(schema, key, caller)
  const columns = columnsOf(schema, key)
  // Callers send positions back, so an invalid value of the type must not reach the database.
  if (position && !(position.value === null ? columns.nullable : columns.isValue(position.value)))
    throw errors.invalidQuery(`The position is not valid for the order of '${key}'.`)
  const condition = query.where ? whereToSql(query.where, className, whereContext(store, caller)) : raw('TRUE')
  const shown = query.view.asStored ? undefined : shownData(store, className, caller)
  return store.results.withRoom(caller.origin?.principal, async (room) => {
    const rows: Row[] = []
    for (const segment of segmentsAfter(columns, query, position)) {
      const { rows: found, milliseconds } = await store.database.search(
        sql`
        SELECT id, created_at, updated_at, acl, ${shown ? sql`${shown} AS data` : raw('data')},
          (${columns.value})::text AS position
        FROM ${schema.table}
        WHERE ${condition} AND ${segment}
        ORDER BY ${ordering(columns, key, descending)}
        LIMIT ${query.limit - rows.length}::bigint`,
        caller.origin?.principal,
        room.sizeOf,
        rows.length === 0 ? room.begin : undefined,
      )
      store.indexes.observe(schema, query.where, [{ path: [key], descending }], milliseconds)
      rows.push(...found)
      if (rows.length >= query.limit || sizeOf(rows) >= LARGE_PAGE) break
    }
    const results = await room.presentQueued(() => presentRows(store, schema, rows, query.view, caller))
    const last = rows[results.length - 1]
    const isCut = results.length < rows.length || sizeOf(rows) >= LARGE_PAGE
    const isEnd = rows.length < query.limit && !isCut
    return { results, next: last && !isEnd ? { value: textOrNull(last), id: text('id')(last) } : null }
  })
}

/** Bytes from which on a page may have been cut off for its size: then it is shorter than requested, but not the last one. */
const LARGE_PAGE = 1024 * 1024

function sizeOf(rows: readonly Row[]): number {
  return rows.reduce((sum, row) => sum + dataOf(row).length, 0)
}

function textOrNull(row: Row): string | null {
  return text.orNull('position')(row)
}

interface PageColumns {
  readonly value: Sql
  /**
   * An expression that never decreases as `value` increases, and that fits into an index; null when `value` itself is indexed.
   */
  readonly coarse: Sql | null
  readonly type: Sql
  /** Returns whether a text is a value of this type. */
  isValue(text: string): boolean
  /** Whether objects may lack the value. */
  readonly nullable: boolean
}

function columnsOf(schema: ClassSchema, key: string): PageColumns {
  const column = systemColumn(key)
  if (column && key === 'objectId')
    return { value: column, coarse: null, type: raw('text'), isValue: isText, nullable: false }
  if (column) return { value: column, coarse: null, type: raw('timestamptz'), isValue: isTime, nullable: false }
  if (schema.fields.get(key)?.type.type === 'String') {
    const value = textExpression(key)
    return { value, coarse: textKeyExpression(key), type: raw('text'), isValue: isText, nullable: true }
  }
  return { value: valueExpression(key), coarse: null, type: raw('jsonb'), isValue: isJson, nullable: true }
}

const isText = (text: string) => !text.includes('\0')
/** Returns whether a text is a timestamp as PostgreSQL prints it in UTC, `2026-11-20 21:27:00.5+00`. */
function isTime(text: string): boolean {
  const iso = text.endsWith('+00') ? canonicalDate(text.replace(' ', 'T')) : null
  return iso !== null && isDatabaseTime(iso)
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return isText(text) && !text.includes('\\u0000')
  } catch {
    return false
  }
}

function ordering({ value, coarse }: PageColumns, key: string, descending: boolean): Sql {
  const direction = sortDirection(key, descending)
  const id = raw(descending ? 'id DESC' : 'id')
  if (key === 'objectId') return id
  return coarse ? sql`${coarse} ${direction}, ${value} ${direction}, ${id}` : sql`${value} ${direction}, ${id}`
}

/**
 * Returns conditions for the rows after a position, in consecutive segments: rows without a value are first, or last in
 * descending order. Each segment is one range of an index, so the cost of a page does not depend on its position.
 */
function segmentsAfter(columns: PageColumns, order: PageOrder, position: Position | null): Sql[] {
  const { value, nullable } = columns
  const { descending } = order
  if (!nullable) return [position ? valuesAfter(columns, order, position) : raw('TRUE')]
  const values = sql`${value} IS NOT NULL`
  const nulls = sql`${value} IS NULL`
  if (!position) return descending ? [values, nulls] : [nulls, values]
  if (position.value === null) {
    const rest = sql`(${nulls} AND id ${raw(descending ? '<' : '>')} ${position.id})`
    return descending ? [rest] : [rest, values]
  }
  const after = valuesAfter(columns, order, position)
  return descending ? [after, nulls] : [after]
}

function valuesAfter(
  { value, coarse, type }: PageColumns,
  { key, descending }: PageOrder,
  { value: last, id }: Position,
): Sql {
  const after = raw(descending ? '<' : '>')
  if (key === 'objectId') return sql`${value} ${after} ${id}`
  const bound = sql`${last}::text::${type}`
  const range = coarse
    ? sql`${coarse} ${after}= left(${last}::text, ${raw(String(KEY_LENGTH))})`
    : sql`${value} ${after}= ${bound}`
  return sql`(${range} AND (${value} ${after} ${bound} OR (${value} = ${bound} AND id ${after} ${id})))`
}
