import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { FairSemaphore } from '../scheduling/fair-semaphore.ts'
import type { Principal } from '../scheduling/principal.ts'
import { isFull, isStarting } from './faults.ts'

/** Maximum number of statements that wait for a connection. An app's back end may send a thousand requests at once. */
const WAITING = { atAddress: 1000, ofApp: 3000, inAll: 4000 }

/** Milliseconds between two attempts to connect to a database that is full or starting. */
export const PAUSE = 100

/** Milliseconds between two attempts to open another connection after the database was full. */
const GROWTH = 1000

/**
 * The connections of a pool, and the queue for them. If the database accepts fewer connections than the pool's maximum, the queue
 * waits for those that are open.
 */
export class ConnectionQueue {
  readonly #pool: pg.Pool
  readonly #semaphore: FairSemaphore
  readonly #maxWait: number
  /** Another pool of the same database, which can close a connection for this one. */
  #neighbor: ConnectionQueue | undefined
  #growth: NodeJS.Timeout | undefined
  #owesOne = false

  /** @param maxWait maximum milliseconds that a statement waits for a connection, and for a database that is full */
  constructor(pool: pg.Pool, maxWait: number) {
    this.#pool = pool
    this.#maxWait = maxWait
    this.#semaphore = new FairSemaphore({ slots: pool.options.max, waiting: WAITING, timeoutMs: maxWait })
  }

  set neighbor(neighbor: ConnectionQueue) {
    this.#neighbor = neighbor
  }

  /** The number of statements waiting for a connection. */
  get waiting(): number {
    return this.#semaphore.waiting + this.#pool.waitingCount
  }

  /**
   * Checks out a connection until `release`.
   * @param since when the wait began, by `performance.now()`; now when omitted
   * @throws ApiError 429 or 503 when the wait would be too long, 499 when the client disconnected; what the driver throws
   */
  async checkout(principal: Principal, since?: number): Promise<pg.PoolClient> {
    const wait = this.#semaphore.acquire(principal)
    if (wait) await wait
    try {
      return await this.#pool.connect()
    } catch (error) {
      const began = since ?? performance.now()
      await this.#recover(error, began + this.#maxWait).finally(() => this.#semaphore.release(principal))
      return this.checkout(principal, began)
    }
  }

  /** Returns a connection to the pool. @param broken the error that broke the connection, or true to close it */
  release(client: pg.PoolClient, principal: Principal, broken: Error | boolean): void {
    client.release(broken || this.#owesOne)
    this.#owesOne = false
    this.#semaphore.release(principal)
  }

  /** Closes a connection to free it for another pool, but keeps the last one. */
  makeRoom(): void {
    if (this.#pool.totalCount < 2 || this.#owesOne) return
    this.#haveFewer(this.#pool.totalCount - 1)
    if (this.#pool.idleCount === 0) this.#owesOne = true
    else
      void this.#pool.connect().then(
        (client) => client.release(true),
        () => {},
      )
  }

  /** Stops trying to open more connections. */
  stop(): void {
    clearInterval(this.#growth)
  }

  /** Resolves when the connection attempt should be repeated after a temporary error. @throws any other error */
  async #recover(error: unknown, deadline: number): Promise<void> {
    if (!(isFull(error) || isStarting(error)) || performance.now() > deadline || this.#pool.ending) throw error
    if (isFull(error)) {
      const { totalCount } = this.#pool
      if (totalCount === 0) this.#neighbor?.makeRoom()
      this.#haveFewer(Math.max(1, totalCount))
    }
    // If more slots are held than exist, one must be released first. Otherwise the database needs time.
    if (this.#semaphore.running <= this.#semaphore.slots) await sleep(PAUSE)
  }

  #haveFewer(slots: number): void {
    this.#semaphore.slots = Math.min(this.#semaphore.slots, slots)
    this.#growth ??= setInterval(() => this.#haveMore(), GROWTH).unref()
  }

  #haveMore(): void {
    if (this.#semaphore.waiting > 0) this.#semaphore.slots++
    if (this.#semaphore.slots < this.#pool.options.max) return
    clearInterval(this.#growth)
    this.#growth = undefined
  }
}
