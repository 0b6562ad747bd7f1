import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Row } from '../database/row.ts'
import { errors } from '../errors.ts'
import { AmountSemaphore } from '../scheduling/amount-semaphore.ts'
import { FairSemaphore } from '../scheduling/fair-semaphore.ts'
import { type Principal, SERVER } from '../scheduling/principal.ts'

/** Bytes of rows from which on making an answer of them holds up the event loop for long enough to be noticed. */
export const LARGE = 512 * 1024
/** Bytes of rows after which others have the event loop for a millisecond: about as long as they take. */
const BYTES_A_MILLISECOND = 100_000
/** Bytes of such rows that may be in memory, those that are being read among them: for one address, and for all. */
const HELD_BYTES = { ofAddress: 24 * 1024 * 1024, inAll: 96 * 1024 * 1024 }
const QUEUE = { slots: 1, waiting: { atAddress: 100, ofApp: 1000, inAll: 1000 }, timeoutMs: 20_000 }

/** Bounds what large answers hold in memory, and makes them one after the other; one for a process, as the event loop is. */
export class LargeResults {
  readonly #queue = new FairSemaphore(QUEUE)
  readonly #bytes = new AmountSemaphore({ guaranteed: HELD_BYTES.ofAddress, inAll: HELD_BYTES.inAll, times: 0 })

  /**
   * Reads rows and makes an answer of them, with what they hold in memory counted from when they come until it is made.
   * @throws ApiError 429 when this address has too much in memory, 503 when all have
   */
  async withRoom<Answer>(principal: Principal = SERVER, work: (room: ResultRoom) => Promise<Answer>): Promise<Answer> {
    const room = new ResultRoom(this, principal)
    try {
      return await work(room)
    } finally {
      room.release()
    }
  }

  /** @throws ApiError 429 when this address has too much in memory already */
  check(key: string): void {
    if (this.#bytes.heldBy(key) > HELD_BYTES.ofAddress) throw errors.tooManyRequests()
  }

  /**
   * Takes note of more bytes of an answer.
   * @param own bytes that the answer holds already
   * @throws ApiError 429, 503
   */
  hold(key: string, own: number, bytes: number): void {
    // One alone may be as large as it is.
    const refusal = this.#bytes.tryAcquire(key, bytes, own)
    if (refusal) throw refusal === 'share' ? errors.tooManyRequests() : errors.unavailable()
  }

  release(key: string, bytes: number): void {
    this.#bytes.release(key, bytes)
  }

  /** @throws ApiError 429 or 503 when too much waits; 499 when the client disconnected */
  present<Answer>(principal: Principal, bytes: number, work: () => Promise<Answer>): Promise<Answer> {
    return this.#queue.run(principal, work, bytes / BYTES_A_MILLISECOND)
  }
}

/** What the rows of one answer hold in memory: nothing worth to be counted, or steps of LARGE. */
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
   * To be called before a statement is sent whose rows are counted; those of the one before are not wanted any more.
   * @throws ApiError 429 when this address has too much in memory already
   */
  readonly begin = (): void => {
    this.release()
    this.#results.check(this.#key)
  }

  /**
   * Counts a row that has come.
   * @returns its bytes
   * @throws ApiError 429 when it is too much for its address, 503 when it is for all together
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
   * Makes the answer: at once where its rows are few bytes, else in turn, one answer after the other, with time for
   * everybody else in between.
   * @throws ApiError 429 or 503 when too much waits; 499 when the client disconnected
   */
  async presentInTurn<Answer>(present: () => Promise<Answer>): Promise<Answer> {
    if (this.#held === 0) return present()
    const work = async () => {
      // To read the rows from the connection has held up others already.
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
