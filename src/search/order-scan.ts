import type { Row } from '../database/row.ts'
import { join, raw, type Sql, sql } from '../database/sql.ts'
import type { Caller } from '../objects/access/caller.ts'
import type { ClassSchema } from '../objects/classes/class-schema.ts'
import type { ResultRoom } from '../objects/large-results.ts'
import { readableRows } from '../objects/store.ts'
import { keyExpression, sortDirection, systemColumn } from '../objects/where/columns.ts'
import type { Ordering } from '../objects/where/tree.ts'
import { fromTable } from './execution/candidates.ts'
import { afterPosition, newestFirst, type SortKey, sortValue } from './order.ts'
import { numbered, type PageQuery, rowOf, type SearchedClass } from './page-query.ts'
import type { Search } from './search.ts'

/** Maximum objects scanned for one page. */
const MAX_SCANNED = 20_000

/**
 * An order that an index of the class can provide, so that a page of a query with many matches is found by scanning the start of
 * the index.
 */
export interface OrderScan {
  readonly searched: SearchedClass
  readonly order: readonly Ordering[]
}

/**
 * Returns the scan order for a search; null when there is none. It consists of one field, followed only by fields that every
 * object has: where values are missing, the order of a search differs from that of an index.
 */
export function scanFor(classes: readonly SearchedClass[], keys: readonly SortKey[]): OrderScan | null {
  const [searched, ...others] = classes
  if (!searched || others.length > 0 || searched.index.serverIndex !== null) return null
  const order: Ordering[] = []
  for (const { by, descending } of keys) {
    if (by === 'score' || 'from' in by) return null
    const isOrdered = order.length === 0 ? hasValuesInOrder(searched.schema, by.field) : systemColumn(by.field) !== null
    if (!isOrdered) return null
    order.push({ path: [by.field], descending })
  }
  return { searched, order }
}

/** Returns whether the values of a field have the same order in its index as in a search. */
function hasValuesInOrder(schema: ClassSchema, field: string): boolean {
  if (systemColumn(field) !== null) return true
  const type = schema.fields.get(field)?.type.type
  return type === 'String' || type === 'Number' || type === 'Boolean' || type === 'Date'
}

/**
 * Returns a page by scanning an index in the requested order. Exact for any number of matches.
 * @returns null when the class has no index of this order, or the page is not complete after the maximum of scanned objects
 * @throws ApiError 124, 403
 */
export async function scanInOrder(
  search: Search,
  { searched, order }: OrderScan,
  query: PageQuery,
  caller: Caller,
  room: ResultRoom,
): Promise<readonly Row[] | null> {
  const { schema } = searched
  const { keys, cursor, limit, skip } = query
  if (!(await search.objects.indexes.isReady(schema, order))) return null
  const { from, condition } = fromTable({
    ...searched,
    compiled: { ...searched.compiled, ranked: [] },
    caller,
    limit: MAX_SCANNED,
    newest: cursor?.newest ?? null,
    isLengthKnown: false,
  })
  const items = order.map(({ path: [field], descending }) => ({
    key: keyExpression(field, schema.fields.get(field)?.type),
    direction: sortDirection(field, descending),
  }))
  const idDirection = raw(newestFirst(keys) ? 'DESC' : 'ASC')
  const scanned = items.map(({ direction }, index) => sql`s${raw(String(index))} ${direction}`)
  const values = keys.map((key, index) => sql`, ${sortValue(key, schema, caller)} AS ${raw(`k${index}`)}`)
  const columns = keys.map((_, index) => raw(`, k${index}`))
  const { rows } = await search.objects.database.search(
    sql`
      WITH page AS MATERIALIZED (
        ${numbered(
          sql`
        SELECT class, found_id ${join(columns, '')}
        FROM (
          SELECT
            *, 0 AS class, id AS found_id
            ${join(
              items.map(({ key }, index) => sql`, ${key} AS s${raw(String(index))}`),
              '',
            )}
            ${join(values, '')}
          FROM ${schema.table}
          WHERE ${beginning(searched.schema, query)}
          ORDER BY ${join(
            items.map(({ key, direction }) => sql`${key} ${direction}`),
            ', ',
          )}, id ${idDirection}
          LIMIT ${raw(String(MAX_SCANNED))}
        ) AS walked
        JOIN ${from} ON object_id = id
        WHERE ${condition}
          AND ${readableRows(search.objects, schema.name, caller)}
          ${cursor ? sql`AND ${afterPosition(keys, cursor)}` : raw('')}
        ORDER BY ${join(scanned, ', ')}, id ${idDirection}
        LIMIT ${limit}::bigint OFFSET ${skip}::bigint`,
          keys,
        )}
      )
      SELECT class ${join(
        keys.map((_, index) => raw(`, k${index}::text AS k${index}`)),
        '',
      )}, object.*
      FROM page CROSS JOIN LATERAL (${rowOf(search, schema, 0, caller)}) AS object
      ORDER BY place`,
    caller.origin?.principal,
    room.sizeOf,
    room.begin,
  )
  return rows.length === limit ? rows : null
}

/** Returns the condition for the start of the scan: objects with a value, after the cursor. */
function beginning(schema: ClassSchema, { keys, cursor }: PageQuery): Sql {
  const [{ by, descending }] = keys as [SortKey & { readonly by: { readonly field: string } }]
  const type = schema.fields.get(by.field)?.type
  const key = keyExpression(by.field, type)
  const isSystem = systemColumn(by.field) !== null
  const hasValue = isSystem
    ? raw('TRUE')
    : type?.type === 'String'
      ? sql`${key} IS NOT NULL`
      : sql`${key} > 'null'::jsonb`
  const cursorValue = cursor?.values[0]
  if (cursorValue === undefined || cursorValue === null) return hasValue
  const comparison = raw(descending ? '<=' : '>=')
  return sql`${hasValue} AND ${key} ${comparison} ${asKey(by.field, type?.type, cursorValue)}`
}

/** Converts a sort value to a value of the index. @param cursorValue JSON text from `sortValue` */
function asKey(field: string, type: string | undefined, cursorValue: string): Sql {
  const text = sql`(${cursorValue}::jsonb #>> '{}')`
  switch (field) {
    case 'objectId':
      return text
    case 'createdAt':
    case 'updatedAt':
      return sql`(${text} || 'Z')::timestamptz`
  }
  if (type === 'String') return text
  return type === 'Date' ? sql`jsonb_build_object('__type', 'Date', 'iso', ${text})` : sql`${cursorValue}::jsonb`
}
