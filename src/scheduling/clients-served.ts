/** Records when a client was last served, so that deferrable work can leave the processors to clients. */
export class ClientsServed {
  readonly #now: () => number
  #last = Number.NEGATIVE_INFINITY

  /** @param now returns the time in milliseconds, which only grows */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Records a client request. */
  note(): void {
    this.#last = this.#now()
  }

  /** Returns whether a client request arrived within this many milliseconds. */
  within(milliseconds: number): boolean {
    return this.#now() - this.#last < milliseconds
  }
}
