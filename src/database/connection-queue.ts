import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { FairSemaphore } from '../scheduling/fair-semaphore.ts'
import type { Principal } from '../scheduling/principal.ts'
import { isFull, isStarting } from './faults.ts'

/** How many statements may wait for a connection. An app's back end may send a thousand requests at once. */
const WAITING = { atAddress: 1000, ofApp: 3000, inAll: 4000 }

/** Milliseconds between two tries to connect to a database that has no room, or is starting. */
export const PAUSE = 100

/** How often a database that had no room is asked for another connection, in milliseconds. */
const GROWTH = 1000

/**
 * The connections of a pool, and the queue for them. Where the database has no room for as many as the pool may have, the
 * queue waits for those that are open.
 */
export class ConnectionQueue {
  readonly #pool: pg.Pool
  readonly #semaphore: FairSemaphore
  readonly #maxWait: number
  /** Another pool of the same database, which can make room. */
  #neighbor: ConnectionQueue | undefined
  #growth: NodeJS.Timeout | undefined
  #owesOne = false

  /** @param maxWait milliseconds that a statement waits at most for a connection, and for a database that has no room yet */
  constructor(pool: pg.Pool, maxWait: number) {
    this.#pool = pool
    this.#maxWait = maxWait
    this.#semaphore = new FairSemaphore({ slots: pool.options.max, waiting: WAITING, timeoutMs: maxWait })
  }

  set neighbor(neighbor: ConnectionQueue) {
    this.#neighbor = neighbor
  }

  /** How many wait for a connection. */
  get waiting(): number {
    return this.#semaphore.waiting + this.#pool.waitingCount
  }

  /**
   * Checks a connection out, until `release`.
   * @param since when it began to ask for one, by `performance.now()`; now unless told
   * @throws ApiError 429 or 503 when it would have to wait for too long, 499 when the client disconnected; what the driver throws
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

  /** @param broken why the connection is of no more use, or that it is to be closed */
  release(client: pg.PoolClient, principal: Principal, broken: Error | boolean): void {
    client.release(broken || this.#owesOne)
    this.#owesOne = false
    this.#semaphore.release(principal)
  }

  /** Gives a connection up, so that the database has room for another one; the last one is kept. */
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

  /** Waits for no more room. */
  stop(): void {
    clearInterval(this.#growth)
  }

  /** Returns when it is time to try again, after an error that passes by itself. @throws any other error */
  async #recover(error: unknown, deadline: number): Promise<void> {
    if (!(isFull(error) || isStarting(error)) || performance.now() > deadline || this.#pool.ending) throw error
    if (isFull(error)) {
      const { totalCount } = this.#pool
      if (totalCount === 0) this.#neighbor?.makeRoom()
      this.#haveFewer(Math.max(1, totalCount))
    }
    // Where more slots are held than there are, one of their holders has to end. Else the database needs time.
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
