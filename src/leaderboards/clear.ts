import { text } from '../database/decode-row.ts'
import type { Executor } from '../database/pool.ts'
import { sql } from '../database/sql.ts'
import type { Leaderboards } from './leaderboards.ts'
import { writersHaveEnded } from './writers-have-ended.ts'

export const CLEAR_JOB = 'leaderboard-clear'

/** A job that deletes statistics that can no longer be queried. */
export interface ClearJob {
  readonly appId: string
  readonly board: number
  /** Last version to delete; null: all, because the board was deleted. */
  readonly upTo: number | null
  /** Id of the transaction after which no new statistics are written to these versions. */
  readonly since: string
}

/** Rows that one transaction deletes. */
const RUN = 5000

export async function clearLater(
  { appId, jobs }: Leaderboards,
  transaction: Executor,
  board: number,
  upTo: number | null,
): Promise<void> {
  if (upTo !== null && upTo < 0) return
  const [row] = await transaction.query(sql`SELECT pg_current_xact_id()::text AS since`)
  const job: ClearJob = { appId, board, upTo, since: text('since')(row!) }
  await jobs.enqueue(CLEAR_JOB, job, { transaction })
}

/** Deletes statistics of ended versions in batches. Keeps versions without a completed archive. */
export async function clear(
  leaderboards: Leaderboards,
  { board, upTo, since }: ClearJob,
  signal: AbortSignal,
): Promise<void> {
  const { database, tables } = leaderboards
  await writersHaveEnded(leaderboards, since, signal)
  const those = sql`board = ${board} AND version <= ${upTo ?? 2 ** 31 - 1} AND version NOT IN (
    SELECT version FROM ${tables.archives} WHERE board = ${board} AND status <> 'completed'
  )`
  await database.query(sql`DELETE FROM ${tables.rankBuckets} WHERE ${those}`)
  for (const table of [tables.statistics, tables.changes]) {
    let removed = RUN
    while (removed === RUN) {
      signal.throwIfAborted()
      removed = await database.transaction(async (transaction) => {
        await transaction.query(sql`SELECT set_config('homeport.uncounted', 'on', true)`)
        const rows = await transaction.query(sql`
          DELETE FROM ${table}
          WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${table} WHERE ${those} LIMIT ${RUN}))
          RETURNING 1 AS deleted`)
        return rows.length
      })
    }
  }
}
