import { raw, type Sql, sql } from '../database/sql.ts'
import type { Caller } from '../objects/access/caller.ts'
import type { ClassSchema } from '../objects/classes/class-schema.ts'
import { shownData } from '../objects/store.ts'
import type { SearchCursor } from './cursor.ts'
import type { SearchIndex } from './indexing/indexes.ts'
import { ordering, type SortKey } from './order.ts'
import type { CompiledQuery } from './query/compile.ts'
import type { Search } from './search.ts'

/** A searched class with the query compiled for it. */
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

/** Numbers the rows of a page as `place`. Applied to the page only, because numbering all rows would sort them all. */
export function numbered(page: Sql, keys: readonly SortKey[]): Sql {
  return sql`SELECT *, row_number() OVER (ORDER BY ${ordering(keys)}) AS place FROM (${page}) AS first_rows`
}

/** Returns a query for the object at a position, if it is of this class. */
export function rowOf(search: Search, schema: ClassSchema, index: number, caller: Caller): Sql {
  const shown = shownData(search.objects, schema.name, caller)
  return sql`
    SELECT id, created_at, updated_at, acl, ${shown ? sql`${shown} AS data` : raw('data')}
    FROM ${schema.table}
    WHERE class = ${raw(String(index))} AND id = found_id`
}
