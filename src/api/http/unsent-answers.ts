import type { IncomingMessage, ServerResponse } from 'node:http'
import { type ApiError, errors } from '../../errors.ts'
import { addressKey } from '../../limits/address-key.ts'
import { AmountSemaphore } from '../../scheduling/amount-semaphore.ts'
import { whenClosed } from './client-gone.ts'

export interface AnswerLimits {
  /** Responses of fewer bytes are not counted; `pipelined-requests.ts` bounds how many of them a connection can leave unread. */
  readonly small: number
  /** Maximum total bytes of all unsent responses. */
  readonly total: number
  /** Bytes guaranteed to the unsent responses of one address, whatever other addresses have. */
  readonly ofOneAddress: number
  /** Time that any response may take to be received, in milliseconds. */
  readonly timeoutMs: number
  /** Additional time by size: the minimum rate at which a client has to receive, in bytes per second. */
  readonly minRate: number
  /**
   * Milliseconds for which requests of an address are rejected after a response exceeded its share, unless it receives
   * a response meanwhile.
   */
  readonly pause: number
}

const ANSWER_LIMITS: AnswerLimits = {
  small: 16 * 1024,
  total: 256 * 1024 * 1024,
  ofOneAddress: 32 * 1024 * 1024,
  timeoutMs: 30_000,
  minRate: 16 * 1024,
  pause: 1000,
}

/** An address may use up to this multiple of the free bytes. */
const TIMES_FREE = 1 / 4

interface Unsent {
  readonly address: string
  readonly size: number
  /** When its connection is closed. */
  readonly until: number
}

/**
 * The large responses that were begun and not sent completely. The system buffers little of them; what a client does
 * not read is held in this process. So their total is bounded, and a client that does not read ends with its
 * connection.
 */
export class UnsentAnswers {
  readonly #addressOf: (request: IncomingMessage) => string
  readonly #limits: AnswerLimits
  readonly #unsent = new Map<ServerResponse, Unsent>()
  readonly #bytes: AmountSemaphore
  /** Until when requests of an address are rejected, by `performance.now()`. */
  readonly #pausedUntil = new Map<string, number>()
  readonly #sweep: NodeJS.Timeout

  /** @param addressOf returns the IP address of the client that sent a request */
  constructor(addressOf: (request: IncomingMessage) => string, limits: AnswerLimits = ANSWER_LIMITS) {
    this.#addressOf = addressOf
    this.#limits = limits
    this.#bytes = new AmountSemaphore({ guaranteed: limits.ofOneAddress, inAll: limits.total, times: TIMES_FREE })
    this.#sweep = setInterval(() => this.#endLate(), Math.min(1000, limits.timeoutMs)).unref()
  }

  /**
   * Checks whether a request may be processed. Call it before any work for the request.
   * @returns ApiError 429 when the address has used up its share of unsent bytes, or has just exceeded it
   */
  refusal(request: IncomingMessage): ApiError | undefined {
    if (this.#bytes.isFree && this.#pausedUntil.size === 0) return undefined
    const address = addressKey(this.#addressOf(request))
    const isFull = !this.#bytes.hasShare(address, 1)
    return isFull || this.#isPaused(address) ? errors.tooManyRequests() : undefined
  }

  /**
   * Registers a response that is about to be sent.
   * @param size in characters, as an approximation of bytes: counting bytes would take as long as sending
   * @throws ApiError 429 when the address leaves too much unread, 503 when all addresses together do
   */
  hold(response: ServerResponse, size: number): void {
    if (size < this.#limits.small) return
    const address = addressKey(this.#addressOf(response.req))
    // A single response may be of any size.
    const refusal = this.#bytes.tryAcquire(address, size, 0)
    if (refusal === 'share') {
      // The response was created for nothing, and so would be the next.
      this.#pausedUntil.set(address, performance.now() + this.#limits.pause)
      throw errors.tooManyRequests()
    }
    if (refusal) throw errors.unavailable()
    const { timeoutMs, minRate } = this.#limits
    const until = performance.now() + timeoutMs + (size / minRate) * 1000
    this.#unsent.set(response, { address, size, until })
    // 'close' of a response means that the system has accepted all of it, or that its connection is closed.
    whenClosed(response, () => this.#forget(response))
    response.once('finish', () => {
      // After a disconnect the client has received nothing, although Node emits the event.
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
