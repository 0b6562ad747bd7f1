import { raw, type Sql, sql } from '../database/sql.ts'
import type { Caller } from '../objects/access/caller.ts'
import type { ClassSchema } from '../objects/classes/class-schema.ts'
import { shownData } from '../objects/store.ts'
import type { SearchCursor } from './cursor.ts'
import type { SearchIndex } from './indexing/indexes.ts'
import { ordering, type SortKey } from './order.ts'
import type { CompiledQuery } from './query/compile.ts'
import type { Search } from './search.ts'

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

/** The rows of a page with their numbers as `place`. Only so few are numbered: more would be sorted whole. */
export function numbered(page: Sql, keys: readonly SortKey[]): Sql {
  return sql`SELECT *, row_number() OVER (ORDER BY ${ordering(keys)}) AS place FROM (${page}) AS first_rows`
}

/** The object of a place, if it is one of this class. */
export function rowOf(search: Search, schema: ClassSchema, place: number, caller: Caller): Sql {
  const shown = shownData(search.objects, schema.name, caller)
  return sql`
    SELECT id, created_at, updated_at, acl, ${shown ? sql`${shown} AS data` : raw('data')}
    FROM ${schema.table}
    WHERE class = ${raw(String(place))} AND id = found_id`
}
