import { raw, type Sql, sql } from '../../database/sql.ts'
import { KEY_LENGTH, textExpression, textKeyExpression, valueExpression } from './columns.ts'
import { FALSE, type FieldSql, NO_FIELD, ordered, type Value } from './field-sql.ts'
import { patternOnText } from './pattern-sql.ts'
import type { Pattern } from './patterns/pattern.ts'
import type { Comparison, Ordered } from './tree.ts'

/**
 * Returns the SQL for a String field. Its index holds the key of each value: its first 200 characters. Truncation preserves the
 * order, in that a < b implies key(a) <= key(b). So for a long operand, the keys narrow the search and the whole texts decide.
 *
 * For an operand of fewer than 200 characters, the key alone decides: a truncated value has a longer key than the operand, so
 * they either differ within the key, or the operand is a prefix of the value. In both cases the key compares to the operand as
 * the value does.
 */
export function textField(field: string): FieldSql {
  const key = textKeyExpression(field)
  const text = textExpression(field)
  return {
    ...NO_FIELD,
    equal: (value) => (typeof value === 'string' ? equal(key, text, value) : FALSE),
    isNull: () => sql`${key} IS NULL`,
    oneOf: (values) => oneOf(key, text, values),
    compare: (operator, value) => compare(key, text, operator, value),
    exists: () => sql`${valueExpression(field)} IS NOT NULL`,
    pattern: (pattern: Pattern) => patternOnText(pattern, text, key),
    among: (values) => among(key, text, values),
  }
}

function equal(key: Sql, text: Sql, value: string): Sql {
  return isDecidedByKey(value)
    ? sql`${key} = ${value}::text`
    : sql`${key} = ${keyOf(value)}::text AND ${text} = ${value}::text`
}

function oneOf(key: Sql, text: Sql, values: readonly Value[]): Sql {
  const texts = values.filter((value) => typeof value === 'string')
  if (texts.length === 0) return FALSE
  return texts.every(isDecidedByKey)
    ? sql`${key} = ANY(${texts}::text[])`
    : sql`${key} = ANY(${texts.map(keyOf)}::text[]) AND ${text} = ANY(${texts}::text[])`
}

function compare(key: Sql, text: Sql, operator: Comparison, value: Ordered): Sql {
  if (typeof value !== 'string') return FALSE
  if (isDecidedByKey(value)) return ordered(key, operator, sql`${value}::text`)
  const orEqual: Comparison = operator === '<' || operator === '<=' ? '<=' : '>='
  return sql`${ordered(key, orEqual, sql`${keyOf(value)}::text`)} AND ${ordered(text, operator, sql`${value}::text`)}`
}

function among(key: Sql, text: Sql, values: Sql): Sql {
  return sql`(${key}, ${text}) IN (
    SELECT left(given.value #>> '{}', ${raw(String(KEY_LENGTH))}), given.value #>> '{}'
    FROM (${values}) AS given(value)
    WHERE jsonb_typeof(given.value) = 'string')`
}

function isDecidedByKey(value: string): boolean {
  return value.length < KEY_LENGTH || [...value].length < KEY_LENGTH
}

/** Truncates by code points, as PostgreSQL's `left` does. */
function keyOf(value: string): string {
  return [...value].slice(0, KEY_LENGTH).join('')
}
