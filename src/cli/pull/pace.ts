import { setTimeout as sleep } from 'node:timers/promises'

/** Hours of the day by the clock of this machine: from the beginning of one to the beginning of another. */
export interface Hours {
  readonly from: number
  readonly to: number
}

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

/** Reads `22-6`: from ten in the evening to six in the morning. @returns null for what is no such text */
export function parseHours(text: string): Hours | null {
  const [, from = '', to = ''] = /^(\d{1,2})-(\d{1,2})$/.exec(text) ?? []
  const hours = { from: Number(from), to: Number(to) }
  const isHour = (hour: number) => hour <= 24
  return from !== '' && isHour(hours.from) && isHour(hours.to) && hours.from % 24 !== hours.to % 24 ? hours : null
}

function isWithin({ from, to }: Hours, hour: number): boolean {
  const length = (to - from + 24) % 24
  return (hour - from + 24) % 24 < length
}
