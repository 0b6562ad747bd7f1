import { setTimeout as sleep } from 'node:timers/promises'
import type { Hours } from '../../moves/hours.ts'

/** A rate that holds only at some hours; at all others it is `otherwise`. In requests a second. */
export interface Nights {
  readonly hours: Hours
  readonly otherwise: number
}

/** Lets so many requests begin in a second, one after another, whoever makes them. */
export class Pace {
  readonly #rate: number
  readonly #nights: Nights | null
  #next = 0

  /** @param rate requests a second. @param nights when this holds; null: always */
  constructor(rate: number, nights: Nights | null = null) {
    this.#rate = rate
    this.#nights = nights
  }

  /** Resolves when the next request may begin. */
  async turn(): Promise<void> {
    // The wait can become longer while it lasts.
    for (let now = performance.now(); ; now = performance.now()) {
      if (now >= this.#next) {
        this.#next = now + 1000 / this.rateAt(new Date())
        return
      }
      await sleep(this.#next - now)
    }
  }

  /** Nobody begins for so many milliseconds. */
  rest(milliseconds: number): void {
    this.#next = Math.max(this.#next, performance.now() + milliseconds)
  }

  /** Requests a second at a time. */
  rateAt(time: Date): number {
    return !this.#nights || isWithin(this.#nights.hours, time.getHours()) ? this.#rate : this.#nights.otherwise
  }
}

function isWithin({ from, to }: Hours, hour: number): boolean {
  const length = (to - from + 24) % 24
  return (hour - from + 24) % 24 < length
}
