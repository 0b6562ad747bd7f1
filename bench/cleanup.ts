type Step = () => unknown

/** Cleanup steps, executed at the end in every case: success, failure, or Ctrl-C. */
export class Cleanup {
  readonly #steps: Step[] = []
  #ending: Promise<void> | null = null

  /** Runs `step` at the end, in reverse order of addition. */
  add(step: Step): void {
    this.#steps.push(step)
  }

  /**
   * Waits for a resource that must be stopped. The stop is registered first, so that an end during startup waits for it and
   * stops it.
   */
  async keep<Thing>(beginning: Promise<Thing>, stop: (thing: Thing) => unknown): Promise<Thing> {
    this.add(() =>
      beginning.then(stop, () => {
        // A failed start was reported to its caller, and left nothing to stop.
      }),
    )
    return beginning
  }

  /** Runs `work` and stops its resources when it ends, or earlier when the whole run ends. */
  async within<Result>(work: (inner: Cleanup) => Promise<Result>): Promise<Result> {
    const inner = new Cleanup()
    this.add(() => inner.run())
    try {
      return await work(inner)
    } finally {
      await inner.run()
    }
  }

  /** Runs all steps once: a second call waits for the first. A failing step is reported, and the others still run. */
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
