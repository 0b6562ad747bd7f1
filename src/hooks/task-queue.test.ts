import { afterAll, afterEach, expect, it } from 'vitest'
import { recordedLog } from '../../test/support/recorded-log.ts'
import { scratchDatabase } from '../../test/support/scratch-database.ts'
import { deadUrl, inputOf, json, KEYS, standInEngine } from '../../test/support/stand-in-engine.ts'
import { Apps, schemaOf } from '../apps/apps.ts'
import { identifier, sql } from '../database/sql.ts'
import { Jobs } from '../jobs/jobs.ts'
import { Engine } from './engine.ts'
import type { EngineSettings } from './engine-settings.ts'
import { addTask, findTask, type TaskQueue, taskRequest } from './task-queue.ts'
import { runTasks } from './task-queue-runs.ts'

const appId = KEYS.id
const production = await standInEngine()
const staging = await standInEngine()
let settings: EngineSettings = { production: production.url, staging: staging.url }
const { log: quiet } = recordedLog()
const engine = new Engine({ appId, keys: () => KEYS, settings: () => settings, log: quiet })
const database = await scratchDatabase()
await new Apps(database).create('test', null, { id: appId })
const table = identifier(schemaOf(appId), '$tasks')

/** A server of the installation, with the parts that tasks need. */
function node(): { queue: TaskQueue; jobs: Jobs } {
  const jobs = new Jobs(database, quiet, { pollInterval: 20, grace: 0 })
  const queue: TaskQueue = { appId, database, table, jobs, engine }
  runTasks(jobs, async () => queue)
  return { queue, jobs }
}
const { queue, jobs } = node()
const other = node()
jobs.start()
other.jobs.start()
afterAll(() => Promise.all([jobs.stop(), other.jobs.stop()]))

afterEach(async () => {
  for (const { functions, calls } of [production, staging]) {
    functions.clear()
    calls.length = 0
  }
  settings = { production: production.url, staging: staging.url }
  await database.query(sql`DELETE FROM ${table}`)
})

const add = (request: object) => addTask(queue, taskRequest.parse({ function: 'f', ...request }))
const state = (id: string) => findTask(queue, id)
const ended = (id: string, status: string) => expect.poll(async () => (await state(id))?.status).toBe(status)

it('runs a task with its parameters and the authority of the master key, and stores its result', async () => {
  production.functions.set('f', json({ result: { sum: 3 } }))
  const id = await add({ params: { a: 1, b: 2 } })
  expect(id).toMatch(/^[0-9a-f-]{36}$/)
  await ended(id, 'success')
  expect(await state(id)).toEqual({
    uniqueId: id,
    status: 'success',
    finishedAt: expect.stringMatching(/^\d{4}-.+Z$/),
    statusCode: 200,
    result: { sum: 3 },
  })
  expect(production.calls).toHaveLength(1)
  expect(inputOf(production.calls[0])).toEqual({ a: 1, b: 2 })
  expect(production.calls[0]!.headers['x-lc-key']).toBe(`${KEYS.masterKey},master`)
})

it('runs a task with prod 0 in staging', async () => {
  staging.functions.set('f', json({ result: 1 }))
  await ended(await add({ prod: 0 }), 'success')
  expect(production.calls).toEqual([])
})

it('runs one task at a time on all nodes, lower priorities first', async () => {
  const finish: (() => void)[] = []
  production.functions.set('f', (response) => void finish.push(() => response.end('{"result":1}')))
  const first = await add({ params: { n: 'first' } })
  await expect.poll(() => finish.length).toBe(1)
  const ids = [first]
  for (const priority of [3, 1, 2])
    ids.push(await addTask(other.queue, taskRequest.parse({ function: 'f', params: { n: priority }, priority })))
  for (let index = 0; index < 4; index++) {
    await expect.poll(() => finish.length).toBe(index + 1)
    finish[index]!()
  }
  for (const id of ids) await ended(id, 'success')
  expect(production.calls.map((call) => inputOf(call).n)).toEqual(['first', 1, 2, 3])
})

it('does not skip a task while another worker tries to claim it', async () => {
  const finish: (() => void)[] = []
  production.functions.set('f', (response) => void finish.push(() => response.end('{"result":1}')))
  const first = await add({})
  await expect.poll(() => finish.length).toBe(1)
  const next = await add({ params: { n: 'next' }, priority: 1 })
  const last = await add({ params: { n: 'last' }, priority: 2 })
  // The workers that these two have woken must have finished, or they would take all connections of the app and wait for the row
  // locked below. The job of the running task is the only one left that is due or has a worker.
  const active = sql`
    SELECT FROM homeport.jobs
    WHERE payload ->> 'appId' = ${appId} AND (worker IS NOT NULL OR run_at <= now())`
  await expect.poll(async () => (await database.query(active)).length).toBe(1)
  await database.transaction(async (transaction) => {
    await transaction.query(sql`SELECT FROM ${table} WHERE id = ${next} FOR UPDATE`)
    finish[0]!()
    await ended(first, 'success')
    const waiting = async () =>
      (await transaction.query(sql`SELECT FROM pg_stat_activity WHERE pg_backend_pid() = ANY(pg_blocking_pids(pid))`))
        .length
    await expect.poll(waiting).toBeGreaterThan(0)
  })
  for (const index of [1, 2]) {
    await expect.poll(() => finish.length).toBe(index + 1)
    finish[index]!()
  }
  await ended(last, 'success')
  expect(production.calls.slice(1).map((call) => inputOf(call).n)).toEqual(['next', 'last'])
})

