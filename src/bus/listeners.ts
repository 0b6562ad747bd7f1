import type { Log } from '../log.ts'

/** Functions that are called when one thing happens. One that throws is logged, and the others are called all the same. */
export class Listeners<Args extends readonly unknown[]> {
  readonly #log: Log
  readonly #entries = new Set<{ readonly listener: (...args: Args) => void }>()

  constructor(log: Log) {
    this.#log = log
  }

  get size(): number {
    return this.#entries.size
  }

  /** @returns a function that removes the listener again */
  add(listener: (...args: Args) => void): () => void {
    // An entry of its own: a function that was added twice is called twice, and each removal removes one.
    const entry = { listener }
    this.#entries.add(entry)
    return () => void this.#entries.delete(entry)
  }

  /** Calls the listeners that there are now. One that another removes meanwhile is not called any more. */
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
