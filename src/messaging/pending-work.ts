import type { Log } from '../log.ts'

/** Work of messaging that nobody waits for but the end of the app: a push to absent members, say. */
export class PendingWork {
  readonly #log: Log
  readonly #work = new Set<Promise<void>>()

  constructor(log: Log) {
    this.#log = log
  }

  /** @param failure what the log says should it fail */
  add(work: Promise<void>, failure: string): void {
    const ended = work
      .catch((error: Error) => this.#log.warn({ error: error.message }, failure))
      .finally(() => this.#work.delete(ended))
    this.#work.add(ended)
  }

  /** Resolves when nothing is left, what is added meanwhile included. Hooks and statements have limits of their own. */
  async drain(): Promise<void> {
    while (this.#work.size > 0) await Promise.all(this.#work)
  }
}