it('runs a task once, however many workers try to claim it', { timeout: 120_000 }, async () => {
  production.functions.set('f', json({ result: 1 }))
  // Each of them is woken to claim tasks on its own.
  const workers = Array.from({ length: 8 }, node)
  for (const worker of workers) worker.jobs.start()
  try {
    for (let round = 0; round < 40; round++) {
      const id = await add({ params: { round } })
      await Promise.all(workers.map(() => jobs.enqueue('cloud-queue', { appId })))
      for (const worker of workers) worker.jobs.wake()
      await ended(id, 'success')
    }
  } finally {
    await Promise.all(workers.map((worker) => worker.jobs.stop()))
  }
  expect(production.calls.map((call) => inputOf(call).round)).toEqual(Array.from({ length: 40 }, (_, round) => round))
})

it('retries a failed task after the backoff, up to the requested number of attempts', async () => {
  production.functions.set('f', json({ code: 7, error: 'not today' }, 400))
  const id = await add({ attempts: 2, backoff: 1 })
  await expect.poll(() => production.calls.length).toBe(3)
  await expect.poll(async () => (await state(id))?.retryAt).toBeUndefined()
  await ended(id, 'failed')
  expect(await state(id)).toMatchObject({ statusCode: 400, error: 'not today' })
})

it('shows the time of the next retry', async () => {
  production.functions.set('f', json({ code: 7, error: 'not today' }, 500))
  const id = await add({})
  await ended(id, 'failed')
  const { retryAt, finishedAt } = (await state(id)) as { retryAt: string; finishedAt: string }
  // A minute from the request; a busy machine may record the end later.
  expect(Date.parse(retryAt) - Date.parse(finishedAt)).toBeGreaterThan(40_000)
})

it('delays a task with a delay', async () => {
  production.functions.set('f', json({ result: 1 }))
  const late = await add({ delay: 600_000, priority: 0 })
  await ended(await add({}), 'success')
  expect(await state(late)).toEqual({ uniqueId: late, status: 'queued' })
})

it.each([
  ['atLeastOnce', 2],
  ['atMostOnce', 1],
])('handles a task without a response: %s', async (deliveryMode, runs) => {
  production.functions.set('f', () => {})
  const id = await add({ deliveryMode, backoff: 1, timeout: 50 })
  // Counted in the table: a call with such a short time limit may not reach the engine.
  const outcome = async () => (await database.query(sql`SELECT failures, run_at FROM ${table} WHERE id = ${id}`))[0]
  await expect.poll(outcome).toEqual({ failures: runs, run_at: null })
  expect(await state(id)).toMatchObject({ status: 'failed', error: 'The request timed out on the server.' })
  expect(production.calls.length).toBeLessThanOrEqual(runs)
})

it('retries a task when the engine is unavailable', async () => {
  settings = { production: await deadUrl() }
  const id = await add({ backoff: 1, attempts: 1000 })
  // It is soon queued again, but its first failure remains visible.
  await expect.poll(async () => (await state(id))?.finishedAt).toBeDefined()
  production.functions.set('f', json({ result: 1 }))
  settings = { production: production.url }
  await ended(id, 'success')
})

it.each([
  ['atLeastOnce', 'success', 2],
  ['atMostOnce', 'failed', 1],
])('handles a task whose server died: %s', async (deliveryMode, status, runs) => {
  production.functions.set('f', () => {})
  const id = await add({ deliveryMode })
  await expect.poll(() => production.calls.length).toBe(1)
  production.functions.set('f', json({ result: 1 }))
  // As if its server had not renewed the lease for long.
  await database.query(sql`UPDATE ${table} SET leased_until = now() - interval '1 s'`)
  await jobs.enqueue('cloud-queue', { appId })
  await ended(id, status)
  expect(production.calls).toHaveLength(runs)
})

it('rejects an id in use, and accepts it again when the result has expired', async () => {
  production.functions.set('f', json({ result: 1 }))
  expect(await add({ uniqueId: 'mine', keepResult: 60_000 })).toBe('mine')
  await expect(add({ uniqueId: 'mine' })).rejects.toMatchObject({ code: 137 })
  await ended('mine', 'success')
  await expect(add({ uniqueId: 'mine' })).rejects.toMatchObject({ code: 137 })
  await database.query(sql`UPDATE ${table} SET expires_at = now() - interval '1 s'`)
  expect(await state('mine')).toBeNull()
  expect(await add({ uniqueId: 'mine' })).toBe('mine')
})

it.each([
  { function: '__before_save_for_Post' },
  { function: undefined },
  { params: [] },
  { attempts: -1 },
  { timeout: 15_001 },
  { deliveryMode: 'maybe' },
  { uniqueId: 'x'.repeat(33) },
  { priority: 'high' },
])('rejects invalid options: %o', (request) => {
  expect(taskRequest.safeParse({ function: 'f', ...request }).success).toBe(false)
})

it('accepts options of other SDKs', () => {
  expect(taskRequest.safeParse({ function: 'f', notify: 'x', retryTimeout: true }).success).toBe(true)
})
