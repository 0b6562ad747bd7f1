import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { errors } from '../../errors.ts'
import { addressKey } from '../../limits/address-key.ts'
import { mayHave } from '../../scheduling/address-share.ts'
import { AmountSemaphore, type Refusal } from '../../scheduling/amount-semaphore.ts'
import { whenClosed } from './client-gone.ts'
import { refuse } from './refused-requests.ts'

export interface BodyLimits {
  /** Maximum total bytes of the bodies of all requests without a response. */
  readonly total: number
  /** Bytes guaranteed to the bodies of one address, whatever other addresses send. Bodies beyond its share wait. */
  readonly ofOneAddress: number
  /** Number of waiting bodies guaranteed to one address, and maximum number in total. */
  readonly waiting: number
  readonly waitingInAll: number
  /** Maximum time that a body waits, and time until its transfer rate is checked, in milliseconds. */
  readonly timeoutMs: number
  /** Minimum average rate after that time, in bytes per second. */
  readonly minRate: number
}

/** A phone on a slow connection sends 4 KB/s; slower clients would occupy memory that other clients need. */
const BODY_LIMITS: BodyLimits = {
  total: 256 * 1024 * 1024,
  // Two of the maximum size: one is received while another is processed.
  ofOneAddress: 40 * 1024 * 1024,
  waiting: 100,
  waitingInAll: 1000,
  timeoutMs: 30_000,
  minRate: 4096,
}

/** An address may use up to this multiple of the free bytes, … */
const BYTES_TIMES_FREE = 1 / 4
/** … and of the free slots for waiting requests. */
const WAITING_TIMES_FREE = 1

interface Body {
  readonly address: string
  readonly socket: Socket
  readonly size: number
  readonly since: number
  /** Bytes that the socket had received when the body began. */
  readonly before: number
}

interface Waiting {
  readonly size: number
  /** Ends the wait, with or without capacity. */
  readonly end: (refusal: Refusal | null) => void
}

/**
 * The large bodies of requests without a response. They are held in memory, so their total size is bounded, and a body
 * that arrives too slowly ends with its connection: a client that declares 20 MB and stops sending occupies nothing for
 * long. Bodies of one address wait for each other before they are received, if they exceed its share.
 */
export class IncomingBodies {
  readonly #limits: BodyLimits
  readonly #open = new Set<Body>()
  readonly #bytes: AmountSemaphore
  /** Bodies that wait for other bodies of their address. */
  readonly #waiting = new Map<string, Set<Waiting>>()
  readonly #sweep: NodeJS.Timeout
  #waitingInAll = 0

  constructor(limits: BodyLimits = BODY_LIMITS) {
    this.#limits = limits
    this.#bytes = new AmountSemaphore({ guaranteed: limits.ofOneAddress, inAll: limits.total, times: BYTES_TIMES_FREE })
    this.#sweep = setInterval(() => this.#endSlow(), Math.min(1000, limits.timeoutMs)).unref()
  }

  /**
   * Registers a body to be received, once there is capacity for it.
   * @param response of the request
   * @param sender IP address of the client
   * @param size maximum size in bytes
   * @throws ApiError 429 when the address sends too much at once, 503 when all addresses together do; 499 when the
   *   client disconnected
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
    // 'close' of a request means that it is complete or never will be.
    request.once('close', () => this.#open.delete(body))
    whenClosed(response, () => this.#forget(body))
  }

  async #wait(address: string, response: ServerResponse, size: number): Promise<void> {
    const { waiting, waitingInAll, timeoutMs } = this.#limits
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
        response.off('close', onDisconnect)
        if (!line.delete(one)) return
        this.#waitingInAll--
        if (line.size === 0) this.#waiting.delete(address)
      }
      const giveUp = (refusal: Error) => {
        leave()
        reject(refusal)
      }
      const onDisconnect = () => giveUp(errors.clientDisconnected())
      const timer = setTimeout(() => giveUp(errors.tooManyRequests()), timeoutMs)
      this.#waiting.set(address, line.add(one))
      this.#waitingInAll++
      whenClosed(response, onDisconnect)
    })
  }

  #forget({ address, size }: Body): void {
    this.#bytes.release(address, size)
    // Admits the first that fits: a small body does not wait behind a large one.
    for (const one of this.#waiting.get(address) ?? []) {
      const refusal = this.#bytes.tryAcquire(address, one.size)
      if (refusal !== 'share') one.end(refusal)
    }
  }

  #endSlow(): void {
    const now = performance.now()
    for (const { socket, since, before } of this.#open) {
      const elapsed = now - since
      if (elapsed < this.#limits.timeoutMs) continue
      if (socket.bytesRead - before >= (elapsed / 1000) * this.#limits.minRate) continue
      refuse(socket, '408 Request Timeout', 'The body of the request arrives too slowly.')
      socket.destroySoon()
    }
  }
}
