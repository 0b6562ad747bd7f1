import type { JobTable } from './job-table.ts'

/** A job that this process keeps back. Once it has been started or dropped, both do nothing more. */
export interface HeldJob {
  /** Lets any node run it, at once. @throws when that cannot be stored: then it runs when its lease ends */
  start(): Promise<void>
  /** It is not to be run. @throws when that cannot be stored: then it runs when its lease ends */
  drop(): Promise<void>
}

/** Leases are renewed when less than this part of their time is left. */
const RENEWED_BELOW = 0.6

/**
 * Jobs that are to run if this process dies. Each is in the table from the beginning, as if it ran here, so that its
 * lease runs out with the process.
 */
export class HeldJobs {
  readonly #table: JobTable
  readonly #lease: number
  readonly #ids = new Set<number>()
  /** When the leases are to be renewed, by the clock of `performance.now`. */
  #due = 0
  #renewing = false

  /** @param lease milliseconds that a job is kept back after the last sign of life of this process */
  constructor(table: JobTable, lease: number) {
    this.#table = table
    this.#lease = lease
  }

  /** @param started called when the job may be run, here or elsewhere */
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

  /** To be called at intervals that are short beside the lease. */
  async beat(): Promise<void> {
    if (this.#renewing || this.#ids.size === 0 || performance.now() < this.#due) return
    this.#renewing = true
    const due = performance.now() + this.#lease * (1 - RENEWED_BELOW)
    try {
      const asked = [...this.#ids]
      const renewed = await this.#table.renew(asked, this.#lease)
      // While the database was away others have taken what is not ours any more.
      for (const id of asked) if (!renewed.has(id)) this.#ids.delete(id)
      this.#due = due
    } catch {
      // The next beat tries again.
    } finally {
      this.#renewing = false
    }
  }
}
