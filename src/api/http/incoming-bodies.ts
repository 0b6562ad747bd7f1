import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { errors } from '../../errors.ts'
import { addressKey } from '../../limits/address-key.ts'
import { mayHave } from '../../scheduling/address-share.ts'
import { AmountSemaphore, type Refusal } from '../../scheduling/amount-semaphore.ts'
import { whenClosed } from './client-gone.ts'
import { refuse } from './refused-requests.ts'

export interface BodyLimits {
  /** Bytes that the bodies of all requests without an answer may have together. */
  readonly total: number
  /**
   * Bytes that those from one address may have, however many others have; what is more is not received until there is room.
   */
  readonly ofOneAddress: number
  /** How many from one address may wait for that, however many others wait, and how many in all. */
  readonly waiting: number
  readonly waitingInAll: number
  /** Milliseconds that one waits at most, and within which a body need not come at any rate. */
  readonly patience: number
  /** Bytes a second that must have come on average after that. */
  readonly leastRate: number
}

/** A phone on a slow line sends 4 KB a second; who sends less keeps memory from others. */
const BODY_LIMITS: BodyLimits = {
  total: 256 * 1024 * 1024,
  // Two of the largest: one is received while another is worked on.
  ofOneAddress: 40 * 1024 * 1024,
  waiting: 100,
  waitingInAll: 1000,
  patience: 30_000,
  leastRate: 4096,
}

/** An address may have so many times the bytes that are still free, … */
const BYTES_TIMES_FREE = 1 / 4
/** … and as many waiting requests as may still wait. */
const WAITING_TIMES_FREE = 1

interface Body {
  readonly address: string
  readonly socket: Socket
  readonly size: number
  readonly since: number
  /** What the socket had received when the body began. */
  readonly before: number
}

interface Waiting {
  readonly size: number
  /** Ends the wait, with room or without. */
  readonly end: (refusal: Refusal | null) => void
}

/**
 * The large bodies of requests that have begun and not been answered. They are held in memory, so all of them together are
 * bounded, and one that comes too slowly ends with its connection: a client that declares 20 MB and falls silent holds
 * nothing for long. Those of one address wait for each other before they are received, where they would be too much.
 */
export class IncomingBodies {
  readonly #limits: BodyLimits
  readonly #open = new Set<Body>()
  readonly #bytes: AmountSemaphore
  /** Bodies that wait for others of their address. */
  readonly #waiting = new Map<string, Set<Waiting>>()
  readonly #sweep: NodeJS.Timeout
  #waitingInAll = 0

  constructor(limits: BodyLimits = BODY_LIMITS) {
    this.#limits = limits
    this.#bytes = new AmountSemaphore({ guaranteed: limits.ofOneAddress, inAll: limits.total, times: BYTES_TIMES_FREE })
    this.#sweep = setInterval(() => this.#endSlow(), Math.min(1000, limits.patience)).unref()
  }

  /**
   * Takes note of a body that is to be received, when there is room for it.
   * @param response what answers the request
   * @param sender IP address of the client
   * @param size bytes that it may have
   * @throws ApiError 429 when its address sends too much at once, 503 when all do together; 499 when the client has gone
   */
  async receive(response: ServerResponse, sender: string, size: number): Promise<void> {
    const address = addressKey(sender)
    const refusal = this.#bytes.tryAcquire(address, size)
    if (refusal === 'total') throw errors.unavailable()
    if (refusal) await this.#wait(address, response, size)
    else this.#begin(address, response, size)
  }

  stop(): void {
    clearInterval(this.#sweep)
  }

  #begin(address: string, response: ServerResponse, size: number): void {
    const { req: request } = response
    const { socket } = request
    const body: Body = { address, socket, size, since: performance.now(), before: socket.bytesRead }
    this.#open.add(body)
    // 'close' of a request says that it is whole or never will be.
    request.once('close', () => this.#open.delete(body))
    whenClosed(response, () => this.#forget(body))
  }

  async #wait(address: string, response: ServerResponse, size: number): Promise<void> {
    const { waiting, waitingInAll, patience } = this.#limits
    if (this.#waitingInAll >= waitingInAll) throw errors.unavailable()
    const share = { guaranteed: waiting, inAll: waitingInAll, times: WAITING_TIMES_FREE }
    const line = this.#waiting.get(address) ?? new Set()
    if (!mayHave(share, line.size, this.#waitingInAll)) throw errors.tooManyRequests()
    await new Promise<void>((resolve, reject) => {
      const one: Waiting = {
        size,
        end: (refusal) => {
          leave()
          if (refusal) return reject(errors.unavailable())
          this.#begin(address, response, size)
          resolve()
        },
      }
      const leave = () => {
        clearTimeout(timer)
        response.off('close', gone)
        if (!line.delete(one)) return
        this.#waitingInAll--
        if (line.size === 0) this.#waiting.delete(address)
      }
      const giveUp = (refusal: Error) => {
        leave()
        reject(refusal)
      }
      const gone = () => giveUp(errors.clientGone())
      const timer = setTimeout(() => giveUp(errors.tooManyRequests()), patience)
      this.#waiting.set(address, line.add(one))
      this.#waitingInAll++
      whenClosed(response, gone)
    })
  }

  #forget({ address, size }: Body): void {
    this.#bytes.release(address, size)
    // What has room goes first: a small one need not wait behind a large one.
    for (const one of this.#waiting.get(address) ?? []) {
      const refusal = this.#bytes.tryAcquire(address, one.size)
      if (refusal !== 'share') one.end(refusal)
    }
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
