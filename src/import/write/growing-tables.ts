import type { Database } from '../../database/pool.ts'
import { raw, type Sql, sql, toQuery } from '../../database/sql.ts'
import { TtlCache } from '../../values/ttl-cache.ts'

/** By how many rows a table has to grow before it is vacuumed: so many, and such a share of those that have come. */
const LEAST = 50_000
const SHARE = 0.1
/** How long it is remembered how a table has grown, in milliseconds, and of how many tables. */
const MEMORY = { age: 60 * 60_000, size: 1000 }

interface Growth {
  /** Rows that have come, and how many of them behind the last vacuum. */
  all: number
  fresh: number
  isVacuumed: boolean
}

/**
 * Has tables vacuumed while an import fills them. Whoever reads a row for the first time notes in its page that its
 * transaction was committed, and so the first scan of a fresh table writes all of it once more, and logs all pages from before
 * the last checkpoint whole: to count 2.5 million objects took a seventh of the time of their import. Pages that have just
 * been filled are in memory still, and need not be logged whole.
 */
export class GrowingTables {
  readonly #growths = new TtlCache<Growth>(MEMORY)

  /** Rows of a table were committed. What comes of it need not be waited for: it makes things fast, no more. */
  grew(database: Pick<Database, 'dedicated'>, table: Sql, rows: number): Promise<void> | undefined {
    const { text } = toQuery(table)
    const growth = this.#growths.get(text) ?? { all: 0, fresh: 0, isVacuumed: false }
    growth.all += rows
    growth.fresh += rows
    this.#growths.set(text, growth)
    if (growth.isVacuumed || growth.fresh < Math.max(LEAST, SHARE * growth.all)) return undefined
    growth.fresh = 0
    growth.isVacuumed = true
    return (
      vacuumApart(database, table)
        // The table or the database has gone, or somebody else is at it; the database's own vacuum comes by.
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
 * The statement that vacuums a table of which rows were added, and hardly any taken away.
 * @param how `whole`: whatever else is done to the table is waited for, and the planner is told what is in it; `skipping`: a
 *   table at which something is done is left alone
 */
export function vacuum(table: Sql, how: 'whole' | 'skipping' = 'skipping'): string {
  const option = how === 'whole' ? raw('ANALYZE') : raw('SKIP_LOCKED')
  return toQuery(sql`
    VACUUM (${option}, INDEX_CLEANUP off, TRUNCATE off, PROCESS_TOAST off)
    ${table}`).text
}
