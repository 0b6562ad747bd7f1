import { pino } from 'pino'
import { afterAll, expect, it, vi } from 'vitest'
import { makePush } from '../../../test/support/push.ts'
import { Jobs } from '../../jobs/jobs.ts'
import { sendPushes } from './push-jobs.ts'

const bench = await makePush()
const { push, database } = bench
const apps = new Map([[push.appId, push]])
const jobs = new Jobs(database, pino({ level: 'silent' }), { pollInterval: 20 })
sendPushes(jobs, async (appId) => apps.get(appId))
jobs.start()
afterAll(() => jobs.stop())

const isIdle = () => vi.waitFor(async () => expect(await bench.waiting()).toEqual([]), { timeout: 60_000 })

it('sends pushes from any worker', async () => {
  await bench.installPhones(1500)
  const id = await bench.create()
  await isIdle()
  expect(await bench.record(id)).toMatchObject({ status: 'done', devices: 1500, successes: 1500 })
})

it('does not delay a push to few devices by one to many with a slow provider', { timeout: 60_000 }, async () => {
  await bench.clear()
  await bench.installPhones(8000)
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  bench.beforeAnswer = ({ channel }) => (channel === 'apns' ? released : undefined)
  const toAll = await bench.create()
  // All workers that one app can use are busy: six chunks each of the first page and of four others are in progress.
  await vi.waitFor(() => expect(bench.handed).toHaveLength(30), { timeout: 60_000 })
  const target = { kind: 'devices', deviceType: 'android', vendor: 'mi', profile: null, tokens: ['a'] } as const
  const toOne = await bench.create({ target })
  await vi.waitFor(
    async () => expect(await bench.record(toOne)).toMatchObject({ status: 'done', successes: 1 }),
    20_000,
  )
  expect(await bench.record(toAll)).toMatchObject({ status: 'in-queue', successes: 0 })
  release()
  await isIdle()
  expect(await bench.record(toAll)).toMatchObject({ status: 'done', successes: 8000 })
})

it('ends a push with an invalid condition in error immediately, with the reason', async () => {
  const where = { owner: { $inQuery: { where: { age: 7 } } } }
  const id = await bench.create({ target: { kind: 'where', where, channels: [] } })
  await isIdle()
  const errors = expect.stringContaining("The inner query of 'owner' needs a 'className'")
  expect(await bench.record(id)).toMatchObject({ status: 'error', devices: 0, errors })
})

it('drops the pushes of a deleted app', async () => {
  apps.clear()
  const id = await bench.create()
  await isIdle()
  expect(await bench.record(id)).toMatchObject({ status: 'in-queue', devices: 0 })
})
