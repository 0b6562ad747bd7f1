import { availableParallelism } from 'node:os'
import { Piscina } from 'piscina'
import type { Log } from '../../log.ts'
import { IS_SOURCE, ownFile } from '../../own-files.ts'

/** Milliseconds after which an idle thread ends. */
const IDLE_TIME = 30_000
/**
 * Megabytes of a thread's young generation and old generation. A batch has at most 20 MB, and its values are garbage after the
 * next batch.
 */
const MEMORY = { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 512 }
/**
 * Milliseconds without threads after a failure. The cause may recur with each batch, and starting a thread takes longer than
 * reading a batch.
 */
const REST = 60_000
/**
 * Nice levels are per thread only on Linux; elsewhere the increment would slow down the whole process. It is omitted when running
 * from source, because compiling already makes threads slow.
 */
const NICE_INCREMENT = process.platform === 'linux' && !IS_SOURCE ? 10 : 0
/** Arguments that a thread needs to run from source. */
const FOR_SOURCE = ['--import', ownFile('../scripts/tsx-in-thread.mjs').href]
/** The module that threads run. */
const WORKER = ownFile(`import/write/reading-worker.${IS_SOURCE ? 'ts' : 'js'}`).href

interface ReadingThreadsOptions {
  readonly log: Pick<Log, 'warn'>
  /** The URL of another worker, for tests. */
  readonly worker?: string
  /** Returns a monotonic time in milliseconds. */
  readonly now?: () => number
}

/**
 * Low-priority threads that read large batches. Reading a thousand objects takes 10 ms, which would block the event loop. They
 * start with the first task, and do not keep the process alive when idle.
 */
export class ReadingThreads {
  readonly #options: ReadingThreadsOptions
  readonly #now: () => number
  /** Null before the first task, and after a failure. */
  #threads: Piscina | null = null
  #pausedUntil = Number.NEGATIVE_INFINITY
  #isStopped = false

  constructor(options: ReadingThreadsOptions) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
  }

  /**
   * Runs a task in a thread.
   * @param name the function in `reading-worker.ts` that runs it
   * @returns null when the thread failed, for example because it ran out of memory, or threads are paused after a failure. The
   *   caller can then run the task without a thread
   */
  async run<Task, Done>(name: string, task: Task): Promise<Done | null> {
    const threads = this.#open()
    if (!threads) return null
    try {
      return (await threads.run(task, { name })) as Done
    } catch (error) {
      this.#fail(threads, error)
      return null
    }
  }

  /** Ends the threads. Callers run unfinished tasks without them. */
  async stop(): Promise<void> {
    this.#isStopped = true
    const threads = this.#threads
    this.#threads = null
    await threads?.destroy()
  }

  #open(): Piscina | null {
    if (this.#isStopped || this.#now() < this.#pausedUntil) return null
    if (this.#threads) return this.#threads
    const threads = new Piscina({
      filename: this.#options.worker ?? WORKER,
      execArgv: IS_SOURCE ? FOR_SOURCE : [],
      minThreads: 0,
      maxThreads: Math.max(1, Math.min(2, availableParallelism() - 1)),
      idleTimeout: IDLE_TIME,
      niceIncrement: NICE_INCREMENT,
      resourceLimits: MEMORY,
      recordTiming: false,
    })
    // A thread that cannot start has no task yet, so tasks that wait for it would never settle.
    threads.on('error', (error) => this.#fail(threads, error))
    this.#threads = threads
    return threads
  }

  /** Ends all threads after one has failed. The tasks of the other threads fail too, which does not count as another failure. */
  #fail(threads: Piscina, error: unknown): void {
    if (threads !== this.#threads) return
    this.#threads = null
    this.#pausedUntil = this.#now() + REST
    this.#options.log.warn({ error, seconds: REST / 1000 }, 'import worker thread failed, reading on main thread')
    void threads.destroy()
  }
}
