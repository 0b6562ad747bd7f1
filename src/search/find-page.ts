import type { Row } from '../database/row.ts'
import { join, raw, type Sql, sql } from '../database/sql.ts'
import type { Caller } from '../objects/access/caller.ts'
import type { ClassSchema } from '../objects/classes/class-schema.ts'
import { readableRows, shownData } from '../objects/store.ts'
import type { SearchCursor } from './cursor.ts'
import { isVisible, searchedFields } from './fields.ts'
import type { SearchIndex } from './indexing/indexes.ts'
import { behind, ordering, type SortKey, sortValue } from './order.ts'
import type { CompiledQuery } from './query/compile.ts'
import type { Search } from './search.ts'

/**
 * Of what more objects meet than this, the newest are ranked; what orders them by fields looks at more, because that is
 * less work for each. The number of hits is exact up to here (protocol/search, Bounds).
 */
const MAX_RANKED = 10_000
const MAX_SORTED = 50_000

/** Grants of a caller beyond which the index is not asked for each of them. */
const MAX_GRANTS = 100

/** A class that is searched, and the query as it asks for its objects. */
export interface SearchedClass {
  readonly schema: ClassSchema
  readonly index: SearchIndex
  readonly compiled: CompiledQuery
}

export interface PageQuery {
  readonly keys: readonly SortKey[]
  readonly limit: number
  readonly skip: number
  readonly cursor: SearchCursor | null
}

export interface Page {
  /** Rows of the objects, with the number of their class as `class` and their place in the order as `k0`, `k1`, … */
  readonly rows: readonly Row[]
  readonly hits: number
  /** What the terms weigh, and the newest object that was looked at; null: there is none. */
  readonly weights: readonly number[] | null
  readonly newest: string | null
}

/**
 * Finds a page of the objects that the caller may read, in one statement: candidates of each class, newest first and no
 * more than the bound; what their terms weigh among them; the page; its objects as they are at that moment.
 *
 * A term weighs the more the fewer of the candidates have it (as in BM25). Of the candidates the caller may read each, so
 * that nothing in the order tells of others.
 */
export async function findPage(
  search: Search,
  classes: readonly SearchedClass[],
  query: PageQuery,
  caller: Caller,
): Promise<Page> {
  const { objects } = search
  const isRanked = query.keys.some(({ by }) => by === 'score')
  const terms = isRanked ? Math.max(...classes.map(({ compiled }) => compiled.ranked.length)) : 0
  const numbers = Array.from({ length: terms }, (_, index) => index)
  const candidates = classes.map((searched, place) => candidatesOf(search, searched, place, query, numbers, caller))
  const keys = query.keys.map(({ by }, index) =>
    by === 'score' ? sql`to_jsonb(${score(numbers)}) AS ${raw(`k${index}`)}` : raw(`k${index}`),
  )
  const columns = query.keys.map((_, index) => raw(`, k${index}::text AS k${index}`))
  const after = query.cursor ? sql`WHERE ${behind(query.keys, query.cursor)}` : raw('')
  const { rows } = await objects.database.search(
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
        SELECT *, row_number() OVER (ORDER BY ${ordering(query.keys)}) AS place
        FROM placed
        ${after}
        ORDER BY ${ordering(query.keys)}
        LIMIT ${query.limit}::bigint OFFSET ${query.skip}::bigint
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
    caller.origin?.party,
    (row) => (typeof row.data === 'string' ? row.data.length : 0),
  )
  const [first] = rows
  return {
    rows: rows.filter(({ id }) => id !== null),
    hits: Number(first?.hits ?? 0),
    weights: isRanked ? numbers.map((index) => Number(first?.[`w${index}`] ?? 0)) : null,
    newest: typeof first?.newest === 'string' ? first.newest : null,
  }
}

function candidatesOf(
  search: Search,
  { schema, index, compiled }: SearchedClass,
  place: number,
  { keys, cursor }: PageQuery,
  numbers: readonly number[],
  caller: Caller,
): Sql {
  // How long a text is counts, unless the caller must not know it.
  const length = searchedFields(schema).every(({ name }) => isVisible(schema, name, caller)) ? '1' : '0'
  const ranks = numbers.map((number) => {
    const term = compiled.ranked[number]
    const rank = term
      ? sql`${term.boost}::float8 * ts_rank(words, ${term.words}::tsquery, ${raw(length)})`
      : raw('0::float8')
    return sql`, (${rank})::float8 AS ${raw(`r${number}`)}`
  })
  const values = keys.map((key, number) => sql`, ${sortValue(key, schema, caller)} AS ${raw(`k${number}`)}`)
  const bound = keys[0]?.by === 'score' ? MAX_RANKED : MAX_SORTED
  return sql`(
    SELECT ${raw(String(place))} AS class, id AS found_id ${join(ranks, '')} ${join(values, '')}
    FROM ${index.table}
    JOIN ${schema.table} ON id = object_id
    WHERE ${compiled.condition}
      AND ${allowedBy(caller)}
      AND ${readableRows(search.objects, schema.name, caller)}
      ${cursor ? sql`AND object_id <= ${cursor.newest}::text COLLATE "C"` : raw('')}
    ORDER BY object_id DESC
    LIMIT ${raw(String(bound))}
  )`
}

/**
 * What the index knows of who may read: only a help for it. An object that was opened to the caller a moment ago may be
 * missing; who may read is decided by the object itself.
 */
function allowedBy(caller: Caller): Sql {
  if (caller.master || caller.grants.length > MAX_GRANTS) return raw('TRUE')
  return sql`allowed && ${['*', ...caller.grants]}::text[]`
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

/** The object of a place, if it is one of this class. */
function rowOf(search: Search, schema: ClassSchema, place: number, caller: Caller): Sql {
  const shown = shownData(search.objects, schema.name, caller)
  return sql`
    SELECT id, created_at, updated_at, acl, ${shown ? sql`${shown} AS data` : raw('data')}
    FROM ${schema.table}
    WHERE class = ${raw(String(place))} AND id = found_id`
}
