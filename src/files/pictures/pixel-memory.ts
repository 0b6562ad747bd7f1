import { errors } from '../../errors.ts'

interface Waiting {
  readonly bytes: number
  readonly settle: (refusal?: Error) => void
}

/** Fraction of the budget up to which a request is small. Small requests do not wait behind larger ones. */
const SMALL_PART = 1 / 8

/**
 * Limits the bytes of decoded pixels in memory, over all apps. A picture that exceeds the budget is processed alone. Requests are
 * admitted in order, except that small ones are admitted as soon as they fit.
 */
export class PixelMemory {
  readonly #budget: number
  readonly #timeoutMs: number
  readonly #waiting = new Set<Waiting>()
  #inFlight = 0

  /** @param budget bytes */
  constructor(budget: number, timeoutMs: number) {
    this.#budget = budget
    this.#timeoutMs = timeoutMs
  }

  get inFlight(): number {
    return this.#inFlight
  }

  /**
   * Waits until `bytes` fit into the budget.
   * @returns a function that releases them
   * @throws ApiError 503 after the timeout; the reason of the signal when it aborts
   */
  async acquire(bytes: number, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted()
    const isNext = this.#waiting.size === 0 || this.#isSmall(bytes)
    if (!isNext || !this.#hasRoom(bytes)) await this.#wait(bytes, signal)
    else this.#inFlight += bytes
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      this.#inFlight -= bytes
      this.#admit()
    }
  }

  #wait(bytes: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const abort = () => waiting.settle(signal!.reason)
      const waiting: Waiting = {
        bytes,
        settle: (refusal) => {
          clearTimeout(timer)
          signal?.removeEventListener('abort', abort)
          this.#waiting.delete(waiting)
          if (refusal) reject(refusal)
          else resolve()
        },
      }
      const timer = setTimeout(() => {
        waiting.settle(errors.unavailable())
        this.#admit()
      }, this.#timeoutMs)
      signal?.addEventListener('abort', abort)
      this.#waiting.add(waiting)
    })
  }

  #admit(): void {
    let isFirst = true
    for (const waiting of this.#waiting) {
      if ((isFirst || this.#isSmall(waiting.bytes)) && this.#hasRoom(waiting.bytes)) {
        this.#inFlight += waiting.bytes
        waiting.settle()
      } else isFirst = false
    }
  }

  #isSmall(bytes: number): boolean {
    return bytes <= this.#budget * SMALL_PART
  }

  #hasRoom(bytes: number): boolean {
    return this.#inFlight === 0 || this.#inFlight + bytes <= this.#budget
  }
}
