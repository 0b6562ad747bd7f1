import { number } from '../../database/decode-row.ts'
import { type Sql, sql, toQuery } from '../../database/sql.ts'
import { FILE } from '../../files/files.ts'
import type { ClassSchema } from '../../objects/classes/class-schema.ts'
import { counterStatements } from '../../objects/classes/counters.ts'
import { vacuum } from './growing-tables.ts'
import type { ImportApp } from './import-app.ts'

/**
 * Finishes a class after its objects are imported: counters continue after the greatest imported number, files whose bytes are
 * stored here get their new URL, and the table is vacuumed and analyzed.
 * @returns the number of objects
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
    // A vacuumed table is counted by an index-only scan (`growing-tables.ts`).
    await client.query(vacuum(schema.table, 'whole'))
    const { rows } = await client.query(toQuery(sql`SELECT count(*) AS objects FROM ${schema.table}`).text)
    return number('objects')(rows[0])
  } finally {
    await client.end()
  }
}

/** Removes former URLs from records. A record without a URL is shown with the URL of its key (protocol/files, File record). */
function withoutFormerUrls(records: Sql, files: Sql): Sql {
  return sql`
    UPDATE ${records} AS record
    SET data = record.data - 'url'
    WHERE record.data ? 'url' AND record.data->'metaData'->>'__source' IS DISTINCT FROM 'external'
      AND EXISTS (SELECT FROM ${files} WHERE key = record.data->>'key' COLLATE "C")`
}
