import { setTimeout as sleep } from 'node:timers/promises'

type Task = () => Promise<void>

/** Work that nobody waits for: so much of it at once, so much waiting for its turn, and no more. */
export class Background {
  readonly #atOnce: number
  readonly #places: number
  readonly #waiting: Task[] = []
  readonly #running = new Set<Promise<void>>()

  /** @param places how many tasks may wait */
  constructor(atOnce: number, places: number) {
    this.#atOnce = atOnce
    this.#places = places
  }

  /**
   * Does a task when its turn comes.
   * @param task must not reject
   * @returns false when there was no place for it; it will not be done
   */
  add(task: Task): boolean {
    if (this.#running.size < this.#atOnce) this.#run(task)
    else if (this.#waiting.length < this.#places) this.#waiting.push(task)
    else return false
    return true
  }

  /** Lets the work come to its end for some milliseconds, and drops what is waiting then. */
  async stop(patience: number): Promise<void> {
    const patienceEnds = new AbortController()
    await Promise.race([this.#ended(), sleep(patience, null, { signal: patienceEnds.signal }).catch(() => {})])
    patienceEnds.abort()
    this.#waiting.length = 0
  }

  async #ended(): Promise<void> {
    while (this.#running.size > 0) await Promise.race(this.#running)
  }

  #run(task: Task): void {
    const run = task().finally(() => {
      this.#running.delete(run)
      const next = this.#waiting.shift()
      if (next) this.#run(next)
    })
    this.#running.add(run)
  }
}
