import { setTimeout as sleep } from 'node:timers/promises'
import type { Hours } from '../../moves/hours.ts'

/** A rate that applies only in some hours; at other times `otherwise` applies. In requests per second. */
export interface Nights {
  readonly hours: Hours
  readonly otherwise: number
}

/** Limits the rate at which requests start, for all callers together. */
export class Pace {
  readonly #rate: number
  readonly #nights: Nights | null
  #next = 0

  /**
   * @param rate requests per second
   * @param nights when this rate applies; null: always
   */
  constructor(rate: number, nights: Nights | null = null) {
    this.#rate = rate
    this.#nights = nights
  }

  /** Resolves when the next request may begin. */
  async waitForSlot(): Promise<void> {
    // The wait can be extended while it lasts.
    for (let now = performance.now(); ; now = performance.now()) {
      if (now >= this.#next) {
        this.#next = now + 1000 / this.rateAt(new Date())
        return
      }
      await sleep(this.#next - now)
    }
  }

  /** Delays all requests by at least so many milliseconds. */
  rest(milliseconds: number): void {
    this.#next = Math.max(this.#next, performance.now() + milliseconds)
  }

  /** Returns the requests per second at a time. */
  rateAt(time: Date): number {
    return !this.#nights || isWithin(this.#nights.hours, time.getHours()) ? this.#rate : this.#nights.otherwise
  }
}

function isWithin({ from, to }: Hours, hour: number): boolean {
  const length = (to - from + 24) % 24
  return (hour - from + 24) % 24 < length
}
