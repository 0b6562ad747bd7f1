import type { Log } from '../log.ts'

/** Background work of messaging that only the shutdown of the app waits for, such as a push to absent members. */
export class PendingWork {
  readonly #log: Log
  readonly #work = new Set<Promise<void>>()

  constructor(log: Log) {
    this.#log = log
  }

  /** Adds work. @param failure the log text if it fails */
  add(work: Promise<void>, failure: string): void {
    const ended = work
      .catch((error: Error) => this.#log.warn({ error: error.message }, failure))
      .finally(() => this.#work.delete(ended))
    this.#work.add(ended)
  }

  /** Resolves when no work is left, including work added meanwhile. Hooks and statements have time limits of their own. */
  async drain(): Promise<void> {
    while (this.#work.size > 0) await Promise.all(this.#work)
  }
}
