import { sql } from '../../database/sql.ts'
import { isDatabaseTime } from '../../values/date.ts'
import { isJsonObject, type Json } from '../../values/json.ts'
import { systemColumn } from './columns.ts'
import { FALSE, type FieldSql, NO_FIELD, ordered, TRUE } from './field-sql.ts'
import { patternOnText } from './pattern-sql.ts'

/** Returns the SQL for the field `objectId`, a string that every object has. */
export function idField(): FieldSql {
  const id = systemColumn('objectId')!
  return {
    ...NO_FIELD,
    equal: (value) => (typeof value === 'string' ? sql`${id} = ${value}::text` : FALSE),
    oneOf: (values) => sql`${id} = ANY(${values.filter((value) => typeof value === 'string')}::text[])`,
    compare: (operator, value) => (typeof value === 'string' ? ordered(id, operator, sql`${value}::text`) : FALSE),
    exists: () => TRUE,
    pattern: (pattern) => patternOnText(pattern, id, id),
    among: (values) => sql`${id} IN (
      SELECT given.value #>> '{}' FROM (${values}) AS given(value) WHERE jsonb_typeof(given.value) = 'string')`,
  }
}

/** Returns the SQL for the fields `createdAt` and `updatedAt`, Dates that every object has. */
export function timeField(field: 'createdAt' | 'updatedAt'): FieldSql {
  const time = systemColumn(field)!
  return {
    ...NO_FIELD,
    equal: (value) => sql`${time} = ${timestamp(value)}::timestamptz`,
    oneOf: (values) => sql`${time} = ANY(${values.map(timestamp)}::timestamptz[])`,
    compare: (operator, value) => ordered(time, operator, sql`${timestamp(value)}::timestamptz`),
    exists: () => TRUE,
    among: (values) => sql`${timeText(field)} IN (
      SELECT given.value->>'iso' FROM (${values}) AS given(value) WHERE given.value->>'__type' = 'Date')`,
  }
}

/** Returns the SQL for `createdAt` or `updatedAt` in the canonical form of Dates. */
export function timeText(field: 'createdAt' | 'updatedAt') {
  return sql`to_char(${systemColumn(field)!} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
}

/**
 * Returns a value as a timestamp. PostgreSQL has no year 0, and a value of another type (`operand.ts`) equals no time: both
 * become a time before all others.
 */
function timestamp(value: Json): string {
  const iso = isJsonObject(value) && value.__type === 'Date' ? String(value.iso) : '0000-'
  return isDatabaseTime(iso) ? iso : '-infinity'
}
