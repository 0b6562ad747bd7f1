import { setTimeout as sleep } from 'node:timers/promises'
import type { Counts } from '../counts.ts'
import type { Database, Executor } from '../database/pool.ts'
import type { Log } from '../log.ts'
import { type HeldJob, HeldJobs } from './held-jobs.ts'
import { type FreeSlots, insertJob, type Job, JobTable, type RunningOfApp } from './job-table.ts'

/** How the jobs of one kind are run. */
export interface Handler<Payload extends object> {
  /**
   * Runs the job; if it throws, the job is retried later. `signal` aborts when this node may have lost the job, or when the
   * server stops. A run can be repeated after a crash, so it must be idempotent.
   */
  run(payload: Payload, signal: AbortSignal): Promise<void>
  /**
   * Called after the last attempt, before the job is moved to the failed jobs. An administrator may retry it later
   * (`shown-jobs.ts`).
   */
  failed?(payload: Payload, error: unknown): Promise<void>
  readonly maxAttempts: number
  /**
   * Maximum jobs of this kind that run in this process at once; 1 when omitted. From four on, one app may use all but one, so
   * that its slow jobs do not delay those of other apps. `appId` of the payload names the app.
   */
  readonly concurrency?: number
}

/** Times in milliseconds. */
export interface JobsOptions {
  /** How long a job belongs to this worker after the last renewal; the jobs of a crashed worker wait this long. */
  readonly lease?: number
  /** How long a held job is held back after the last renewal. */
  readonly heldLease?: number
  /** How often the table is polled for jobs that were not announced: scheduled ones, or ones added by another node. */
  readonly pollInterval?: number
  /** The pause after the first failure, doubled after each further failure. */
  readonly retryDelay?: number
  /** How long `stop` lets running jobs continue. */
  readonly grace?: number
  /** Counts ended runs by kind and outcome. */
  readonly counts?: Counts
}

interface Run {
  readonly job: Job
  readonly controller: AbortController
  readonly ended: Promise<void>
  /** When the lease ends, by the clock of this process: never later than by the clock of the database. */
  leasedUntil: number
}

/** Held jobs may be many and are all renewed repeatedly, so their leases are longer. */
const DEFAULTS = { lease: 10_000, heldLease: 15_000, pollInterval: 1000, retryDelay: 5000, grace: 5000 }
const MAX_RETRY_DELAY = 3_600_000
/** A job whose workers died more often than this is given up: the job may be the cause. */
const MAX_INTERRUPTIONS = 20
/** How long aborted runs have to end before their leases are released regardless. */
const ABORT_TIMEOUT_MS = 2000
/** Leases are renewed at intervals of this fraction of their time, and given up when less than it is left. */
const BEAT = 0.3
/** With fewer slots than this, one app may use all of them: reserving one would slow down a lone app too much. */
const SHARED_FROM = 4

/** Background work, stored in the database so that it survives the end of the process (docs/architecture.md, Background work). */
export class Jobs {
  readonly #database: Database
  readonly #log: Log
  readonly #options: Required<Omit<JobsOptions, 'counts'>>
  readonly #counts: Counts | undefined
  readonly #table: JobTable
  readonly #held: HeldJobs
  readonly #handlers = new Map<string, Handler<object>>()
  readonly #running = new Set<Run>()
  /** The app whose job was taken last, by kind. */
  readonly #lastApps = new Map<string, string>()
  /** Ends the pause between two polls. */
  #bell = new AbortController()
  #serving: Promise<void> | undefined
  #heartbeat: NodeJS.Timeout | undefined
  #renewing = false
  #stopping = false
  #databaseAway = false

  constructor(database: Database, log: Log, { counts, ...options }: JobsOptions = {}) {
    this.#database = database
    this.#log = log.child({ component: 'jobs' })
    this.#options = { ...DEFAULTS, ...options }
    this.#counts = counts
    this.#table = new JobTable(database, this.#options.lease)
    this.#held = new HeldJobs(this.#table, this.#options.heldLease)
  }

  /** Sets the handler for the jobs of a kind. A process takes only jobs of kinds it has a handler for. */
  handle<Payload extends object>(kind: string, handler: Handler<Payload>): void {
    this.#handlers.set(kind, handler)
  }

