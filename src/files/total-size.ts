import { number } from '../database/decode-row.ts'
import { isMissingTable } from '../database/faults.ts'
import type { Database } from '../database/pool.ts'
import { identifier, sql } from '../database/sql.ts'

/**
 * Returns the bytes of the files of apps. Reads a row for each file, so call it rarely.
 * @param schemas of the apps; one that has been deleted meanwhile counts nothing
 */
export async function totalFileBytes(database: Database, schemas: readonly string[]): Promise<number> {
  let total = 0
  for (const schema of schemas) total += await fileBytes(database, schema)
  return total
}

async function fileBytes(database: Database, schema: string): Promise<number> {
  try {
    const { rows } = await database.search(sql`
      SELECT coalesce(sum(size), 0)::float8 AS bytes
      FROM ${identifier(schema, '$files')}`)
    return number('bytes')(rows[0]!)
  } catch (error) {
    if (isMissingTable(error)) return 0
    throw error
  }
}
