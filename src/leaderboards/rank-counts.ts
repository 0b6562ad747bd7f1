import { isMissingTable } from '../database/faults.ts'
import type { Database } from '../database/pool.ts'
import type { Log } from '../log.ts'
import { countChanges } from './fences.ts'
import type { LeaderboardTables, Ranking } from './leaderboard-tables.ts'

/** Changes that wait to be counted before somebody counts them. */
export const MANY_CHANGES = 500

/**
 * Has the fences of rankings count what has changed (docs/leaderboards.md, How ranks are found). Whether it has been at work
 * never shows in a rank, only in the time that one takes.
 */
export class RankCounts {
  readonly #database: Database
  readonly #tables: LeaderboardTables
  readonly #log: Log
  /** Changes that this node has written since it counted last, by ranking. */
  readonly #written = new Map<string, number>()
  readonly #running = new Map<string, Promise<void>>()
  #stopped = false

  constructor(database: Database, tables: LeaderboardTables, log: Log) {
    this.#database = database
    this.#tables = tables
    this.#log = log
  }

  /** Notes that statistics of a ranking have been written, or that so many changes were found uncounted. */
  note(ranking: Ranking, changes: number): void {
    const key = keyOf(ranking)
    const written = (this.#written.get(key) ?? 0) + changes
    this.#written.set(key, written)
    if (written >= MANY_CHANGES) this.#start(ranking)
  }

  /** Lets what runs end, and begins nothing more. */
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
        // The app is gone, or the next write tries again.
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
