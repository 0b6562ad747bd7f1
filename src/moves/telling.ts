import type { MoveProgress } from './move.ts'

/** Milliseconds between two states that are stored. */
const PAUSE = 1_000

/** Stores progress now and then: it comes faster than anybody looks. The last state is stored, too, when it lasts. */
export class Telling {
  readonly #store: (progress: MoveProgress) => Promise<void>
  readonly #failed: (error: Error) => void
  #latest: MoveProgress | null = null
  #pause: NodeJS.Timeout | undefined

  constructor(store: (progress: MoveProgress) => Promise<void>, failed: (error: Error) => void) {
    this.#store = store
    this.#failed = failed
  }

  note(progress: MoveProgress): void {
    this.#latest = progress
    if (!this.#pause) this.#tell()
  }

  stop(): void {
    clearTimeout(this.#pause)
  }

  #tell(): void {
    const progress = this.#latest
    this.#latest = null
    if (progress) this.#store(progress).catch(this.#failed)
    this.#pause = progress ? setTimeout(() => this.#tell(), PAUSE) : undefined
  }
}
