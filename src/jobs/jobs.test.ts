import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { recordedLog } from '../../test/support/recorded-log.ts'
import { scratchDatabase } from '../../test/support/scratch-database.ts'
import type { Database } from '../database/pool.ts'
import { sql } from '../database/sql.ts'
import { type Handler, Jobs, type JobsOptions } from './jobs.ts'
import { discardJob, listJobs, retryJob } from './shown-jobs.ts'

const silent = pino({ level: 'silent' })
/** Leases are long except in the tests of their expiry, so that a stalled machine does not end them. */
const quick: JobsOptions = { lease: 60_000, pollInterval: 50, retryDelay: 20, grace: 100 }
const started: Jobs[] = []
const database = await scratchDatabase()

afterEach(async () => {
  await Promise.all(started.splice(0).map((jobs) => jobs.stop()))
})

function worker(kind: string, handler: Partial<Handler<object>>, options: JobsOptions = {}): Jobs {
  const jobs = new Jobs(database, silent, { ...quick, ...options })
  jobs.handle(kind, { maxAttempts: 3, run: async () => {}, ...handler })
  jobs.start()
  started.push(jobs)
  return jobs
}

const rowsOf = (kind: string) => database.query(sql`SELECT * FROM homeport.jobs WHERE kind = ${kind}`)

/** A promise that is pending until the test opens it. */
function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open: () => open() }
}

/** Lets the test control when leases are renewed: by the worker's clock they last as long as the test lets pass. */
function holdHeartbeats(): { pass(milliseconds: number): void } {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  return { pass: (milliseconds) => void vi.advanceTimersByTime(milliseconds) }
}

/** A run that lasts until it is aborted. */
const untilAborted = (_payload: object, signal: AbortSignal) =>
  once(signal, 'abort').then(() => Promise.reject(signal.reason))

it('runs a job at once with its payload, and removes it afterwards', async () => {
  const kind = randomUUID()
  const run = vi.fn(async () => {})
  const jobs = worker(kind, { run }, { pollInterval: 60_000 })
  await sleep(50)
  await jobs.enqueue(kind, { text: '你好', deep: { list: [1, null] } })
  await vi.waitFor(
    () => expect(run).toHaveBeenCalledWith({ text: '你好', deep: { list: [1, null] } }, expect.anything()),
    10_000,
  )
  await vi.waitFor(async () => expect(await rowsOf(kind)).toEqual([]), 10_000)
})

it('runs a scheduled job when its time has come', async () => {
  const kind = randomUUID()
  const times: number[] = []
  const jobs = worker(kind, { run: async () => void times.push(Date.now()) })
  const runAt = new Date(Date.now() + 400)
  await jobs.enqueue(kind, {}, { runAt })
  await vi.waitFor(() => expect(times).toHaveLength(1), 10_000)
  expect(times[0]).toBeGreaterThanOrEqual(runAt.getTime())
})

it('never runs a job of a transaction that is rolled back', async () => {
  const kind = randomUUID()
  const run = vi.fn(async () => {})
  const jobs = worker(kind, { run })
  const transaction = database.transaction(async (transaction) => {
    await jobs.enqueue(kind, { rolledBack: true }, { transaction })
    throw new Error('no')
  })
  await expect(transaction).rejects.toThrow('no')
  await database.transaction((transaction) => jobs.enqueue(kind, { rolledBack: false }, { transaction }))
  await vi.waitFor(() => expect(run).toHaveBeenCalled(), 10_000)
  expect(run.mock.calls.map(([payload]: unknown[]) => payload)).toEqual([{ rolledBack: false }])
})

it('runs a job of a transaction as soon as the transaction commits', async () => {
  const kind = randomUUID()
  const run = vi.fn(async () => {})
  const jobs = worker(kind, { run }, { pollInterval: 60_000 })
  await database.transaction(async (transaction) => {
    await jobs.enqueue(kind, {}, { transaction })
    // Long enough that a worker woken too early would find nothing and pause for long.
    await sleep(100)
  })
  await vi.waitFor(() => expect(run).toHaveBeenCalled(), 10_000)
})

it('retries a failed job at growing intervals until it succeeds', async () => {
  const kind = randomUUID()
  const times: number[] = []
  const failed = vi.fn(async () => {})
  const run = async () => {
    times.push(Date.now())
    if (times.length < 3) throw new Error(`failure ${times.length}`)
  }
  await worker(kind, { run, failed }, { retryDelay: 200 }).enqueue(kind, {})
  await vi.waitFor(() => expect(times).toHaveLength(3), 10_000)
  await vi.waitFor(async () => expect(await rowsOf(kind)).toEqual([]), 10_000)
  expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(195)
  expect(times[2]! - times[1]!).toBeGreaterThanOrEqual(395)
  expect(failed).not.toHaveBeenCalled()
})

