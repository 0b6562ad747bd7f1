/** When a batch may write, relative to the other batches of its import. */
export interface BatchSlot {
  /**
   * Resolves when the previous batch has written its rows but not committed them; null when no batch of the same part is running
   * here. A batch that writes then must not depend on those rows, and must not commit before `ready` resolves.
   */
  readonly near: Promise<void> | null
  /** Resolves when all previous batches have been committed or have failed. */
  readonly ready: Promise<void>
  /** Called when the next batch to write has written its rows. Its later writes must not wait for rows of the following batch. */
  wrote(): void
}

interface UnderWay {
  readonly part: string
  readonly written: Promise<void>
  readonly done: Promise<void>
}

/**
 * Pipelines the batches of an import: the next batch is read while one is written, and written while that one is committed. The
 * commit and a few short statements take a third of a batch's time. Batches sent to several nodes are only ordered by their
 * positions.
 */
export class BatchOrder {
  /** The last received batch of each import, until it is committed. */
  readonly #last = new Map<string, UnderWay>()

  /**
   * Runs the work of a batch.
   * @param name the name of the import
   * @param part the part of the import that the batch belongs to
   * @param work must wait for `ready` before it changes anything visible to other transactions
   */
  async run<Result>(name: string, part: string, work: (slot: BatchSlot) => Promise<Result>): Promise<Result> {
    const before = this.#last.get(name)
    const ready = before?.done ?? Promise.resolve()
    let wrote = () => {}
    const written = new Promise<void>((resolve) => {
      wrote = resolve
    })
    const near = before && before.part === part ? Promise.race([before.written, before.done]) : null
    const working = work({ near, ready, wrote })
    const done = Promise.allSettled([ready, working]).then(() => {})
    const underWay = { part, written, done }
    this.#last.set(name, underWay)
    void done.then(() => {
      if (this.#last.get(name) === underWay) this.#last.delete(name)
    })
    return working
  }
}
