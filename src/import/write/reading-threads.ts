import { availableParallelism } from 'node:os'
import { Piscina } from 'piscina'
import type { Log } from '../../log.ts'
import { IS_SOURCE, ownFile } from '../../own-files.ts'

/** How long a thread without work stays, in milliseconds. */
const IDLE_TIME = 30_000
/**
 * Megabytes of what a thread has just made, and of all it holds: a batch has 20 MB at most. What has just been made is gone
 * with the next batch.
 */
const MEMORY = { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 512 }
/**
 * Milliseconds in which no thread is asked after one has failed: what has ended it once may do so with each batch, and a
 * thread takes longer to start than to read one.
 */
const REST = 60_000
/**
 * Only on Linux does a nice level belong to a thread; elsewhere it would slow down the whole process. A thread that has to
 * compile first is slow enough.
 */
const NICE_INCREMENT = process.platform === 'linux' && !IS_SOURCE ? 10 : 0
/** What a thread needs in order to run the source. */
const FOR_SOURCE = ['--import', ownFile('../scripts/tsx-in-thread.mjs').href]
/** What threads run. */
const WORKER = ownFile(`import/write/reading-worker.${IS_SOURCE ? 'ts' : 'js'}`).href

interface ReadingThreadsOptions {
  readonly log: Pick<Log, 'warn'>
  /** The URL of another worker, for tests. */
  readonly worker?: string
  /** The time in milliseconds, which only grows. */
  readonly now?: () => number
}

/**
 * Threads of low priority that read large batches: to read a thousand objects takes 10 ms, in which the event loop would
 * serve nobody. They start with the first work, and do not keep the process alive when they have none.
 */
export class ReadingThreads {
  readonly #options: ReadingThreadsOptions
  readonly #now: () => number
  /** Null before the first work, and after a failure. */
  #threads: Piscina | null = null
  #restsUntil = Number.NEGATIVE_INFINITY
  #isStopped = false

  constructor(options: ReadingThreadsOptions) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
  }

  /**
   * Has a thread do a task.
   * @param name of the function that does it, in `reading-worker.ts`
   * @returns null where the thread has failed, for want of memory for instance, or threads have to rest because one has: that
   *   says nothing of the task, which can be done without a thread
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

  /** Ends the threads; what they still did is to be done without them. */
  async stop(): Promise<void> {
    this.#isStopped = true
    const threads = this.#threads
    this.#threads = null
    await threads?.destroy()
  }

  #open(): Piscina | null {
    if (this.#isStopped || this.#now() < this.#restsUntil) return null
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
    // A thread that cannot start has no task yet; those that wait for it would wait for ever.
    threads.on('error', (error) => this.#fail(threads, error))
    this.#threads = threads
    return threads
  }

  /** Ends all threads where one has failed. Tasks of the others fail with it, which is no second failure. */
  #fail(threads: Piscina, error: unknown): void {
    if (threads !== this.#threads) return
    this.#threads = null
    this.#restsUntil = this.#now() + REST
    this.#options.log.warn({ error, seconds: REST / 1000 }, 'import worker thread failed, reading on main thread')
    void threads.destroy()
  }
}
