import type { Connection } from './connection.ts'
import { isFull } from './faults.ts'

/** Milliseconds for which one new connection proves that others can be opened. */
const VALID_MS = 2000

/**
 * Proves that the database accepts new connections, by opening one: connections that are open keep working when its socket is
 * lost. One proof counts for all callers within `VALID_MS`.
 */
export class ConnectionProof {
  readonly #make: () => Connection
  #last: { readonly at: number; readonly result: Promise<void> } | null = null

  /** @param make returns a connection that is not open yet */
  constructor(make: () => Connection) {
    this.#make = make
  }

  /** @throws what connecting fails with */
  give(): Promise<void> {
    if (this.#last === null || performance.now() - this.#last.at > VALID_MS) {
      this.#last = { at: performance.now(), result: this.#connectOnce() }
      // Callers receive the failure; without this it would also be an unhandled rejection.
      this.#last.result.catch(() => {})
    }
    return this.#last.result
  }

  async #connectOnce(): Promise<void> {
    const client = this.#make()
    try {
      await client.connect()
    } catch (error) {
      // All of its connections are in use, so it accepts some.
      if (!isFull(error)) throw error
    }
    await client.end()
  }
}
