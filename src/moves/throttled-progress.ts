import type { MoveProgress } from './move.ts'

/** Minimum milliseconds between two stored states. */
const PAUSE = 1_000

/**
 * Stores progress at most once per `PAUSE`, because commands report it more often. The latest state is stored after the pause.
 */
export class ThrottledProgress {
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
    if (!this.#pause) this.#report()
  }

  stop(): void {
    clearTimeout(this.#pause)
  }

  #report(): void {
    const progress = this.#latest
    this.#latest = null
    if (progress) this.#store(progress).catch(this.#failed)
    this.#pause = progress ? setTimeout(() => this.#report(), PAUSE) : undefined
  }
}
