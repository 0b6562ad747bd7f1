/** An order of asynchronous work: runs it one after the other, or puts the results of concurrent work in order. */
export class Sequence {
  /** Settles when the last in the order has. Its result is not kept. */
  #last: Promise<unknown> = Promise.resolve()

  /** Runs work when all before it has ended, successfully or not. */
  run<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(work)
    this.#last = result.then(ignore, ignore)
    return result
  }

  /**
   * Orders the result of work that runs already.
   * @returns the result, once all before it have ended, successfully or not
   */
  order<Result>(running: Promise<Result>): Promise<Result> {
    const result = Promise.allSettled([this.#last, running]).then(() => running)
    this.#last = result.then(ignore, ignore)
    return result
  }

  /** Resolves when all work that is in the order now has ended. */
  async ended(): Promise<void> {
    await this.#last
  }
}

function ignore(): void {}
