import type { IncomingMessage, ServerResponse } from 'node:http'
import { errors } from '../../errors.ts'

export interface AnswerLimits {
  /** Answers of fewer bytes are not counted; `pipelined-requests.ts` bounds how many of them a connection can leave unread. */
  readonly small: number
  /** Bytes that all answers which are not sent entirely may have together. */
  readonly total: number
  /** Bytes that those to one address may have. */
  readonly ofOneAddress: number
  /** Milliseconds that any answer may take to be received. */
  readonly patience: number
  /** Bytes a second that a client has to receive beyond that. */
  readonly leastRate: number
}

const ANSWER_LIMITS: AnswerLimits = {
  small: 16 * 1024,
  total: 256 * 1024 * 1024,
  ofOneAddress: 32 * 1024 * 1024,
  patience: 30_000,
  leastRate: 16 * 1024,
}

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
  readonly #ofAddress = new Map<string, number>()
  readonly #sweep: NodeJS.Timeout
  #total = 0

  /** @param addressOf IP address of the client that sent a request */
  constructor(addressOf: (request: IncomingMessage) => string, limits: AnswerLimits = ANSWER_LIMITS) {
    this.#addressOf = addressOf
    this.#limits = limits
    this.#sweep = setInterval(() => this.#endLate(), Math.min(1000, limits.patience)).unref()
  }

  /**
   * To be called before anything is done for a request.
   * @throws ApiError 429 when its address leaves as much unread as it may
   */
  checkReader(request: IncomingMessage): void {
    if (this.#total < this.#limits.ofOneAddress) return
    if (this.#sizeOf(this.#addressOf(request)) >= this.#limits.ofOneAddress) throw errors.tooManyRequests()
  }

  /**
   * Takes note of an answer that is about to be sent.
   * @param size characters, which stand for bytes: these would take as long to count as to send
   * @throws ApiError 429 when its address leaves too much unread, 503 when all do together
   */
  hold(response: ServerResponse, size: number): void {
    if (size < this.#limits.small) return
    const address = this.#addressOf(response.req)
    const ofAddress = this.#sizeOf(address)
    // One alone may be as large as it is.
    if (ofAddress > 0 && ofAddress + size > this.#limits.ofOneAddress) throw errors.tooManyRequests()
    if (this.#total > 0 && this.#total + size > this.#limits.total) throw errors.unavailable()
    const { patience, leastRate } = this.#limits
    const until = performance.now() + patience + (size / leastRate) * 1000
    this.#unsent.set(response, { address, size, until })
    this.#total += size
    this.#ofAddress.set(address, ofAddress + size)
    // 'close' of an answer says that the system has all of it, or that its connection is gone.
    response.once('close', () => this.#forget(response))
  }

  stop(): void {
    clearInterval(this.#sweep)
  }

  #sizeOf(address: string): number {
    return this.#ofAddress.get(address) ?? 0
  }

  #forget(response: ServerResponse): void {
    const unsent = this.#unsent.get(response)
    if (!unsent) return
    const { address, size } = unsent
    this.#unsent.delete(response)
    this.#total -= size
    const left = this.#sizeOf(address) - size
    if (left > 0) this.#ofAddress.set(address, left)
    else this.#ofAddress.delete(address)
  }

  #endLate(): void {
    const now = performance.now()
    for (const [response, { until }] of this.#unsent) {
      if (until > now) continue
      // One that waits behind another on its connection has no socket yet; its request always has.
      response.req.socket.destroy()
    }
  }
}
