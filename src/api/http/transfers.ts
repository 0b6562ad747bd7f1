import type { Socket } from 'node:net'
import { errors } from '../../errors.ts'
import { addressKey } from '../../limits/address-key.ts'
import { AmountSemaphore } from '../../scheduling/amount-semaphore.ts'

export interface TransferLimits {
  /** Maximum number of concurrent uploads and downloads in total. */
  readonly total: number
  /** Number guaranteed to one address, whatever other addresses have. */
  readonly ofOneAddress: number
  /** Period in milliseconds, and minimum bytes that must be transferred within it, in either direction. */
  readonly period: number
  readonly minBytes: number
}

/** Each transfer holds a connection, a file and a buffer. A paused player reads nothing, and later requests the rest. */
const TRANSFER_LIMITS: TransferLimits = { total: 4000, ofOneAddress: 200, period: 60_000, minBytes: 32 * 1024 }

/** An address may have up to this multiple of the free transfers. */
const TIMES_FREE = 3

interface Transfer {
  readonly socket: Socket
  /** Whether nothing is transferred because the server is working, for example joining the parts of a file. */
  readonly isServerWorking: () => boolean
  /** Bytes transferred over the connection at the last check; null: not yet checked. */
  moved: number | null
}

/** Concurrent uploads and downloads. Their duration is not limited, but a stalled one ends with its connection. */
export class Transfers {
  readonly #limits: TransferLimits
  readonly #open = new Set<Transfer>()
  readonly #semaphore: AmountSemaphore
  readonly #sweep: NodeJS.Timeout

  constructor(limits: TransferLimits = TRANSFER_LIMITS) {
    this.#limits = limits
    this.#semaphore = new AmountSemaphore({ guaranteed: limits.ofOneAddress, inAll: limits.total, times: TIMES_FREE })
    this.#sweep = setInterval(() => this.#endIdle(), limits.period).unref()
  }

  /**
   * Registers a transfer.
   * @param sender IP address of the client
   * @param isServerWorking returns whether the client is waiting for the server at the moment; such a transfer never counts
   *   as stalled
   * @returns a function to call once, when the transfer has ended
   * @throws ApiError 429 when the address has too many, 503 when all addresses together have too many
   */
  begin(socket: Socket, sender: string, isServerWorking: () => boolean = () => false): () => void {
    const address = addressKey(sender)
    const refusal = this.#semaphore.tryAcquire(address, 1)
    if (refusal === 'share')
      throw errors.tooManyRequests(
        `${this.#semaphore.heldBy(address)} uploads and downloads of this address are running.`,
      )
    if (refusal) throw errors.unavailable()
    const transfer: Transfer = { socket, isServerWorking, moved: null }
    this.#open.add(transfer)
    return () => {
      if (this.#open.delete(transfer)) this.#semaphore.release(address, 1)
    }
  }

  stop(): void {
    clearInterval(this.#sweep)
  }

  #endIdle(): void {
    for (const transfer of this.#open) {
      if (transfer.isServerWorking()) {
        transfer.moved = null
        continue
      }
      const moved = bytesOf(transfer.socket)
      // A transfer younger than a period is measured at the next check.
      if (transfer.moved !== null && moved - transfer.moved < this.#limits.minBytes) transfer.socket.destroy()
      transfer.moved = moved
    }
  }
}

/** Returns the bytes transferred over a connection, without those still buffered in this process. */
function bytesOf(socket: Socket): number {
  return socket.bytesRead + socket.bytesWritten - socket.writableLength
}
