import { setTimeout as sleep } from 'node:timers/promises'

/** Lets so many requests begin in a second, one after another, whoever makes them. */
export class Pace {
  readonly #gap: number
  #next = 0

  /** @param rate requests a second */
  constructor(rate: number) {
    this.#gap = 1000 / rate
  }

  /** Resolves when the next request may begin. */
  async turn(): Promise<void> {
    // The wait can become longer while it lasts.
    for (let now = performance.now(); ; now = performance.now()) {
      if (now >= this.#next) {
        this.#next = now + this.#gap
        return
      }
      await sleep(this.#next - now)
    }
  }

  /** Nobody begins for so many milliseconds. */
  rest(milliseconds: number): void {
    this.#next = Math.max(this.#next, performance.now() + milliseconds)
  }
}
