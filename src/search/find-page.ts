import { number } from '../database/decode-row.ts'
import type { Row } from '../database/row.ts'
import { join, raw, type Sql, sql } from '../database/sql.ts'
import type { Caller } from '../objects/access/caller.ts'
import { isVisible } from '../objects/classes/field-options.ts'
import type { ResultRoom } from '../objects/large-results.ts'
import { readableRows } from '../objects/store.ts'
import { candidatesOf } from './asking/candidates.ts'
import type { SearchCursor } from './cursor.ts'
import { searchedFields } from './fields.ts'
import { behind, ordering, sortValue } from './order.ts'
import { walkFor, walkOrder } from './order-walk.ts'
import { numbered, type PageQuery, rowOf, type SearchedClass } from './page-query.ts'
import type { Search } from './search.ts'

/**
 * Of what more objects meet than this, the newest are ranked, and their number is no longer counted. What orders them by
 * fields looks at more where no index has that order, because that is less work for each (protocol/search, Bounds).
 */
const MAX_RANKED = 10_000
const MAX_SORTED = 50_000

export interface Page {
  /** Rows of the objects, with the number of their class as `class` and their place in the order as `k0`, `k1`, … */
  readonly rows: readonly Row[]
  readonly hits: number
  /** What the terms weigh, and the newest object that was looked at; null: there is none. */
  readonly weights: readonly number[] | null
  readonly newest: string | null
}

/**
 * Finds a page of the objects that the caller may read. What has few of them is put in order; what has many is walked
 * over in an order by a field, where there is an index of it.
 */
export async function findPage(
  search: Search,
  classes: readonly SearchedClass[],
  query: PageQuery,
  caller: Caller,
  room: ResultRoom,
): Promise<Page> {
  const ordered = (bound: number) => orderedPage(search, classes, query, caller, room, bound)
  const walk = walkFor(classes, query.keys)
  if (!walk) return ordered(query.keys[0]?.by === 'score' ? MAX_RANKED : MAX_SORTED)
  const few = await ordered(MAX_RANKED)
  if (few.hits < MAX_RANKED) return few
  const rows = await walkOrder(search, walk, query, caller, room)
  if (rows) return { ...few, rows }
  const page = await ordered(MAX_SORTED)
  search.objects.indexes.observe(walk.searched.schema, null, walk.order, page.milliseconds)
  return page
}

/**
 * In one statement: candidates of each class, newest first and no more than the bound; what their terms weigh among them;
 * the page; its objects as they are at that moment.
 *
 * A term weighs the more the fewer of the candidates have it (as in BM25). Of the candidates the caller may read each, so
 * that nothing in the order tells of others.
 * @param bound on the candidates of a class
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
    classes.map((searched, place) => candidateRows(search, searched, place, query, numbers, caller, bound)),
  )
  const keys = query.keys.map(({ by }, index) =>
    by === 'score' ? sql`to_jsonb(${score(numbers)}) AS ${raw(`k${index}`)}` : raw(`k${index}`),
  )
  const columns = query.keys.map((_, index) => raw(`, k${index}::text AS k${index}`))
  const after = query.cursor ? sql`WHERE ${behind(query.keys, query.cursor)}` : raw('')
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
          classes.map(({ schema }, place) => rowOf(search, schema, place, caller)),
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

/** The newest objects of a class that are asked for and that the caller may read, with what orders them. */
async function candidateRows(
  search: Search,
  searched: SearchedClass,
  place: number,
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
    SELECT ${raw(String(place))} AS class, id AS found_id ${join(counts, '')} ${join(values, '')}
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

/** What a term weighs: as it did on the first page, else by how many of the candidates have it. */
function weight(number: number, cursor: SearchCursor | null): Sql {
  const known = cursor?.weights?.[number]
  if (known !== undefined) return sql`${known}::float8`
  const having = `count(*) FILTER (WHERE r${number} > 1e-10)`
  return raw(`ln(1 + (count(*) - ${having} + 0.5) / (${having} + 0.5))::float8`)
}