it('reports the failure and removes the job after the last attempt', async () => {
  const kind = randomUUID()
  const run = vi.fn(async () => {
    throw new Error('always')
  })
  const failed = vi.fn(async () => {})
  await worker(kind, { run, failed }).enqueue(kind, { of: 'mine' })
  await vi.waitFor(() => expect(failed).toHaveBeenCalledWith({ of: 'mine' }, new Error('always')), 10_000)
  await vi.waitFor(async () => expect(await rowsOf(kind)).toEqual([]), 10_000)
  expect(run).toHaveBeenCalledTimes(3)
})

it('keeps a failed job, which can be retried or discarded', async () => {
  const kind = randomUUID()
  const run = vi.fn(async () => {})
  run.mockRejectedValueOnce(new Error('not yet')).mockRejectedValueOnce(new Error('never'))
  const jobs = worker(kind, { run, maxAttempts: 1 })
  await jobs.enqueue(kind, { appId: 'mine', secret: 'of the job' })
  await jobs.enqueue(kind, { appId: 'mine' })
  const failed = async () => (await listJobs(database, 'failed', null)).filter((job) => job.kind === kind)
  await expect.poll(failed).toHaveLength(2)
  const [later, earlier] = await failed()
  expect(earlier).toMatchObject({ state: 'failed', appId: 'mine', attempts: 1, error: 'not yet' })
  expect(JSON.stringify(earlier)).not.toContain('of the job')
  expect(await retryJob(database, earlier!.id)).toBe(true)
  expect(await retryJob(database, earlier!.id)).toBe(false)
  await expect.poll(() => run.mock.calls.length).toBe(3)
  expect(await discardJob(database, later!.id)).toBe(true)
  await expect.poll(() => rowsOf(kind)).toEqual([])
  expect(await failed()).toEqual([])
  expect(run).toHaveBeenLastCalledWith({ appId: 'mine', secret: 'of the job' }, expect.anything())
})

it('runs a job on exactly one of several workers', async () => {
  const kind = randomUUID()
  const seen: number[] = []
  const run = async (payload: object) => {
    seen.push((payload as { number: number }).number)
    await sleep(5)
  }
  const workers = [1, 2, 3].map(() => worker(kind, { run, concurrency: 4 }))
  const numbers = Array.from({ length: 60 }, (_, number) => number)
  await Promise.all(numbers.map((number) => workers[number % 3]!.enqueue(kind, { number })))
  await vi.waitFor(async () => expect(await rowsOf(kind)).toEqual([]), 10_000)
  expect(seen.sort((a, b) => a - b)).toEqual(numbers)
})

it('runs at most `concurrency` jobs of a kind at once, without delaying other kinds', async () => {
  const [slow, fast] = [randomUUID(), randomUUID()]
  const { opened, open } = gate()
  let running = 0
  let max = 0
  const jobs = worker(slow, {
    concurrency: 2,
    run: async () => {
      max = Math.max(max, ++running)
      await opened
      running--
    },
  })
  const run = vi.fn(async () => {})
  jobs.handle(fast, { run, maxAttempts: 1 })
  for (let number = 0; number < 6; number++) await jobs.enqueue(slow, { number })
  await jobs.enqueue(fast, {})
  await vi.waitFor(() => expect([run.mock.calls.length, running]).toEqual([1, 2]), 10_000)
  // The query that found the fast job also covered slow ones.
  open()
  await vi.waitFor(async () => expect(await rowsOf(slow)).toEqual([]), 10_000)
  expect(max).toBe(2)
})

it('keeps a job that runs longer than its lease with its worker', async () => {
  const kind = randomUUID()
  const { opened, open } = gate()
  const run = vi.fn(() => opened)
  const options = { lease: 6000 }
  const jobs = worker(kind, { run }, options)
  worker(kind, { run }, options)
  await jobs.enqueue(kind, {})
  await vi.waitFor(() => expect(run).toHaveBeenCalled(), 10_000)
  await sleep(options.lease + 200)
  expect(run).toHaveBeenCalledTimes(1)
  open()
  await vi.waitFor(async () => expect(await rowsOf(kind)).toEqual([]), 10_000)
  expect(run).toHaveBeenCalledTimes(1)
})

