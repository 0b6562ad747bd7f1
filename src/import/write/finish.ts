import { sql, toQuery } from '../../database/sql.ts'
import type { ClassSchema } from '../../objects/classes/class-schema.ts'
import { counterStatements } from '../../objects/classes/counters.ts'
import type { ImportApp } from './import-app.ts'

/**
 * What a class needs when its objects are there: counters go on behind the greatest number that was imported, and the
 * planner is told what is in it.
 * @returns how many objects it has
 */
export async function finishClass({ objects }: ImportApp, schema: ClassSchema): Promise<number> {
  for (const counter of schema.counters) {
    const [, goOn] = counterStatements(schema.table, counter)
    await objects.database.transaction(async (transaction) => {
      await transaction.query(goOn!)
    })
  }
  const client = await objects.database.dedicated()
  try {
    await client.query(toQuery(sql`ANALYZE ${schema.table}`).text)
    const { rows } = await client.query(toQuery(sql`SELECT count(*) AS objects FROM ${schema.table}`).text)
    return Number(rows[0].objects)
  } finally {
    await client.end()
  }
}
