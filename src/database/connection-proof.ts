import type { Connection } from './connection.ts'
import { isFull } from './faults.ts'

/** Milliseconds for which one new connection proves that more can be opened. */
const VALID_MS = 2000

/**
 * Proves that the database accepts new connections by opening one: open connections keep working when the database's socket is
 * lost. One proof is shared by all callers within `VALID_MS`.
 */
export class ConnectionProof {
  readonly #make: () => Connection
  #last: { readonly at: number; readonly result: Promise<void> } | null = null

  /** @param make returns a connection that is not yet open */
  constructor(make: () => Connection) {
    this.#make = make
  }

  /** Returns the current proof, or opens a connection for a new one. @throws the error of connecting */
  give(): Promise<void> {
    if (this.#last === null || performance.now() - this.#last.at > VALID_MS) {
      this.#last = { at: performance.now(), result: this.#connectOnce() }
      // Callers receive the failure; without this handler it would also be an unhandled rejection.
      this.#last.result.catch(() => {})
    }
    return this.#last.result
  }

  async #connectOnce(): Promise<void> {
    const client = this.#make()
    try {
      await client.connect()
    } catch (error) {
      // A server whose connections are all in use does accept connections.
      if (!isFull(error)) throw error
    }
    await client.end()
  }
}