it('takes over the job of a dead worker when its lease expires, without counting a failure', async () => {
  const kind = randomUUID()
  const began = Date.now()
  await database.query(sql`
    INSERT INTO homeport.jobs (kind, payload, worker, run_at)
    VALUES (${kind}, '{}', 'dead', now() + interval '300 ms')`)
  const took = vi.fn(async () => {
    const [row] = await rowsOf(kind)
    expect(row).toMatchObject({ attempts: 0, interruptions: 1 })
    return Date.now() - began
  })
  worker(kind, { run: async () => void (await took()) })
  await vi.waitFor(async () => expect(await rowsOf(kind)).toEqual([]), 10_000)
  expect(await took.mock.results[0]!.value).toBeGreaterThanOrEqual(290)
})

it('gives up a job whose workers keep dying', async () => {
  const kind = randomUUID()
  await database.query(
    sql`INSERT INTO homeport.jobs (kind, payload, worker, interruptions) VALUES (${kind}, '{}', 'dead', 20)`,
  )
  const run = vi.fn(async () => {})
  const failed = vi.fn(() => Promise.reject(new Error('cannot be reported')))
  worker(kind, { run, failed })
  await vi.waitFor(async () => expect(await rowsOf(kind)).toEqual([]), 10_000)
  expect(run).not.toHaveBeenCalled()
  expect(failed).toHaveBeenCalledTimes(1)
})

it('aborts the run when another worker has taken the job, and leaves the job alone', async () => {
  const kind = randomUUID()
  const heartbeats = holdHeartbeats()
  const run = vi.fn(untilAborted)
  const jobs = worker(kind, { run }, { lease: 10_000 })
  await jobs.enqueue(kind, {})
  await expect.poll(() => run.mock.calls.length).toBe(1)
  await database.query(
    sql`UPDATE homeport.jobs SET worker = 'other', run_at = now() + interval '1 h' WHERE kind = ${kind}`,
  )
  heartbeats.pass(3000)
  await expect(run.mock.results[0]!.value).rejects.toThrow('another worker has the job')
  await sleep(50)
  expect(await rowsOf(kind)).toMatchObject([{ worker: 'other', attempts: 0 }])
})

it('aborts the run of a worker that cannot renew its lease, before the lease ends', async () => {
  const kind = randomUUID()
  const heartbeats = holdHeartbeats()
  let away = false
  let refused = 0
  const unsteady = {
    async query(statement: Parameters<Database['query']>[0]) {
      if (!away) return database.query(statement)
      refused++
      throw new Error('the database is away')
    },
  } as Database
  const { log, lines } = recordedLog()
  const jobs = new Jobs(unsteady, log, { ...quick, lease: 1000 })
  started.push(jobs)
  const run = vi.fn(untilAborted)
  jobs.handle(kind, { run, maxAttempts: 1 })
  jobs.start()
  await jobs.enqueue(kind, {})
  await expect.poll(() => run.mock.calls.length).toBe(1)
  away = true
  const signal = run.mock.calls[0]![1]
  for (let beat = 1; beat <= 2; beat++) {
    heartbeats.pass(300)
    await expect.poll(() => refused).toBe(beat)
    expect(signal.aborted).toBe(false)
  }
  heartbeats.pass(300)
  expect(signal.aborted).toBe(true)
  await expect(run.mock.results[0]!.value).rejects.toThrow('the lease could not be renewed')
  // The failure to take work is logged once, however often it is retried.
  await expect.poll(() => refused).toBeGreaterThan(5)
  const warnings = lines.filter(([, text]) => text !== 'database connection restored, resuming jobs')
  expect(warnings).toHaveLength(1)
  away = false
  await expect.poll(() => run.mock.calls.length).toBe(2)
})

it('stop waits for running jobs', async () => {
  const kind = randomUUID()
  const { opened, open } = gate()
  const run = vi.fn((_payload: object, _signal: AbortSignal) => opened)
  const jobs = worker(kind, { run }, { grace: 60_000 })
  await jobs.enqueue(kind, {})
  await vi.waitFor(() => expect(run).toHaveBeenCalled(), 10_000)
  await jobs.enqueue(kind, { second: true })
  const stopped = vi.fn()
  const stopping = jobs.stop().then(stopped)
  await sleep(200)
  expect(stopped).not.toHaveBeenCalled()
  expect(run.mock.calls[0]![1].aborted).toBe(false)
  open()
  await stopping
  expect(await rowsOf(kind)).toMatchObject([{ worker: null, payload: '{"second": true}' }])
})

it('stop aborts jobs that run too long and releases them, so that another worker takes them at once', async () => {
  const kind = randomUUID()
  const run = vi.fn(untilAborted)
  const jobs = worker(kind, { run }, { lease: 60_000 })
  await jobs.enqueue(kind, {})
  await vi.waitFor(() => expect(run).toHaveBeenCalled(), 10_000)
  await jobs.stop()
  expect(await rowsOf(kind)).toMatchObject([{ worker: null, attempts: 0, interruptions: 0 }])
  worker(kind, {})
  await vi.waitFor(async () => expect(await rowsOf(kind)).toEqual([]), 10_000)
})

