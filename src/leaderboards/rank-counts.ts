import { isMissingTable } from '../database/faults.ts'
import type { Database } from '../database/pool.ts'
import type { Log } from '../log.ts'
import type { LeaderboardTables, Ranking } from './leaderboard-tables.ts'
import { countChanges } from './rank-buckets.ts'

/** Number of uncounted changes that starts a count. */
export const MANY_CHANGES = 500

/**
 * Triggers counting of changes for the rank buckets (docs/leaderboards.md, How ranks are found). Whether changes are counted
 * never affects a rank, only the time to compute it.
 */
export class RankCounts {
  readonly #database: Database
  readonly #tables: LeaderboardTables
  readonly #log: Log
  /** Changes that this node has written since its last count, by ranking. */
  readonly #written = new Map<string, number>()
  readonly #running = new Map<string, Promise<void>>()
  #stopped = false

  constructor(database: Database, tables: LeaderboardTables, log: Log) {
    this.#database = database
    this.#tables = tables
    this.#log = log
  }

  /** Records that statistics of a ranking were written, or that uncounted changes were found. */
  note(ranking: Ranking, changes: number): void {
    const key = keyOf(ranking)
    const written = (this.#written.get(key) ?? 0) + changes
    this.#written.set(key, written)
    if (written >= MANY_CHANGES) this.#start(ranking)
  }

  /** Waits for running counts, and starts no more. */
  async stop(): Promise<void> {
    this.#stopped = true
    await Promise.all(this.#running.values())
  }

  #start(ranking: Ranking): void {
    const key = keyOf(ranking)
    if (this.#stopped || this.#running.has(key)) return
    this.#written.delete(key)
    const run = countChanges(this.#database, this.#tables, ranking)
      .catch((error: unknown) => {
        // The app was deleted, or the next write retries.
        if (!isMissingTable(error)) this.#log.warn({ error, ...ranking }, 'updating rank counts failed')
      })
      .finally(() => {
        this.#running.delete(key)
        if ((this.#written.get(key) ?? 0) >= MANY_CHANGES) this.#start(ranking)
      })
    this.#running.set(key, run)
  }
}

function keyOf({ board, version }: Ranking): string {
  return `${board}/${version}`
}
