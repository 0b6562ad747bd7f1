import { text } from '../../database/decode-row.ts'
import type { Database } from '../../database/pool.ts'
import { sql } from '../../database/sql.ts'
import { recur } from '../../jobs/recurring.ts'
import type { Log } from '../../log.ts'
import { SERVER } from '../../scheduling/principal.ts'
import type { SearchServer } from './search-server.ts'
import { removeServerIndex } from './server-index.ts'

/** Milliseconds between two runs, and maximum indexes deleted by one. */
const INTERVAL = 5_000
const AT_ONCE = 20

/**
 * Deletes indexes of deleted classes and apps from the search server.
 * @returns a function that stops it
 */
export function removeLeftovers(server: SearchServer, database: Database, log: Log): () => void {
  return recur(() => removeSome(server, database), {
    // Random, so that nodes that start together do not run together.
    delay: INTERVAL * Math.random(),
    interval: INTERVAL,
    failed: (reason) => log.warn({ reason }, 'removing orphaned search indexes failed, retrying'),
  })
}

async function removeSome(server: SearchServer, database: Database): Promise<void> {
  const rows = await database.query(sql`
    SELECT name FROM homeport.search_server_indexes WHERE NOT is_wanted LIMIT ${AT_ONCE}::integer`)
  for (const name of rows.map(text('name'))) {
    await server.whenFree(SERVER, () => removeServerIndex(server, name))
    await database.query(sql`DELETE FROM homeport.search_server_indexes WHERE name = ${name} AND NOT is_wanted`)
  }
}