it('runs a held job once, when its holder starts it', async () => {
  const kind = randomUUID()
  const run = vi.fn(async () => {})
  const jobs = worker(kind, { run }, { pollInterval: 60_000 })
  const held = await jobs.hold(kind, { of: 'mine' })
  await jobs.enqueue(kind, { of: 'others' })
  await vi.waitFor(async () => expect(await rowsOf(kind)).toHaveLength(1), 10_000)
  expect(run.mock.calls.map(([payload]: unknown[]) => payload)).toEqual([{ of: 'others' }])
  await Promise.all([held.start(), held.start(), held.drop()])
  await vi.waitFor(async () => expect(await rowsOf(kind)).toEqual([]), 10_000)
  expect(run.mock.calls.map(([payload]: unknown[]) => payload)).toEqual([{ of: 'others' }, { of: 'mine' }])
})

it('never runs a held job that was dropped', async () => {
  const kind = randomUUID()
  const run = vi.fn(async () => {})
  const held = await worker(kind, { run }).hold(kind, {})
  await held.drop()
  expect(await rowsOf(kind)).toEqual([])
  await held.start()
  expect(run).not.toHaveBeenCalled()
})

it('holds jobs back while their holder lives, and runs them elsewhere after it died', async () => {
  const kind = randomUUID()
  const run = vi.fn(async () => {})
  const lease = { lease: 300, heldLease: 3000 }
  const holder = worker(kind, {}, lease)
  await Promise.all([holder.hold(kind, { number: 1 }), holder.hold(kind, { number: 2 })])
  worker(kind, { run })
  const leases = async () => (await rowsOf(kind)).map((row) => Date.parse(String(row.run_at)))
  const first = Math.max(...(await leases()))
  await vi.waitFor(async () => {
    const renewed = await leases()
    expect(renewed).toHaveLength(2)
    expect(Math.min(...renewed)).toBeGreaterThan(first)
  }, 10_000)
  expect(run).not.toHaveBeenCalled()
  await holder.stop()
  await vi.waitFor(async () => expect(await rowsOf(kind)).toEqual([]), 10_000)
  expect(run).toHaveBeenCalledTimes(2)
})

it('leaves a held job alone that another worker has taken', async () => {
  const kind = randomUUID()
  const jobs = worker(kind, {}, { lease: 300, heldLease: 600 })
  const held = await jobs.hold(kind, {})
  await database.query(
    sql`UPDATE homeport.jobs SET worker = 'other', run_at = now() + interval '1 h' WHERE kind = ${kind}`,
  )
  await held.start()
  expect(await rowsOf(kind)).toMatchObject([{ worker: 'other' }])
  await held.drop()
  expect(await rowsOf(kind)).toMatchObject([{ worker: 'other' }])
})

it('leaves a slot to other apps when one app has slow jobs, and shares that slot equally', async () => {
  const kind = randomUUID()
  const { opened, open } = gate()
  const begun: string[] = []
  const run = async (payload: object) => {
    const { appId } = payload as { appId: string }
    begun.push(appId)
    if (appId === 'slow') await opened
  }
  const jobs = worker(kind, { run, concurrency: 4 })
  for (let n = 0; n < 10; n++) await jobs.enqueue(kind, { appId: 'slow' })
  await vi.waitFor(() => expect(begun).toHaveLength(3), 10_000)
  for (let n = 0; n < 5; n++) await jobs.enqueue(kind, { appId: `other ${n % 2}` })
  await vi.waitFor(() => expect(begun).toHaveLength(8), 10_000)
  expect(begun.filter((app) => app === 'slow')).toHaveLength(3)
  open()
  await vi.waitFor(async () => expect(await rowsOf(kind)).toEqual([]), 10_000)
  expect(begun).toHaveLength(15)
})

it('alternates between apps when there is one slot, however many jobs each has', async () => {
  const kind = randomUUID()
  const begun: string[] = []
  const run = async (payload: object) => void begun.push((payload as { appId: string }).appId)
  const add = worker(randomUUID(), {})
  for (const appId of ['a', 'a', 'a', 'a', 'b', 'b', 'c']) await add.enqueue(kind, { appId })
  await add.enqueue(kind, {})
  worker(kind, { run })
  await vi.waitFor(() => expect(begun).toHaveLength(8), 10_000)
  expect(begun.slice(0, 4).sort()).toEqual(['a', 'b', 'c', undefined])
  expect(begun.slice(4)).toEqual(['a', 'b', 'a', 'a'])
})
