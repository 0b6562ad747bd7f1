import { raw, type Sql, sql } from '../../database/sql.ts'
import type { Json } from '../../values/json.ts'
import type { Pattern } from './patterns/pattern.ts'
import type { Box, Comparison, Near, Ordered } from './tree.ts'

/** A value other than null; the parser's null is asked for by `isNull`. */
export type Value = Exclude<Json, null>

/**
 * How a field answers each condition; every way in which a field is stored has a file of its own. An answer may be NULL
 * where it means FALSE, and can stand beside `AND` without parentheses.
 */
export interface FieldSql {
  equal(value: Value): Sql
  /** the field is null or missing, or holds null as an element */
  isNull(): Sql
  oneOf(values: readonly Value[]): Sql
  compare(operator: Comparison, value: Ordered): Sql
  exists(): Sql
  size(size: number): Sql
  pattern(pattern: Pattern): Sql
  near(near: Near): Sql
  box(box: Box): Sql
  /** the field points to an object of the class whose id `ids`, a SELECT, gives */
  pointsTo(className: string, ids: Sql): Sql
  /** the field equals one of the jsonb values that `values`, a SELECT, gives */
  among(values: Sql): Sql
}

export const FALSE: Sql = raw('FALSE')
export const TRUE: Sql = raw('TRUE')

const never = () => FALSE

/** A field that meets no condition: what a kind of field does not answer itself. */
export const NO_FIELD: FieldSql = {
  equal: never,
  isNull: never,
  oneOf: never,
  compare: never,
  exists: never,
  size: never,
  pattern: never,
  near: never,
  box: never,
  pointsTo: never,
  among: never,
}

/** A value as a jsonb parameter. */
export function jsonb(value: Json): Sql {
  return sql`${JSON.stringify(value)}::jsonb`
}

/** Values as one parameter of type jsonb[]. */
export function jsonbArray(values: readonly Json[]): Sql {
  return sql`${values.map((value) => JSON.stringify(value))}::jsonb[]`
}

/** `left < right`; the right side brings its own cast. */
export function ordered(left: Sql, operator: Comparison, right: Sql): Sql {
  return sql`${left} ${raw(operator)} ${right}`
}