  /**
   * Adds a job. In a transaction, the job exists from the commit on.
   * @param payload a JSON object
   */
  async enqueue(kind: string, payload: object, options: { runAt?: Date; transaction?: Executor } = {}): Promise<void> {
    const { transaction, runAt = null } = options
    await insertJob(transaction ?? this.#database, kind, payload, runAt)
    if (transaction) transaction.afterCommit(() => this.wake())
    else this.wake()
  }

  /**
   * Adds a job that runs when its holder starts it, or when this process dies. The holder must start or drop it before the
   * process ends normally.
   */
  hold(kind: string, payload: object): Promise<HeldJob> {
    return this.#held.hold(kind, payload, () => this.wake())
  }

  /** Polls for work at once. */
  wake(): void {
    this.#bell.abort()
  }

  start(): void {
    this.#serving = this.#serve()
    this.#heartbeat = setInterval(() => this.#beat(), this.#options.lease * BEAT).unref()
  }

  /** Takes no more jobs, lets running jobs continue for `grace`, then aborts the rest and releases them to other nodes. */
  async stop(): Promise<void> {
    this.#stopping = true
    this.wake()
    await this.#serving
    await this.#runsEnd(this.#options.grace)
    for (const { controller } of this.#running) controller.abort(new Error('the server is stopping'))
    const aborted = this.#running.size > 0
    await this.#runsEnd(ABORT_TIMEOUT_MS)
    clearInterval(this.#heartbeat)
    if (aborted)
      await this.#table.releaseAll().catch((error) => this.#warn(error, 'releasing jobs to other nodes failed'))
  }

  async #serve(): Promise<void> {
    while (!this.#stopping) {
      this.#bell = new AbortController()
      await this.#take()
      await sleep(this.#options.pollInterval, null, { ref: false, signal: this.#bell.signal }).catch(() => {})
    }
  }

  async #take(): Promise<void> {
    const slots = this.#freeSlots()
    if (slots.length === 0) return
    const leasedUntil = performance.now() + this.#options.lease
    try {
      for (const job of await this.#table.take(slots, this.#runningOfApps())) this.#begin(job, leasedUntil)
      if (this.#databaseAway) this.#log.info({}, 'database connection restored, resuming jobs')
      this.#databaseAway = false
    } catch (error) {
      // Logged once, not at every retry.
      if (!this.#databaseAway) this.#warn(error, 'fetching jobs failed, retrying')
      this.#databaseAway = true
    }
  }

  #freeSlots(): FreeSlots[] {
    const free = new Map([...this.#handlers].map(([kind, { concurrency = 1 }]) => [kind, concurrency]))
    for (const { job } of this.#running) free.set(job.kind, free.get(job.kind)! - 1)
    return [...this.#handlers]
      .map(([kind, { concurrency = 1 }]) => ({
        kind,
        free: free.get(kind)!,
        ofApp: concurrency < SHARED_FROM ? concurrency : concurrency - 1,
        lastApp: this.#lastApps.get(kind) ?? '',
      }))
      .filter(({ free }) => free > 0)
  }

  #runningOfApps(): RunningOfApp[] {
    const counted = new Map<string, RunningOfApp>()
    for (const { job } of this.#running) {
      const { kind, app } = job
      const key = `${kind} ${app}`
      counted.set(key, { kind, app, jobs: (counted.get(key)?.jobs ?? 0) + 1 })
    }
    return [...counted.values()]
  }

  #begin(job: Job, leasedUntil: number): void {
    this.#lastApps.set(job.kind, job.app)
    const controller = new AbortController()
    const ended = this.#run(job, controller.signal)
      .catch((error) => this.#warn(error, 'storing job result failed, the job will run again', job))
      .finally(() => {
        this.#running.delete(run)
        this.wake()
      })
    const run: Run = { job, controller, ended, leasedUntil }
    this.#running.add(run)
  }

  async #run(job: Job, signal: AbortSignal): Promise<void> {
    const handler = this.#handlers.get(job.kind)!
    try {
      if (job.interruptions > MAX_INTERRUPTIONS) throw new Error(`its workers died ${job.interruptions} times`)
      await handler.run(job.payload, signal)
    } catch (error) {
      // An aborted run did not fail: another worker has the job, or will take it.
      if (!signal.aborted) await this.#fail(job, handler, error)
      return
    }
    this.#counts?.add([job.kind, 'succeeded'])
    await this.#table.remove(job)
  }

  async #fail(job: Job, handler: Handler<object>, error: unknown): Promise<void> {
    const givenUp = job.interruptions > MAX_INTERRUPTIONS
    if (job.attempts + 1 < handler.maxAttempts && !givenUp) {
      this.#warn(error, 'job failed, retrying', job)
      this.#counts?.add([job.kind, 'retried'])
      const delay = Math.min(MAX_RETRY_DELAY, this.#options.retryDelay * 2 ** job.attempts)
      return this.#table.retry(job, messageOf(error), delay)
    }
    this.#log.error({ ...about(job), error: messageOf(error) }, 'job failed, no attempts left')
    this.#counts?.add([job.kind, 'failed'])
    await handler.failed?.(job.payload, error).catch((fault) => {
      // A failure that cannot be reported now is reported after the next run, but not indefinitely.
      if (!givenUp) throw fault
    })
    await this.#table.giveUp(job, messageOf(error))
  }

  /** Renews leases, and aborts runs whose leases are about to end: another worker will take those jobs. */
  #beat(): void {
    void this.#held.beat()
    const soon = performance.now() + this.#options.lease * BEAT
    for (const { controller, leasedUntil } of this.#running) {
      if (leasedUntil < soon) controller.abort(new Error('the lease could not be renewed'))
    }
    const held = [...this.#running].filter(({ controller }) => !controller.signal.aborted)
    if (held.length > 0 && !this.#renewing) void this.#renew(held)
  }

  async #renew(runs: readonly Run[]): Promise<void> {
    this.#renewing = true
    const leasedUntil = performance.now() + this.#options.lease
    try {
      const renewed = await this.#table.renew(runs.map(({ job }) => job.id))
      for (const run of runs) {
        if (renewed.has(run.job.id)) run.leasedUntil = leasedUntil
        else run.controller.abort(new Error('another worker has the job'))
      }
    } catch {
      // The database is unreachable. The next beat retries, or aborts the runs when their leases are about to end.
    } finally {
      this.#renewing = false
    }
  }

  async #runsEnd(timeoutMs: number): Promise<void> {
    const timer = new AbortController()
    const ended = Promise.all([...this.#running].map((run) => run.ended))
    await Promise.race([ended, sleep(timeoutMs, null, { signal: timer.signal }).catch(() => {})])
    timer.abort()
  }

  #warn(error: unknown, text: string, job?: Job): void {
    this.#log.warn({ ...about(job), error: messageOf(error) }, text)
  }
}

function about(job: Job | undefined): object {
  return job ? { job: job.id, kind: job.kind, attempt: job.attempts + 1 } : {}
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
