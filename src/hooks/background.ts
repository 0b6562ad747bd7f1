import { setTimeout as sleep } from 'node:timers/promises'

type Task = () => Promise<void>

/** Background work with a maximum number of running tasks and a maximum number of waiting ones. */
export class Background {
  readonly #atOnce: number
  readonly #maxWaiting: number
  readonly #waiting: Task[] = []
  readonly #running = new Set<Promise<void>>()

  /** @param maxWaiting maximum number of waiting tasks */
  constructor(atOnce: number, maxWaiting: number) {
    this.#atOnce = atOnce
    this.#maxWaiting = maxWaiting
  }

  /**
   * Runs a task when a slot is free.
   * @param task must not reject
   * @returns false when too many tasks are waiting; the task is dropped
   */
  add(task: Task): boolean {
    if (this.#running.size < this.#atOnce) this.#run(task)
    else if (this.#waiting.length < this.#maxWaiting) this.#waiting.push(task)
    else return false
    return true
  }

  /** Waits for running and waiting tasks for some milliseconds, then drops the waiting ones. */
  async stop(timeoutMs: number): Promise<void> {
    const timer = new AbortController()
    await Promise.race([this.#ended(), sleep(timeoutMs, null, { signal: timer.signal }).catch(() => {})])
    timer.abort()
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
