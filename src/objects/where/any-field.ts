import { join, raw, type Sql, sql } from '../../database/sql.ts'
import type { FieldType } from '../../values/typed.ts'
import { containmentExpression, jsonPath } from './columns.ts'
import { FALSE, type FieldSql, jsonb, jsonbArray, ordered, type Value } from './field-sql.ts'
import { boxSql, nearSql } from './geo-sql.ts'
import type { Path } from './path.ts'
import { patternOnText } from './pattern-sql.ts'
import type { Pattern } from './patterns/pattern.ts'
import type { Comparison, Ordered } from './tree.ts'

/** Up to this many values of `$in` are each looked up in the index; for more, the values of each object are compared. */
export const MAX_LOOKUPS = 32

/**
 * Returns the SQL for an Array field, a field of unknown type, or a dotted path. A condition holds if it does for one of the
 * candidates: the values reached, and the elements of those that are arrays.
 */
export function anyField(path: Path, type: FieldType | undefined): FieldSql {
  const reached = sql`jsonb_path_query(data, ${jsonPath(path, false)})`
  /** The values reached, with arrays replaced by their elements: all candidates that are not arrays themselves. */
  const elements = sql`jsonb_path_query(data, ${jsonPath(path, true)})`
  const everything = sql`(SELECT * FROM ${reached} UNION ALL SELECT * FROM ${elements})`
  const contained = containmentExpression(path, type)
  const equal = (value: Value) => equalSql(contained, value, (condition) => some(everything, condition))
  return {
    equal,
    isNull: () =>
      sql`(NOT ${exists(path)} OR jsonb_path_query_array(data, ${jsonPath(path, true)}) @> '[null]'::jsonb)`,
    oneOf: (values) => oneOfSql(values, equal, everything),
    compare: (operator, value) => some(elements, compare(operator, value)),
    exists: () => exists(path),
    size: (size) => some(reached, hasSize(size)),
    pattern: (pattern) => some(elements, patternSql(pattern)),
    near: (near) => some(elements, nearSql(POINT, near)),
    box: (box) => some(elements, boxSql(POINT, CANDIDATE, box)),
    pointsTo: (className, ids) => some(elements, pointsTo(className, ids)),
    among: (values) => some(everything, sql`${CANDIDATE} IN (${values})`),
  }
}

const CANDIDATE = raw('candidate.value')
const POINT = sql`homeport.geo_point(${CANDIDATE})`
const TEXT = sql`(${CANDIDATE} #>> '{}')`

/** Returns whether the condition holds for one of the candidates. */
function some(candidates: Sql, condition: Sql): Sql {
  return sql`EXISTS (SELECT FROM ${candidates} AS candidate(value) WHERE ${condition})`
}

function exists(path: Path): Sql {
  return sql`jsonb_path_exists(data, ${jsonPath(path, false)})`
}

/**
 * Containment, which an index serves, equals equality for scalars and typed values, because those have exactly their own members.
 * An object contains any object with a subset of its members, so for plain objects the candidates are compared as well. An array
 * may itself be the value reached, which is not among the elements.
 */
function equalSql(contained: Sql, value: Value, someCandidate: (condition: Sql) => Sql): Sql {
  if (Array.isArray(value)) return someCandidate(sql`${CANDIDATE} = ${jsonb(value)}`)
  const contains = sql`${contained} @> ${jsonb([value])}`
  const exact = typeof value !== 'object' || Object.hasOwn(value, '__type')
  return exact ? contains : sql`${contains} AND ${someCandidate(sql`${CANDIDATE} = ${jsonb(value)}`)}`
}

function oneOfSql(values: readonly Value[], equal: (value: Value) => Sql, candidates: Sql): Sql {
  if (values.length === 0) return FALSE
  if (values.length > MAX_LOOKUPS) return some(candidates, sql`${CANDIDATE} = ANY(${jsonbArray(values)})`)
  return sql`(${join(values.map(equal), ' OR ')})`
}

function compare(operator: Comparison, value: Ordered): Sql {
  return sql`${sameType(value)} AND ${ordered(CANDIDATE, operator, jsonb(value))}`
}

/** Comparisons match only values of the operand's type (protocol/storage, Where operators). */
function sameType(value: Ordered): Sql {
  return typeof value === 'object'
    ? sql`${CANDIDATE}->>'__type' = 'Date'`
    : sql`jsonb_typeof(${CANDIDATE}) = ${typeof value}::text`
}

/** Uses CASE, because the length of a non-array is an error and AND guarantees no order. */
function hasSize(size: number): Sql {
  return sql`CASE WHEN jsonb_typeof(${CANDIDATE}) = 'array' THEN jsonb_array_length(${CANDIDATE}) = ${size}::bigint END`
}

function patternSql(pattern: Pattern): Sql {
  return sql`jsonb_typeof(${CANDIDATE}) = 'string' AND ${patternOnText(pattern, TEXT, TEXT)}`
}

function pointsTo(className: string, ids: Sql): Sql {
  const pointer = sql`
    ${CANDIDATE}->>'__type' = 'Pointer'
    AND ${CANDIDATE}->>'className' = ${className}::text
    AND ${CANDIDATE}->>'objectId' IN (${ids})`
  if (className !== '_File') return pointer
  return sql`${CANDIDATE}->>'__type' = 'File' AND ${CANDIDATE}->>'id' IN (${ids})`
}
