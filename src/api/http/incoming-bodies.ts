import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { errors } from '../../errors.ts'
import { refuse } from './refused-requests.ts'

export interface BodyLimits {
  /** Bytes that the bodies of all requests without an answer may have together. */
  readonly total: number
  /** Bytes that those from one address may have. */
  readonly ofOneAddress: number
  /** Milliseconds within which a body need not come at any rate. */
  readonly patience: number
  /** Bytes a second that must have come on average after that. */
  readonly leastRate: number
}

/** A phone on a slow line sends 4 KB a second; who sends less keeps memory from others. */
const BODY_LIMITS: BodyLimits = {
  total: 256 * 1024 * 1024,
  ofOneAddress: 64 * 1024 * 1024,
  patience: 30_000,
  leastRate: 4096,
}

interface Body {
  readonly socket: Socket
  readonly address: string
  readonly size: number
  readonly since: number
  /** What the socket had received when the body began. */
  readonly before: number
}

/**
 * The large bodies of requests that have begun and not been answered. They are held in memory, so all of them together are
 * bounded, and one that comes too slowly ends with its connection: a client that declares 20 MB and falls silent holds
 * nothing for long.
 */
export class IncomingBodies {
  readonly #limits: BodyLimits
  readonly #open = new Set<Body>()
  readonly #ofAddress = new Map<string, number>()
  readonly #sweep: NodeJS.Timeout
  #total = 0

  constructor(limits: BodyLimits = BODY_LIMITS) {
    this.#limits = limits
    this.#sweep = setInterval(() => this.#endSlow(), Math.min(1000, limits.patience)).unref()
  }

  /**
   * Takes note of a body that is about to be received.
   * @param response what answers the request
   * @param size bytes that it may have
   * @throws ApiError 429 when its address sends too much at once, 503 when all do together
   */
  receive(request: IncomingMessage, response: ServerResponse, address: string, size: number): void {
    const ofAddress = this.#ofAddress.get(address) ?? 0
    if (ofAddress + size > this.#limits.ofOneAddress) throw errors.tooManyRequests()
    if (this.#total + size > this.#limits.total) throw errors.unavailable()
    const { socket } = request
    const body: Body = { socket, address, size, since: performance.now(), before: socket.bytesRead }
    this.#open.add(body)
    this.#total += size
    this.#ofAddress.set(address, ofAddress + size)
    // 'close' of a request says that it is whole or never will be; 'close' of an answer, that it is sent or never will be.
    request.once('close', () => this.#open.delete(body))
    response.once('close', () => this.#forget(body))
  }

  stop(): void {
    clearInterval(this.#sweep)
  }

  #forget(body: Body): void {
    this.#open.delete(body)
    this.#total -= body.size
    const left = this.#ofAddress.get(body.address)! - body.size
    if (left > 0) this.#ofAddress.set(body.address, left)
    else this.#ofAddress.delete(body.address)
  }

  #endSlow(): void {
    const now = performance.now()
    for (const { socket, since, before } of this.#open) {
      const elapsed = now - since
      if (elapsed < this.#limits.patience) continue
      if (socket.bytesRead - before >= (elapsed / 1000) * this.#limits.leastRate) continue
      refuse(socket, '408 Request Timeout', 'The body of the request comes too slowly.')
      socket.destroySoon()
    }
  }
}
