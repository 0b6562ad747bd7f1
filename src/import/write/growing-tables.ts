import type { Database } from '../../database/pool.ts'
import { raw, type Sql, sql, toQuery } from '../../database/sql.ts'
import { TtlCache } from '../../values/ttl-cache.ts'

/** New rows after which a table is vacuumed: at least this number, and at least this share of the rows added so far. */
const MIN_ROWS = 50_000
const SHARE = 0.1
/** Milliseconds for which the growth of a table is remembered, and maximum number of tables. */
const MEMORY = { age: 60 * 60_000, size: 1000 }

interface Growth {
  /** Rows that were added, and how many of them since the last vacuum. */
  all: number
  fresh: number
  isVacuumed: boolean
}

/**
 * Vacuums tables while an import fills them. The first reader of a row records in its page that its transaction was committed, so
 * the first scan of a new table rewrites all of it, and logs a full image of each page from before the last checkpoint: counting
 * 2.5 million objects took a seventh of the time of their import. Recently filled pages are still in memory, and need no full
 * image.
 */
export class GrowingTables {
  readonly #growths = new TtlCache<Growth>(MEMORY)

  /** Notes that rows of a table were committed. Callers need not await the vacuum, because it only improves performance. */
  grew(database: Pick<Database, 'dedicated'>, table: Sql, rows: number): Promise<void> | undefined {
    const { text } = toQuery(table)
    const growth = this.#growths.get(text) ?? { all: 0, fresh: 0, isVacuumed: false }
    growth.all += rows
    growth.fresh += rows
    this.#growths.set(text, growth)
    if (growth.isVacuumed || growth.fresh < Math.max(MIN_ROWS, SHARE * growth.all)) return undefined
    growth.fresh = 0
    growth.isVacuumed = true
    return (
      vacuumApart(database, table)
        // The table or the connection is gone, or another vacuum is running. Autovacuum will process the table later.
        .catch(() => {})
        .finally(() => {
          growth.isVacuumed = false
        })
    )
  }
}

async function vacuumApart(database: Pick<Database, 'dedicated'>, table: Sql): Promise<void> {
  const client = await database.dedicated('background')
  try {
    await client.query(vacuum(table))
  } finally {
    await client.end()
  }
}

/**
 * Returns the statement that vacuums a table to which rows were added and from which few were deleted.
 * @param how `whole`: waits for locks, and also analyzes the table; `skipping`: skips a locked table
 */
export function vacuum(table: Sql, how: 'whole' | 'skipping' = 'skipping'): string {
  const option = how === 'whole' ? raw('ANALYZE') : raw('SKIP_LOCKED')
  return toQuery(sql`
    VACUUM (${option}, INDEX_CLEANUP off, TRUNCATE off, PROCESS_TOAST off)
    ${table}`).text
}
