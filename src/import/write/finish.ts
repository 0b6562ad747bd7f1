import { number } from '../../database/decode-row.ts'
import { type Sql, sql, toQuery } from '../../database/sql.ts'
import { FILE } from '../../files/files.ts'
import type { ClassSchema } from '../../objects/classes/class-schema.ts'
import { counterStatements } from '../../objects/classes/counters.ts'
import { vacuum } from './growing-tables.ts'
import type { ImportApp } from './import-app.ts'

/**
 * What a class needs when its objects are there: counters go on behind the greatest number that was imported, files whose
 * bytes are here have the URL that they have here, and the planner is told what is in it.
 * @returns how many objects it has
 */
export async function finishClass({ objects, files }: ImportApp, schema: ClassSchema): Promise<number> {
  for (const counter of schema.counters) {
    const [, goOn] = counterStatements(schema.table, counter)
    await objects.database.transaction(async (transaction) => {
      await transaction.query(goOn!)
    })
  }
  const client = await objects.database.dedicated('background')
  try {
    if (schema.name === FILE) await client.query(toQuery(withoutFormerUrls(schema.table, files.tables.files)))
    // What has been vacuumed is counted by its index alone (`growing-tables.ts`).
    await client.query(vacuum(schema.table, 'whole'))
    const { rows } = await client.query(toQuery(sql`SELECT count(*) AS objects FROM ${schema.table}`).text)
    return number('objects')(rows[0])
  } finally {
    await client.end()
  }
}

/** A record without a stored URL is shown with that of its key (protocol/files, File record). */
function withoutFormerUrls(records: Sql, files: Sql): Sql {
  return sql`
    UPDATE ${records} AS record
    SET data = record.data - 'url'
    WHERE record.data ? 'url' AND record.data->'metaData'->>'__source' IS DISTINCT FROM 'external'
      AND EXISTS (SELECT FROM ${files} WHERE key = record.data->>'key' COLLATE "C")`
}
