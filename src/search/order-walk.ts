import type { Row } from '../database/row.ts'
import { join, raw, type Sql, sql } from '../database/sql.ts'
import type { Caller } from '../objects/access/caller.ts'
import type { ClassSchema } from '../objects/classes/class-schema.ts'
import type { ResultRoom } from '../objects/large-results.ts'
import { readableRows } from '../objects/store.ts'
import { keyExpression, sortDirection, systemColumn } from '../objects/where/columns.ts'
import type { Ordering } from '../objects/where/tree.ts'
import { fromTable } from './asking/candidates.ts'
import { behind, newestFirst, type SortKey, sortValue } from './order.ts'
import { numbered, type PageQuery, rowOf, type SearchedClass } from './page-query.ts'
import type { Search } from './search.ts'

/** Objects that are walked over for one page. */
const MAX_WALKED = 20_000

/** An order in which an index of the class can have its objects, so that a page of what many objects have is found at its beginning. */
export interface OrderWalk {
  readonly searched: SearchedClass
  readonly order: readonly Ordering[]
}

/**
 * The walk that may serve a search; null where none does. It is by one field, and by what no object lacks behind it: where
 * values are missing, an order of search is not that of an index.
 */
export function walkFor(classes: readonly SearchedClass[], keys: readonly SortKey[]): OrderWalk | null {
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

/** Whether the values of a field have the same order in its index as in a search. */
function hasValuesInOrder(schema: ClassSchema, field: string): boolean {
  if (systemColumn(field) !== null) return true
  const type = schema.fields.get(field)?.type.type
  return type === 'String' || type === 'Number' || type === 'Boolean' || type === 'Date'
}

/**
 * A page of what is asked for, as an index of its order has it: exact, however many objects match.
 * @returns null when there is no such index, or the page is not found within the objects that are walked over
 * @throws ApiError 124, 403
 */
export async function walkOrder(
  search: Search,
  { searched, order }: OrderWalk,
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
    limit: MAX_WALKED,
    newest: cursor?.newest ?? null,
    isLengthKnown: false,
  })
  const items = order.map(({ path: [field], descending }) => ({
    key: keyExpression(field, schema.fields.get(field)?.type),
    direction: sortDirection(field, descending),
  }))
  const idDirection = raw(newestFirst(keys) ? 'DESC' : 'ASC')
  const walked = items.map(({ direction }, index) => sql`s${raw(String(index))} ${direction}`)
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
          LIMIT ${raw(String(MAX_WALKED))}
        ) AS walked
        JOIN ${from} ON object_id = id
        WHERE ${condition}
          AND ${readableRows(search.objects, schema.name, caller)}
          ${cursor ? sql`AND ${behind(keys, cursor)}` : raw('')}
        ORDER BY ${join(walked, ', ')}, id ${idDirection}
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

/** Where the walk begins: at the values, behind what has been shown. */
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
  const place = cursor?.values[0]
  if (place === undefined || place === null) return hasValue
  const comparison = raw(descending ? '<=' : '>=')
  return sql`${hasValue} AND ${key} ${comparison} ${asKey(by.field, type?.type, place)}`
}

/** A place in the order as a value of the index. @param place JSON text, as `sortValue` has it */
function asKey(field: string, type: string | undefined, place: string): Sql {
  const text = sql`(${place}::jsonb #>> '{}')`
  switch (field) {
    case 'objectId':
      return text
    case 'createdAt':
    case 'updatedAt':
      return sql`(${text} || 'Z')::timestamptz`
  }
  if (type === 'String') return text
  return type === 'Date' ? sql`jsonb_build_object('__type', 'Date', 'iso', ${text})` : sql`${place}::jsonb`
}
