import type { Socket } from 'node:net'
import { errors } from '../../errors.ts'
import { addressKey } from '../../limits/address-key.ts'
import { AmountSemaphore } from '../../scheduling/amount-semaphore.ts'

export interface TransferLimits {
  /** Uploads and downloads at a time, all together. */
  readonly total: number
  /** What one address may have of them, however many others have. */
  readonly ofOneAddress: number
  /** Milliseconds in which so many bytes must move, in either direction. */
  readonly period: number
  readonly leastBytes: number
}

/** Each holds a connection, a file and a buffer. A player that is paused reads nothing, and asks again for the rest. */
const TRANSFER_LIMITS: TransferLimits = { total: 4000, ofOneAddress: 200, period: 60_000, leastBytes: 32 * 1024 }

/** An address may have so many times as many as are still free. */
const TIMES_FREE = 3

interface Transfer {
  readonly socket: Socket
  /** Whether nothing can move because it is our turn: a file is put together of its parts, say. */
  readonly isOurTurn: () => boolean
  /** What had gone over the connection at the last look; null: it is younger. */
  moved: number | null
}

/**
 * Uploads and downloads under way. They may take as long as they take, but not stand still: one that moves next to nothing
 * ends with its connection.
 */
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
   * Takes note of one that begins.
   * @param sender IP address of the client
   * @param isOurTurn whether the client waits for us at the moment, however long we take
   * @returns to be called once, when it has ended
   * @throws ApiError 429 when its address has too many, 503 when all together are too many
   */
  begin(socket: Socket, sender: string, isOurTurn: () => boolean = () => false): () => void {
    const address = addressKey(sender)
    const refusal = this.#semaphore.tryAcquire(address, 1)
    if (refusal === 'share')
      throw errors.tooManyRequests(
        `${this.#semaphore.heldBy(address)} uploads and downloads from one address are under way.`,
      )
    if (refusal) throw errors.unavailable()
    const transfer: Transfer = { socket, isOurTurn, moved: null }
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
      if (transfer.isOurTurn()) {
        transfer.moved = null
        continue
      }
      const moved = bytesOf(transfer.socket)
      // One that is younger than a period is measured at the next.
      if (transfer.moved !== null && moved - transfer.moved < this.#limits.leastBytes) transfer.socket.destroy()
      transfer.moved = moved
    }
  }
}

/** What has gone over a connection; what waits in this process has not. */
function bytesOf(socket: Socket): number {
  return socket.bytesRead + socket.bytesWritten - socket.writableLength
}
