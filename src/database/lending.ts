import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { FairTurns } from '../turns/fair-turns.ts'
import type { Party } from '../turns/party.ts'
import { isFull, isStarting } from './faults.ts'

/** How many statements may wait for a connection. An app's back end may well send a thousand requests at once. */
const WAITING = { atAddress: 1000, ofApp: 3000, inAll: 4000 }

/** Milliseconds between two tries to connect to a database that has no room, or is starting. */
export const PAUSE = 100

/** How often a database that had no room is asked for another connection, in milliseconds. */
const GROWTH = 1000

/**
 * Lends the connections of a pool in turns. Where the database has no room for as many as the pool may have, those that are
 * there have to do, and who would have had another one waits for its turn.
 */
export class Lending {
  readonly #pool: pg.Pool
  readonly #turns: FairTurns
  readonly #maxWait: number
  /** Another pool of the same database, which can make room. */
  #neighbour: Lending | undefined
  #growth: NodeJS.Timeout | undefined
  #owesOne = false

  /** @param maxWait milliseconds that a statement waits at most for its turn, and for a database that has no room yet */
  constructor(pool: pg.Pool, maxWait: number) {
    this.#pool = pool
    this.#maxWait = maxWait
    this.#turns = new FairTurns({ places: pool.options.max, waiting: WAITING, patience: maxWait })
  }

  set neighbour(neighbour: Lending) {
    this.#neighbour = neighbour
  }

  /** How many wait for a connection. */
  get waiting(): number {
    return this.#turns.waiting + this.#pool.waitingCount
  }

  /**
   * Lends a connection, which `giveBack` takes back.
   * @param since when it began to ask for one, by `performance.now()`; now unless told
   * @throws ApiError 429 or 503 when it would have to wait for too long, 499 when the party went away; what the driver throws
   */
  async lend(party: Party, since?: number): Promise<pg.PoolClient> {
    const turn = this.#turns.begin(party)
    if (turn) await turn
    try {
      return await this.#pool.connect()
    } catch (error) {
      const began = since ?? performance.now()
      await this.#recover(error, began + this.#maxWait).finally(() => this.#turns.end(party))
      return this.lend(party, began)
    }
  }

  /** @param broken why the connection is of no more use, or that it is to be closed */
  giveBack(client: pg.PoolClient, party: Party, broken: Error | boolean): void {
    client.release(broken || this.#owesOne)
    this.#owesOne = false
    this.#turns.end(party)
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
      if (totalCount === 0) this.#neighbour?.makeRoom()
      this.#haveFewer(Math.max(1, totalCount))
    }
    // Where others have their turn beyond the places, one of them has to end. Else the database needs time.
    if (this.#turns.running <= this.#turns.places) await sleep(PAUSE)
  }

  #haveFewer(places: number): void {
    this.#turns.places = Math.min(this.#turns.places, places)
    this.#growth ??= setInterval(() => this.#haveMore(), GROWTH).unref()
  }

  #haveMore(): void {
    if (this.#turns.waiting > 0) this.#turns.places++
    if (this.#turns.places < this.#pool.options.max) return
    clearInterval(this.#growth)
    this.#growth = undefined
  }
}
