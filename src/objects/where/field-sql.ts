import { raw, type Sql, sql } from '../../database/sql.ts'
import type { Json } from '../../values/json.ts'
import type { Pattern } from './patterns/pattern.ts'
import type { Box, Comparison, Near, Ordered } from './tree.ts'

/** A value other than null; null is tested with `isNull`. */
export type Value = Exclude<Json, null>

/**
 * The SQL of each condition on a field; every storage form of fields has its own file. A result may be NULL instead of FALSE, and
 * can be combined with `AND` without parentheses.
 */
export interface FieldSql {
  equal(value: Value): Sql
  /** The field is null or missing, or holds null as an element. */
  isNull(): Sql
  oneOf(values: readonly Value[]): Sql
  compare(operator: Comparison, value: Ordered): Sql
  exists(): Sql
  size(size: number): Sql
  pattern(pattern: Pattern): Sql
  near(near: Near): Sql
  box(box: Box): Sql
  /** The field points to an object of the class whose id is in `ids`, a SELECT. */
  pointsTo(className: string, ids: Sql): Sql
  /** The field equals one of the jsonb values in `values`, a SELECT. */
  among(values: Sql): Sql
}

export const FALSE: Sql = raw('FALSE')
export const TRUE: Sql = raw('TRUE')

const never = () => FALSE

/** A field that meets no condition: the default for conditions that a kind of field does not support. */
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

/** Returns a value as a jsonb parameter. */
export function jsonb(value: Json): Sql {
  return sql`${JSON.stringify(value)}::jsonb`
}

/** Returns values as one parameter of type jsonb[]. */
export function jsonbArray(values: readonly Json[]): Sql {
  return sql`${values.map((value) => JSON.stringify(value))}::jsonb[]`
}

/** Returns `left < right`; the right side must have its own cast. */
export function ordered(left: Sql, operator: Comparison, right: Sql): Sql {
  return sql`${left} ${raw(operator)} ${right}`
}
