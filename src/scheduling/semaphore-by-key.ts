import { FairSemaphore } from './fair-semaphore.ts'
import type { Principal } from './principal.ts'

/** Maximum number waiting for one key, and the maximum wait in milliseconds. */
const WAITING = 500
const TIMEOUT_MS = 30_000

/**
 * A fair semaphore of one slot for each of many keys (`fair-semaphore.ts`). Work that would wait for a lock in the database waits
 * here first, without holding a connection.
 */
export class SemaphoreByKey {
  readonly #semaphores = new Map<string, FairSemaphore>()

  /**
   * Runs work in the slot of the key.
   * @throws ApiError 429 or 503 when too many wait or the wait is too long; 499 when the client disconnected
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
