import type { Sql } from '../../database/sql.ts'
import type { FieldType } from '../../values/typed.ts'
import type { Where } from './tree.ts'

/** What compiling a condition needs to know of the app. */
export interface WhereContext {
  /**
   * Returns the type of a top-level field; undefined when the registry does not know the field. Throws when the caller may not
   * query by it.
   */
  typeOf(className: string, field: string): FieldType | undefined
  /** Returns the table of a class, or null when the class does not exist (then a sub-query is empty). */
  table(className: string): Sql | null
  /** The app's relation table. */
  readonly relations: Sql
  /**
   * Returns the SQL condition for the rows of another class in the condition that the caller may see (TRUE for all). Throws when
   * the class is closed for the operation.
   */
  visible(className: string, operation: 'find' | 'get'): Sql
}

/** Compiles the condition of an inner query. Passed in, because conditions and inner queries need each other. */
export type CompileWhere = (where: Where, className: string, context: WhereContext) => Sql
