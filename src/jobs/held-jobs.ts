import type { JobTable } from './job-table.ts'

/** A job that this process holds back. After it was started or dropped, both methods do nothing. */
export interface HeldJob {
  /**
   * Releases the job, so that any node can run it at once. @throws when that cannot be stored: the job then runs when its lease
   * ends
   */
  start(): Promise<void>
  /** Deletes the job. @throws when that cannot be stored: the job then runs when its lease ends */
  drop(): Promise<void>
}

/** Leases are renewed when less than this fraction of their time is left. */
const RENEWED_BELOW = 0.6

/**
 * Jobs that run if this process dies. Each is in the table from the beginning, marked as running here, so that its lease expires
 * with the process.
 */
export class HeldJobs {
  readonly #table: JobTable
  readonly #lease: number
  readonly #ids = new Set<number>()
  /** When the leases must be renewed next, as a time of `performance.now`. */
  #due = 0
  #renewing = false

  /** @param lease milliseconds that a job is held back after the last renewal by this process */
  constructor(table: JobTable, lease: number) {
    this.#table = table
    this.#lease = lease
  }

  /** Adds a held job. @param started called when the job is released, to run here or on another node */
  async hold(kind: string, payload: object, started: () => void): Promise<HeldJob> {
    const id = await this.#table.insertOurs(kind, payload, this.#lease)
    if (this.#ids.size === 0) this.#due = performance.now() + this.#lease * (1 - RENEWED_BELOW)
    this.#ids.add(id)
    return {
      start: async () => {
        if (!this.#ids.delete(id)) return
        await this.#table.release(id)
        started()
      },
      drop: async () => {
        if (this.#ids.delete(id)) await this.#table.remove({ id })
      },
    }
  }

  /** Renews the leases when they are due. Must be called at intervals that are short compared with the lease. */
  async beat(): Promise<void> {
    if (this.#renewing || this.#ids.size === 0 || performance.now() < this.#due) return
    this.#renewing = true
    const due = performance.now() + this.#lease * (1 - RENEWED_BELOW)
    try {
      const ids = [...this.#ids]
      const renewed = await this.#table.renew(ids, this.#lease)
      // If the database was unreachable, other workers may have taken jobs whose leases expired.
      for (const id of ids) if (!renewed.has(id)) this.#ids.delete(id)
      this.#due = due
    } catch {
      // The next beat retries.
    } finally {
      this.#renewing = false
    }
  }
}
