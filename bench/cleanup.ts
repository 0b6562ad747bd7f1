type Step = () => unknown

/** What has to be stopped and removed at the end, however the end comes: done, failed, or Ctrl-C. */
export class Cleanup {
  readonly #steps: Step[] = []
  #ending: Promise<void> | null = null

  /** Runs `step` at the end; those added last run first. */
  add(step: Step): void {
    this.#steps.push(step)
  }

  /**
   * Waits for something that has to be stopped again. It is registered before it is there, so that an end that comes
   * while it still begins waits for it and stops it.
   */
  async keep<Thing>(beginning: Promise<Thing>, stop: (thing: Thing) => unknown): Promise<Thing> {
    this.add(() =>
      beginning.then(stop, () => {
        // What failed to begin was reported to whoever awaits it, and left nothing to stop.
      }),
    )
    return beginning
  }

  /** Runs `work` and stops what it has kept when it ends, or earlier when the whole ends earlier. */
  async within<Result>(work: (inner: Cleanup) => Promise<Result>): Promise<Result> {
    const inner = new Cleanup()
    this.add(() => inner.run())
    try {
      return await work(inner)
    } finally {
      await inner.run()
    }
  }

  /** Runs all steps, once: a second call waits for the first. A step that fails is reported and the others run. */
  run(): Promise<void> {
    this.#ending ??= this.#run()
    return this.#ending
  }

  async #run(): Promise<void> {
    for (let step = this.#steps.pop(); step; step = this.#steps.pop()) {
      try {
        await step()
      } catch (error) {
        process.stderr.write(`while cleaning up: ${(error as Error).message}\n`)
      }
    }
  }
}
