import type { Sql } from '../../database/sql.ts'
import type { FieldType } from '../../values/typed.ts'
import type { Where } from './tree.ts'

/** What a condition needs to know of the app. */
export interface WhereContext {
  /** type of a top-level field; undefined when the registry does not know the field; throws when the caller may not ask by it */
  typeOf(className: string, field: string): FieldType | undefined
  /** the class's table, or null when there is no such class (then a sub-query is empty) */
  table(className: string): Sql | null
  /** the app's relation table */
  readonly relations: Sql
  /** what the caller may see of a class that the condition reads besides: an SQL condition over its row (TRUE for everything), throws when the class is closed for this */
  visible(className: string, operation: 'find' | 'get'): Sql
}

/** Compiles the condition of an inner query: conditions and inner queries need each other. */
export type CompileWhere = (where: Where, className: string, context: WhereContext) => Sql
