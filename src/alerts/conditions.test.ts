import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { Counts } from '../counts.ts'
import { crashCondition, diskCondition, engineCondition, postgresCondition, pushCondition } from './conditions.ts'
import { openCrashRecord } from './crash-record.ts'

const GB = 1024 ** 3
const MINUTE = 60_000
const directory = mkdtempSync(join(tmpdir(), 'homeport-crashes-'))
afterAll(() => rmSync(directory, { recursive: true }))

it.each([
  ['less than a tenth', 0.9, 10, true],
  ['more than a tenth', 1.1, 10, false],
  ['less than 5 GB of a large disk', 4.9, 1000, true],
  ['more than 5 GB of a large disk', 5.1, 1000, false],
  ['a disk without a size', 0, 0, false],
])('a disk is short: %s', async (_, free, total, isShort) => {
  const { read } = diskCondition(
    async () => ({ free: free * GB, total: total * GB }),
    () => 0,
  )
  expect((await read()) !== null).toBe(isShort)
})

it('a disk is short before uploads are rejected', async () => {
  const disk = async () => ({ free: 11 * GB, total: 100 * GB })
  expect(await diskCondition(disk, () => 6 * GB).read()).toEqual({ code: 'alertDisk', free: 11_264, total: 102_400 })
})

it('pushes fail when most devices of a channel failed in the last ten minutes', async () => {
  let now = 0
  const counts = new Counts()
  counts.add(['apns', 'failed'], 500)
  const { read } = pushCondition(counts, () => now)
  expect(await read()).toMatchObject({ code: 'alertPush', failed: 500 })
  const next = () => {
    now += MINUTE
    return read()
  }
  now += 10 * MINUTE
  expect(await next()).toBeNull()
  counts.add(['apns', 'failed'], 19)
  expect(await next()).toBeNull()
  counts.add(['apns', 'later'], 1)
  expect(await next()).toEqual({ code: 'alertPush', channel: 'apns', failed: 20, devices: 20 })
  counts.add(['apns', 'accepted'], 20)
  counts.add(['fcm', 'unregistered'], 900)
  expect(await next()).toBeNull()
})

it('an engine is down after three readings', async () => {
  let down = ['a', 'b']
  const { read } = engineCondition(() => down)
  expect(await read()).toBeNull()
  expect(await read()).toBeNull()
  down = ['b']
  expect(await read()).toEqual({ code: 'alertEngine', apps: ['b'] })
  down = []
  expect(await read()).toBeNull()
})

it('three unexpected ends of PostgreSQL within an hour are a problem', async () => {
  let now = 0
  let restarts: number | null = 0
  const { read } = postgresCondition(
    () => restarts,
    () => now,
  )
  expect(await read()).toBeNull()
  restarts = 3
  expect(await read()).toEqual({ code: 'alertPostgresCrashes', times: 3 })
  now = 61 * MINUTE
  expect(await read()).toBeNull()
  restarts = null
  expect(await read()).toBeNull()
})

it('a run that did not end as intended is a crash', async () => {
  const open = (now: number) => openCrashRecord(directory, now)
  expect(open(0).crashes).toEqual([])
  expect(open(1).crashes).toEqual([1])
  open(2).end()
  expect(open(3).crashes).toEqual([1, 2])
  for (let now = 4; now < 40; now++) open(now)
  const { crashes } = open(40)
  expect(crashes).toHaveLength(20)
  expect(
    await crashCondition(
      () => crashes,
      () => 41,
    ).read(),
  ).toEqual({ code: 'alertCrashes', times: 20 })
  expect(
    await crashCondition(
      () => crashes,
      () => 100 * MINUTE,
    ).read(),
  ).toBeNull()
  writeFileSync(join(directory, 'runs.json'), '{"isRunning":tr')
  expect(open(50).crashes).toEqual([])
})
