import { setTimeout as sleep } from 'node:timers/promises'
import { boolean } from '../database/decode-row.ts'
import { sql } from '../database/sql.ts'
import type { Leaderboards } from './leaderboards.ts'

/** How long a run waits for writers that had begun before, and how often it looks, in milliseconds. */
const PATIENCE = 30_000
const LOOK = 50

/**
 * Waits until all statements have ended that may have begun before a transaction was committed: what they write counts in
 * the version that ended with it.
 * @throws Error when one goes on for long: the job is run again then
 */
export async function writersHaveEnded(
  { database }: Pick<Leaderboards, 'database'>,
  transaction: string,
  signal: AbortSignal,
): Promise<void> {
  const deadline = performance.now() + PATIENCE
  for (;;) {
    const [row] = await database.query(sql`
      SELECT pg_snapshot_xmin(pg_current_snapshot()) > ${transaction}::xid8 AS ended`)
    if (boolean('ended')(row!)) return
    if (performance.now() > deadline)
      throw new Error('a transaction goes on that may have begun before the version ended')
    await sleep(LOOK, null, { signal })
  }
}
