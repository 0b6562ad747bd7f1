import type { Log } from '../log.ts'

/** Functions to be told of one thing. One that throws is logged, and the others are told all the same. */
export class Listeners<Told extends readonly unknown[]> {
  readonly #log: Log
  readonly #entries = new Set<{ readonly listener: (...told: Told) => void }>()

  constructor(log: Log) {
    this.#log = log
  }

  get size(): number {
    return this.#entries.size
  }

  /** @returns a function that removes the listener again */
  add(listener: (...told: Told) => void): () => void {
    // An entry of its own: a function that was added twice is called twice, and each removal removes one.
    const entry = { listener }
    this.#entries.add(entry)
    return () => void this.#entries.delete(entry)
  }

  /** Calls those that are there now; one that another removes meanwhile is not called any more. */
  tell(...told: Told): void {
    for (const entry of [...this.#entries]) {
      if (!this.#entries.has(entry)) continue
      try {
        entry.listener(...told)
      } catch (error) {
        const text = error instanceof Error ? error.message : String(error)
        this.#log.error({ component: 'bus', error: text }, 'a listener of the bus failed')
      }
    }
  }
}
