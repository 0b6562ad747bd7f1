/** When a batch may write, beside the other batches of its import. */
export interface Turn {
  /**
   * Resolves when the batch before has written its rows and has yet to commit them; null where none of the same part is
   * under way here. Who writes then must need nothing of those rows, and must not commit before its turn.
   */
  readonly near: Promise<void> | null
  /** Resolves when all batches before have been committed, or have failed. */
  readonly comes: Promise<void>
  /** The batch, whose turn it is, has written its rows: none of what it still writes may wait for rows of the next one. */
  wrote(): void
}

interface UnderWay {
  readonly part: string
  readonly written: Promise<void>
  readonly done: Promise<void>
}

/**
 * Lets the next batch of an import be read while one is written, and written while that is committed: what stands around its
 * rows, the commit and a handful of short statements, takes a third of its time. Batches that come to several nodes are kept
 * in order by their places alone.
 */
export class BatchOrder {
  /** The last batch of each import that has come and is not committed. */
  readonly #last = new Map<string, UnderWay>()

  /**
   * Runs the work of a batch.
   * @param name of the import
   * @param part of it to which the batch belongs
   * @param work waits for its turn before it changes anything that others can see
   */
  async run<Result>(name: string, part: string, work: (turn: Turn) => Promise<Result>): Promise<Result> {
    const before = this.#last.get(name)
    const comes = before?.done ?? Promise.resolve()
    let wrote = () => {}
    const written = new Promise<void>((resolve) => {
      wrote = resolve
    })
    const near = before && before.part === part ? Promise.race([before.written, before.done]) : null
    const working = work({ near, comes, wrote })
    const done = Promise.allSettled([comes, working]).then(() => {})
    const underWay = { part, written, done }
    this.#last.set(name, underWay)
    void done.then(() => {
      if (this.#last.get(name) === underWay) this.#last.delete(name)
    })
    return working
  }
}
