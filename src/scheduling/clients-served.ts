/** When clients were last served: work that may take its time leaves processors to them while they come. */
export class ClientsServed {
  readonly #now: () => number
  #last = Number.NEGATIVE_INFINITY

  /** @param now the time in milliseconds, which only grows */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** A client asks for something. */
  note(): void {
    this.#last = this.#now()
  }

  /** Whether one has asked within the last so many milliseconds. */
  within(milliseconds: number): boolean {
    return this.#now() - this.#last < milliseconds
  }
}
