import { text } from '../../database/decode-row.ts'
import type { Executor } from '../../database/pool.ts'
import { identifier, sql, toQuery } from '../../database/sql.ts'
import { counterOf } from './counters.ts'

/** A field of a class in the registry. */
interface ClassField {
  /** The schema of the app. */
  readonly schema: string
  readonly className: string
  readonly tableName: string
  readonly field: string
}

/**
 * Removes a field from the registry, with the indexes that hold it and its counter. Its values must have been deleted before.
 * @param transaction of the registry
 */
export async function forgetField(
  transaction: Executor,
  { schema, className, tableName, field }: ClassField,
): Promise<void> {
  await transaction.query(sql`
    DELETE FROM ${identifier(schema, '$fields')} WHERE class_name = ${className} AND name = ${field}`)
  // How a field appears in the expression of an index: `data -> 'field'::text`, or in the path of its elements.
  const key = `'${field}'::text`
  const path = `'$."${field}"`
  const indexes = await transaction.query(sql`
    SELECT indexes.relname AS name
    FROM pg_index
    JOIN pg_class AS indexes ON indexes.oid = indexrelid
    WHERE indrelid = to_regclass(${toQuery(identifier(schema, tableName)).text})
      AND NOT indisprimary
      AND (
        strpos(pg_get_expr(indexprs, indrelid), ${key}) > 0
        OR strpos(pg_get_expr(indexprs, indrelid), ${path}) > 0
      )`)
  for (const name of indexes.map(text('name'))) await transaction.query(sql`DROP INDEX ${identifier(schema, name)}`)
  await transaction.query(sql`DROP SEQUENCE IF EXISTS ${counterOf(schema, tableName, field).sequence}`)
}
