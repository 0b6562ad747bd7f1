import { number } from '../../database/decode-row.ts'
import { join, raw, type Sql, sql } from '../../database/sql.ts'
import type { Caller } from '../access/caller.ts'
import { type ClassOperation, checkPermission } from '../access/permissions.ts'
import type { ClassSchema } from '../classes/class-schema.ts'
import { checkQueryable } from '../classes/field-options.ts'
import type { FindQuery } from '../query-parameters.ts'
import { type ObjectStore, readableRows, shownData, whereContext } from '../store.ts'
import { orderExpressions } from '../where/columns.ts'
import { nearOrder } from '../where/geo-sql.ts'
import { whereToSql } from '../where/to-sql.ts'
import type { Ordering } from '../where/tree.ts'
import { presentRows } from './present.ts'

export interface Found {
  /** The objects as JSON texts. */
  readonly results: readonly string[]
  /** undefined when not requested */
  readonly count: number | undefined
}

/**
 * Finds the objects of a class that meet a condition and that the caller may read (protocol/storage, Query parameters).
 * @param operation the class permission to check
 * @param further an additional condition over the rows
 * @throws ApiError 101 when the class does not exist, 102, 124 when it takes too long, 403 when the class is closed
 */
export async function findObjects(
  store: ObjectStore,
  className: string,
  query: FindQuery,
  caller: Caller,
  operation: ClassOperation = 'find',
  further: Sql | null = null,
): Promise<Found> {
  const schema = store.classes.get(className) ?? (await store.classes.find(className))
  checkPermission(className, schema.permissions, operation, caller)
  for (const { path } of query.order) checkQueryable(schema, path[0], caller)
  const matched = matching(store, schema, query, caller)
  const condition = further ? sql`${matched} AND ${further}` : matched
  const [results, count] = await Promise.all([
    query.limit === 0 ? [] : page(store, schema, query, condition, caller),
    query.count ? countRows(store, schema, condition, caller) : undefined,
  ])
  return { results, count }
}

function matching(store: ObjectStore, schema: ClassSchema, query: FindQuery, caller: Caller): Sql {
  const readable = readableRows(store, schema.name, caller)
  if (!query.where) return readable
  return sql`${whereToSql(query.where, schema.name, whereContext(store, caller))} AND ${readable}`
}

async function page(
  store: ObjectStore,
  schema: ClassSchema,
  query: FindQuery,
  condition: Sql,
  caller: Caller,
): Promise<string[]> {
  const value = shownData(store, schema.name, caller)
  const shown = value ? sql`${value} AS data` : raw('data')
  const principal = caller.origin?.principal
  const statement = sql`
    SELECT id, created_at, updated_at, ${query.view.acl ? raw('acl, ') : raw('')}${shown}
    FROM ${schema.table}
    WHERE ${condition}
    ORDER BY ${ordering(schema, query)}
    LIMIT ${query.limit}::bigint ${query.skip > 0 ? sql`OFFSET ${query.skip}::bigint` : raw('')}`
  return store.results.withRoom(principal, async (room) => {
    const { rows, milliseconds } = await store.database.search(statement, principal, room.sizeOf, room.begin)
    store.indexes.observe(schema, query.where, query.order, milliseconds)
    return room.presentQueued(() => presentRows(store, schema, rows, query.view, caller))
  })
}

async function countRows(store: ObjectStore, schema: ClassSchema, condition: Sql, caller: Caller): Promise<number> {
  const { rows } = await store.database.search(
    sql`SELECT count(*) AS count FROM ${schema.table} WHERE ${condition}`,
    caller.origin?.principal,
  )
  return number('count')(rows[0]!)
}

/**
 * Returns the requested order; without one, nearest first if the condition has `$nearSphere`, otherwise the order of creation.
 */
function ordering(schema: ClassSchema, query: FindQuery): Sql {
  if (query.order.length > 0) return orderOf(schema, query.order)
  const near = query.where && nearOrder(query.where)
  // The distance must be the only key: before PostgreSQL 17, a second key would keep its index from being used.
  return near ?? sql`id`
}

/**
 * Returns ORDER BY for sort keys. Ties are in the order of creation, in the direction of the last key, so that an index serves
 * both.
 */
function orderOf(schema: ClassSchema, order: readonly Ordering[]): Sql {
  const keys = order.flatMap(({ path, descending }) =>
    orderExpressions(path, schema.fields.get(path[0]!)?.type, descending ? 'descending' : 'ascending'),
  )
  return join([...keys, order.at(-1)?.descending ? sql`id DESC` : sql`id`], ', ')
}
