import { createHash } from 'node:crypto'
import { number } from '../../database/decode-row.ts'
import type { Executor } from '../../database/pool.ts'
import { identifier, join, literal, type Sql, sql, toQuery } from '../../database/sql.ts'
import type { JsonObject } from '../../values/json.ts'
import type { Changes } from '../operations/operation.ts'
import { textExpression } from '../where/columns.ts'

/** A field that is incremented automatically for each object of its class. */
export interface Counter {
  readonly field: string
  /** Owned by the table of the class, and dropped with it. */
  readonly sequence: Sql
}

export function counterOf(schemaName: string, tableName: string, field: string): Counter {
  const digest = createHash('sha256').update(`${tableName} ${field}`).digest('hex').slice(0, 20)
  return { field, sequence: identifier(schemaName, `$counter_${digest}`) }
}

/** Returns the statements that create a counter, which continues after the greatest existing number. */
export function counterStatements(table: Sql, { field, sequence }: Counter): readonly Sql[] {
  return [
    sql`CREATE SEQUENCE IF NOT EXISTS ${sequence} OWNED BY ${table}.id`,
    sql`
      SELECT setval(${nameOf(sequence)}, GREATEST(max(floor(${textExpression(field)}::numeric)), 0)::bigint + 1, false)
      FROM ${table}
      WHERE jsonb_typeof(data->${literal(field)}) = 'number'`,
  ]
}

/** Counts of an object whose class has no counters. */
export const NO_COUNTS: JsonObject = {}

/**
 * Returns the next counts for a new object, except for counters that the object sets itself. An insert that fails leaves a gap,
 * because inserts do not wait for each other's commit.
 */
export async function nextCounts(
  executor: Executor,
  schema: { readonly counters: readonly Counter[] },
  { keys }: Changes,
): Promise<JsonObject> {
  const counters = schema.counters.filter(({ field }) => !keys.includes(field))
  if (counters.length === 0) return NO_COUNTS
  const values = counters.map(
    ({ sequence }, index) => sql`nextval(${nameOf(sequence)})::text AS ${identifier(`c${index}`)}`,
  )
  const [row] = await executor.query(sql`SELECT ${join(values, ', ')}`)
  return Object.fromEntries(counters.map(({ field }, index) => [field, number(`c${index}`)(row!)]))
}

function nameOf(sequence: Sql): Sql {
  return sql`${literal(toQuery(sequence).text)}::regclass`
}
