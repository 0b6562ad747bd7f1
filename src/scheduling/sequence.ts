/** An order of asynchronous work: runs it sequentially, or orders the results of concurrent work. */
export class Sequence {
  /** Settles when the last work in the order has settled. It holds no result. */
  #last: Promise<unknown> = Promise.resolve()

  /** Runs work after all work before it has settled, successfully or not. */
  run<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(work)
    this.#last = result.then(ignore, ignore)
    return result
  }

  /**
   * Orders the result of work that is already running.
   * @returns the result, once all work before it has settled, successfully or not
   */
  order<Result>(running: Promise<Result>): Promise<Result> {
    const result = Promise.allSettled([this.#last, running]).then(() => running)
    this.#last = result.then(ignore, ignore)
    return result
  }

  /** Resolves when all work currently in the order has settled. */
  async ended(): Promise<void> {
    await this.#last
  }
}

function ignore(): void {}
