import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Row } from '../database/row.ts'
import { errors } from '../errors.ts'
import { AmountSemaphore } from '../scheduling/amount-semaphore.ts'
import { FairSemaphore } from '../scheduling/fair-semaphore.ts'
import { type Principal, SERVER } from '../scheduling/principal.ts'

/** Bytes of rows from which on making a response of them blocks the event loop noticeably. */
export const LARGE = 512 * 1024
/**
 * Bytes of rows for which the slot stays taken a millisecond longer, so that other work runs: about as long as processing them
 * takes.
 */
const BYTES_A_MILLISECOND = 100_000
/** Maximum bytes of such rows in memory, including those being read: for one address, and in all. */
const HELD_BYTES = { ofAddress: 24 * 1024 * 1024, inAll: 96 * 1024 * 1024 }
const QUEUE = { slots: 1, waiting: { atAddress: 100, ofApp: 1000, inAll: 1000 }, timeoutMs: 20_000 }

/**
 * Bounds the memory held by large responses, and makes them one after the other. One instance per process, as there is one event
 * loop.
 */
export class LargeResults {
  readonly #queue = new FairSemaphore(QUEUE)
  readonly #bytes = new AmountSemaphore({ guaranteed: HELD_BYTES.ofAddress, inAll: HELD_BYTES.inAll, times: 0 })

  /**
   * Reads rows and makes a response of them. Their bytes count as held from when they arrive until the response is made.
   * @throws ApiError 429 when this address holds too much memory, 503 when all together do
   */
  async withRoom<Answer>(principal: Principal = SERVER, work: (room: ResultRoom) => Promise<Answer>): Promise<Answer> {
    const room = new ResultRoom(this, principal)
    try {
      return await work(room)
    } finally {
      room.release()
    }
  }

  /** Checks the memory held for an address. @throws ApiError 429 when it already holds too much */
  check(key: string): void {
    if (this.#bytes.heldBy(key) > HELD_BYTES.ofAddress) throw errors.tooManyRequests()
  }

  /**
   * Records more bytes of a response.
   * @param own bytes that the response already holds
   * @throws ApiError 429, 503
   */
  hold(key: string, own: number, bytes: number): void {
    // A single response may be of any size.
    const refusal = this.#bytes.tryAcquire(key, bytes, own)
    if (refusal) throw refusal === 'share' ? errors.tooManyRequests() : errors.unavailable()
  }

  release(key: string, bytes: number): void {
    this.#bytes.release(key, bytes)
  }

  /**
   * Makes a response in the queue of large ones. @throws ApiError 429 or 503 when too much waits; 499 when the client
   * disconnected
   */
  present<Answer>(principal: Principal, bytes: number, work: () => Promise<Answer>): Promise<Answer> {
    return this.#queue.run(principal, work, bytes / BYTES_A_MILLISECOND)
  }
}

/** The memory held by the rows of one response, counted in steps of LARGE, so that small responses count as nothing. */
export class ResultRoom {
  readonly #results: LargeResults
  readonly #principal: Principal
  readonly #key: string
  #bytes = 0
  #held = 0

  constructor(results: LargeResults, principal: Principal) {
    this.#results = results
    this.#principal = principal
    this.#key = `${principal.app} ${principal.address}`
  }

  /**
   * Must be called before a statement is sent whose rows are counted; the rows of the previous one no longer count.
   * @throws ApiError 429 when this address already holds too much memory
   */
  readonly begin = (): void => {
    this.release()
    this.#results.check(this.#key)
  }

  /**
   * Counts a row that has arrived.
   * @returns its bytes
   * @throws ApiError 429 when its address holds too much memory, 503 when all together do
   */
  readonly sizeOf = ({ data }: Row): number => {
    const size = typeof data === 'string' ? data.length : 0
    this.#bytes += size
    const wanted = Math.floor(this.#bytes / LARGE) * LARGE
    if (wanted > this.#held) {
      this.#results.hold(this.#key, this.#held, wanted - this.#held)
      this.#held = wanted
    }
    return size
  }

  /**
   * Makes the response: at once if its rows are small, otherwise in a queue, one response after the other with pauses for other
   * work.
   * @throws ApiError 429 or 503 when too much waits; 499 when the client disconnected
   */
  async presentQueued<Answer>(present: () => Promise<Answer>): Promise<Answer> {
    if (this.#held === 0) return present()
    const work = async () => {
      // Reading the rows from the connection has already blocked the event loop.
      await nextTurn()
      return present()
    }
    return this.#results.present(this.#principal, this.#bytes, work)
  }

  release(): void {
    this.#bytes = 0
    if (this.#held > 0) this.#results.release(this.#key, this.#held)
    this.#held = 0
  }
}
