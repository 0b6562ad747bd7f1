import { setTimeout as sleep } from 'node:timers/promises'
import { boolean } from '../database/decode-row.ts'
import { sql } from '../database/sql.ts'
import type { Leaderboards } from './leaderboards.ts'

/** Maximum milliseconds that a job waits for earlier writers, and milliseconds between two checks. */
const TIMEOUT_MS = 30_000
const LOOK = 50

/**
 * Waits until all statements have ended that may have begun before a transaction was committed: their values count in the version
 * that it ended.
 * @throws Error on timeout; the job is then retried
 */
export async function writersHaveEnded(
  { database }: Pick<Leaderboards, 'database'>,
  transaction: string,
  signal: AbortSignal,
): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS
  for (;;) {
    const [row] = await database.query(sql`
      SELECT pg_snapshot_xmin(pg_current_snapshot()) > ${transaction}::xid8 AS ended`)
    if (boolean('ended')(row!)) return
    if (performance.now() > deadline)
      throw new Error('a transaction that may have begun before the version ended is still running')
    await sleep(LOOK, null, { signal })
  }
}
