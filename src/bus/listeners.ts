import type { Log } from '../log.ts'

/** Listeners of one event. A listener that throws is logged, and the others are still called. */
export class Listeners<Args extends readonly unknown[]> {
  readonly #log: Log
  readonly #entries = new Set<{ readonly listener: (...args: Args) => void }>()

  constructor(log: Log) {
    this.#log = log
  }

  get size(): number {
    return this.#entries.size
  }

  /** @returns a function that removes the listener */
  add(listener: (...args: Args) => void): () => void {
    // A separate entry per call: a function that was added twice is called twice, and each removal removes one.
    const entry = { listener }
    this.#entries.add(entry)
    return () => void this.#entries.delete(entry)
  }

  /** Calls the current listeners, except those that another listener removes meanwhile. */
  notify(...args: Args): void {
    for (const entry of [...this.#entries]) {
      if (!this.#entries.has(entry)) continue
      try {
        entry.listener(...args)
      } catch (error) {
        const text = error instanceof Error ? error.message : String(error)
        this.#log.error({ error: text }, 'bus listener failed')
      }
    }
  }
}
