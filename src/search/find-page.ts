import { number } from '../database/decode-row.ts'
import type { Row } from '../database/row.ts'
import { join, raw, type Sql, sql } from '../database/sql.ts'
import type { Caller } from '../objects/access/caller.ts'
import { isVisible } from '../objects/classes/field-options.ts'
import type { ResultRoom } from '../objects/large-results.ts'
import { readableRows } from '../objects/store.ts'
import type { SearchCursor } from './cursor.ts'
import { candidatesOf } from './execution/candidates.ts'
import { searchedFields } from './fields.ts'
import { afterPosition, ordering, sortValue } from './order.ts'
import { scanFor, scanInOrder } from './order-scan.ts'
import { numbered, type PageQuery, rowOf, type SearchedClass } from './page-query.ts'
import type { Search } from './search.ts'

/**
 * Maximum matching objects of a class that are ranked and counted; of more, only the newest are ranked. `MAX_SORTED` applies to
 * an order by fields without an index, which needs less work per object (protocol/search, Limits).
 */
const MAX_RANKED = 10_000
const MAX_SORTED = 50_000

export interface Page {
  /** Rows of the objects, with the number of their class as `class` and their sort values as `k0`, `k1`, … */
  readonly rows: readonly Row[]
  readonly hits: number
  /** Weights of the terms, and id of the newest object; null: there is none. */
  readonly weights: readonly number[] | null
  readonly newest: string | null
}

/**
 * Finds a page of the objects that the caller may read. A few matches are sorted. For many, the objects are scanned in the order
 * of a field, if an index has that order.
 */
export async function findPage(
  search: Search,
  classes: readonly SearchedClass[],
  query: PageQuery,
  caller: Caller,
  room: ResultRoom,
): Promise<Page> {
  const ordered = (bound: number) => orderedPage(search, classes, query, caller, room, bound)
  const scan = scanFor(classes, query.keys)
  if (!scan) return ordered(query.keys[0]?.by === 'score' ? MAX_RANKED : MAX_SORTED)
  const few = await ordered(MAX_RANKED)
  if (few.hits < MAX_RANKED) return few
  const rows = await scanInOrder(search, scan, query, caller, room)
  if (rows) return { ...few, rows }
  const page = await ordered(MAX_SORTED)
  search.objects.indexes.observe(scan.searched.schema, null, scan.order, page.milliseconds)
  return page
}

/**
 * Finds a page with one statement: the newest candidates of each class up to the bound, the weights of the terms among them, the
 * page, and the current objects of the page.
 *
 * The weight of a term is higher the fewer candidates contain it (as in BM25). Only objects that the caller may read are
 * candidates, so the order reveals nothing about others.
 * @param bound maximum candidates of a class
 */
async function orderedPage(
  search: Search,
  classes: readonly SearchedClass[],
  query: PageQuery,
  caller: Caller,
  room: ResultRoom,
  bound: number,
): Promise<Page & { readonly milliseconds: number }> {
  const { objects } = search
  const isRanked = query.keys.some(({ by }) => by === 'score')
  const terms = isRanked ? Math.max(...classes.map(({ compiled }) => compiled.ranked.length)) : 0
  const numbers = Array.from({ length: terms }, (_, index) => index)
  const candidates = await Promise.all(
    classes.map((searched, index) => candidateRows(search, searched, index, query, numbers, caller, bound)),
  )
  const keys = query.keys.map(({ by }, index) =>
    by === 'score' ? sql`to_jsonb(${score(numbers)}) AS ${raw(`k${index}`)}` : raw(`k${index}`),
  )
  const columns = query.keys.map((_, index) => raw(`, k${index}::text AS k${index}`))
  const after = query.cursor ? sql`WHERE ${afterPosition(query.keys, query.cursor)}` : raw('')
  const { rows, milliseconds } = await objects.database.search(
    sql`
      WITH candidate AS MATERIALIZED (
        ${join(candidates, ' UNION ALL ')}
      ), total AS MATERIALIZED (
        SELECT count(*) AS hits, max(found_id) AS newest ${join(
          numbers.map((index) => sql`, ${weight(index, query.cursor)} AS ${raw(`w${index}`)}`),
          '',
        )}
        FROM candidate
      ), placed AS (
        SELECT class, found_id, ${join(keys, ', ')}
        FROM candidate, total
      ), page AS (
        ${numbered(
          sql`
          SELECT * FROM placed ${after}
          ORDER BY ${ordering(query.keys)}
          LIMIT ${query.limit}::bigint OFFSET ${query.skip}::bigint`,
          query.keys,
        )}
      )
      SELECT hits, newest ${join(
        numbers.map((index) => raw(`, w${index}`)),
        '',
      )}, class ${join(columns, '')}, object.*
      FROM total
      LEFT JOIN (page CROSS JOIN LATERAL (
        ${join(
          classes.map(({ schema }, index) => rowOf(search, schema, index, caller)),
          ' UNION ALL ',
        )}
      ) AS object) ON TRUE
      ORDER BY place`,
    caller.origin?.principal,
    room.sizeOf,
    room.begin,
  )
  const [first] = rows
  return {
    rows: rows.filter(({ id }) => id !== null),
    hits: first ? number('hits')(first) : 0,
    weights: isRanked ? numbers.map((index) => (first ? (number.orNull(`w${index}`)(first) ?? 0) : 0)) : null,
    newest: typeof first?.newest === 'string' ? first.newest : null,
    milliseconds,
  }
}

/** Returns the newest matching objects of a class that the caller may read, with their sort values. */
async function candidateRows(
  search: Search,
  searched: SearchedClass,
  index: number,
  { keys, cursor }: PageQuery,
  numbers: readonly number[],
  caller: Caller,
  limit: number,
): Promise<Sql> {
  const { schema, compiled } = searched
  const { from, condition, ranks } = await candidatesOf(search, {
    ...searched,
    compiled: numbers.length > 0 ? compiled : { ...compiled, ranked: [] },
    caller,
    limit,
    newest: cursor?.newest ?? null,
    isLengthKnown: searchedFields(schema).every(({ name }) => isVisible(schema, name, caller)),
  })
  const counts = numbers.map((number) => sql`, ${ranks[number] ?? raw('0::float8')} AS ${raw(`r${number}`)}`)
  const values = keys.map((key, number) => sql`, ${sortValue(key, schema, caller)} AS ${raw(`k${number}`)}`)
  return sql`(
    SELECT ${raw(String(index))} AS class, id AS found_id ${join(counts, '')} ${join(values, '')}
    FROM ${from}
    JOIN ${schema.table} ON id = object_id
    WHERE ${condition} AND ${readableRows(search.objects, schema.name, caller)}
    ORDER BY object_id DESC
    LIMIT ${raw(String(limit))}
  )`
}

function score(numbers: readonly number[]): Sql {
  if (numbers.length === 0) return raw('0::float8')
  return join(
    numbers.map((number) => raw(`w${number} * r${number}`)),
    ' + ',
  )
}

/** Returns the weight of a term: that of the first page, else by the number of candidates that contain it. */
function weight(number: number, cursor: SearchCursor | null): Sql {
  const known = cursor?.weights?.[number]
  if (known !== undefined) return sql`${known}::float8`
  const having = `count(*) FILTER (WHERE r${number} > 1e-10)`
  return raw(`ln(1 + (count(*) - ${having} + 0.5) / (${having} + 0.5))::float8`)
}
