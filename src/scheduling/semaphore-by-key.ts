import { FairSemaphore } from './fair-semaphore.ts'
import type { Principal } from './principal.ts'

/** How many may wait for one key, and how many milliseconds each. */
const WAITING = 500
const TIMEOUT_MS = 30_000

/**
 * A fair semaphore of one slot for each of many keys (`fair-semaphore.ts`). What would wait for each other in the database
 * waits here first, where it holds no connection.
 */
export class SemaphoreByKey {
  readonly #semaphores = new Map<string, FairSemaphore>()

  /**
   * Runs work in the slot of the key.
   * @throws ApiError 429, 503 when too many wait, or for too long; 499 when the client disconnected
   */
  async run<Result>(key: string, principal: Principal, work: () => Promise<Result>): Promise<Result> {
    const semaphore = this.#semaphoreOf(key)
    try {
      return await semaphore.run(principal, work)
    } finally {
      if (semaphore.running === 0 && semaphore.waiting === 0) this.#semaphores.delete(key)
    }
  }

  #semaphoreOf(key: string): FairSemaphore {
    let semaphore = this.#semaphores.get(key)
    if (!semaphore) {
      const waiting = { atAddress: WAITING, ofApp: WAITING, inAll: WAITING }
      semaphore = new FairSemaphore({ slots: 1, waiting, timeoutMs: TIMEOUT_MS })
      this.#semaphores.set(key, semaphore)
    }
    return semaphore
  }
}
