import type { IncomingMessage, ServerResponse } from 'node:http'
import { type ApiError, errors } from '../../errors.ts'
import { addressKey } from '../../limits/address-key.ts'
import { AmountSemaphore } from '../../scheduling/amount-semaphore.ts'
import { whenClosed } from './client-gone.ts'

export interface AnswerLimits {
  /** Answers of fewer bytes are not counted; `pipelined-requests.ts` bounds how many of them a connection can leave unread. */
  readonly small: number
  /** Bytes that all answers which are not sent entirely may have together. */
  readonly total: number
  /** Bytes that those to one address may have, however many others have. */
  readonly ofOneAddress: number
  /** Milliseconds that any answer may take to be received. */
  readonly patience: number
  /** Bytes a second that a client has to receive beyond that. */
  readonly leastRate: number
  /** Milliseconds that nothing is done for an address of which an answer was too much, unless it receives one meanwhile. */
  readonly pause: number
}

const ANSWER_LIMITS: AnswerLimits = {
  small: 16 * 1024,
  total: 256 * 1024 * 1024,
  ofOneAddress: 32 * 1024 * 1024,
  patience: 30_000,
  leastRate: 16 * 1024,
  pause: 1000,
}

/** An address may have so many times the bytes that are still free. */
const TIMES_FREE = 1 / 4

interface Unsent {
  readonly address: string
  readonly size: number
  /** When its connection is given up. */
  readonly until: number
}

/**
 * The large answers that were begun and not sent entirely. The system takes little of them ahead; what a client does not
 * read is held here. So all of them are bounded together, and a client that reads nothing ends with its connection.
 */
export class UnsentAnswers {
  readonly #addressOf: (request: IncomingMessage) => string
  readonly #limits: AnswerLimits
  readonly #unsent = new Map<ServerResponse, Unsent>()
  readonly #bytes: AmountSemaphore
  /** Until when nothing is done for an address, by `performance.now()`. */
  readonly #pausedUntil = new Map<string, number>()
  readonly #sweep: NodeJS.Timeout

  /** @param addressOf IP address of the client that sent a request */
  constructor(addressOf: (request: IncomingMessage) => string, limits: AnswerLimits = ANSWER_LIMITS) {
    this.#addressOf = addressOf
    this.#limits = limits
    this.#bytes = new AmountSemaphore({ guaranteed: limits.ofOneAddress, inAll: limits.total, times: TIMES_FREE })
    this.#sweep = setInterval(() => this.#endLate(), Math.min(1000, limits.patience)).unref()
  }

  /**
   * To be called before anything is done for a request.
   * @returns ApiError 429 when its address leaves as much unread as it may, or has just asked for more than that
   */
  refusal(request: IncomingMessage): ApiError | undefined {
    if (this.#bytes.isFree && this.#pausedUntil.size === 0) return undefined
    const address = addressKey(this.#addressOf(request))
    const isFull = !this.#bytes.hasShare(address, 1)
    return isFull || this.#isPaused(address) ? errors.tooManyRequests() : undefined
  }

  /**
   * Takes note of an answer that is about to be sent.
   * @param size characters, which stand for bytes: these would take as long to count as to send
   * @throws ApiError 429 when its address leaves too much unread, 503 when all do together
   */
  hold(response: ServerResponse, size: number): void {
    if (size < this.#limits.small) return
    const address = addressKey(this.#addressOf(response.req))
    // One alone may be as large as it is.
    const refusal = this.#bytes.tryAcquire(address, size, 0)
    if (refusal === 'share') {
      // It was made in vain, and so would be the next.
      this.#pausedUntil.set(address, performance.now() + this.#limits.pause)
      throw errors.tooManyRequests()
    }
    if (refusal) throw errors.unavailable()
    const { patience, leastRate } = this.#limits
    const until = performance.now() + patience + (size / leastRate) * 1000
    this.#unsent.set(response, { address, size, until })
    // 'close' of an answer says that the system has all of it, or that its connection is gone.
    whenClosed(response, () => this.#forget(response))
    response.once('finish', () => {
      // A client that has disconnected has received nothing, though Node emits the event then too.
      if (!response.req.socket.destroyed) this.#pausedUntil.delete(address)
    })
  }

  stop(): void {
    clearInterval(this.#sweep)
  }

  #forget(response: ServerResponse): void {
    const unsent = this.#unsent.get(response)
    if (!unsent) return
    this.#unsent.delete(response)
    this.#bytes.release(unsent.address, unsent.size)
  }

  #isPaused(address: string): boolean {
    const until = this.#pausedUntil.get(address)
    return until !== undefined && performance.now() < until
  }

  #endLate(): void {
    const now = performance.now()
    for (const [address, until] of this.#pausedUntil) if (until <= now) this.#pausedUntil.delete(address)
    for (const [response, { until }] of this.#unsent) {
      if (until > now) continue
      response.req.socket.destroy()
    }
  }
}
