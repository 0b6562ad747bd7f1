import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { makePush } from '../../../test/support/push.ts'
import type { Database } from '../../database/pool.ts'
import type { Row } from '../../database/row.ts'
import { sql } from '../../database/sql.ts'
import { ACCEPTED, type Outcome } from '../providers/provider.ts'
import { installationTable } from '../push.ts'
import { deliverPage } from './deliver-page.ts'
import { givenUpOf, retryPushes } from './given-up.ts'
import { beginRange } from './pages.ts'
import { endInError } from './push-jobs.ts'
import { deleteRecord } from './records.ts'

const bench = await makePush()
const { push, database } = bench

const tokens = () => bench.handed.flatMap(({ targets }) => targets.map(({ token }) => token))
const named = (count: number) => Array.from({ length: count }, (_, index) => `token ${index}`)
const nextJob = async () => (await bench.waiting())[0]!.job
/** Processes the next page with a database of which some members are replaced. */
const workWith = async (members: Partial<Pick<Database, 'query' | 'search'>>) => {
  const other = new Proxy(database, {
    get(target, name) {
      const value: unknown = Reflect.get(name in members ? members : target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  await deliverPage({ ...push, database: other }, await nextJob(), new AbortController().signal)
}
/** Processes the next page with a replacement for the statement that stores progress. */
const workNoting = (note: (run: () => Promise<Row[]>) => Promise<Row[]>) =>
  workWith({
    query: (statement) =>
      statement.strings.join('').includes('SET handled')
        ? note(() => database.query(statement))
        : database.query(statement),
  })
/** Returns an event that the test can wait for. */
const event = () => {
  let happen = () => {}
  const happened = new Promise<void>((resolve) => {
    happen = resolve
  })
  return { happen, happened }
}
/** Stops the clock, so that delays are exact. @returns the current time */
const stopClock = (): number => {
  const now = Date.now()
  vi.setSystemTime(now)
  onTestFinished(() => void vi.useRealTimers())
  return now
}
const later = (after: number | null = null): Outcome => ({ kind: 'later', reason: 'is overloaded', after })

beforeEach(() => bench.clear())

describe('a provider with a maximum of devices', () => {
  const limited = { ...push, providers: { ...push.providers, find: limitedTo(3) } }
  function limitedTo(maxDevices: number): typeof push.providers.find {
    return (...which) => ({ ...push.providers.find(...which)!, maxDevices })
  }
  const workLimited = async () => {
    await deliverPage(limited, await nextJob(), new AbortController().signal)
    // The jobs of finished pages.
    await bench.workOnAll()
  }

  it('sends a push that exceeds it to no device, and records the reason', async () => {
    await bench.installPhones(4)
    const id = await bench.create()
    await workLimited()
    expect(bench.handed).toEqual([])
    expect(await bench.record(id)).toMatchObject({
      status: 'error',
      devices: 4,
      errors: expect.stringContaining('dev profile disabled for massive push'),
    })
  })

  it('sends a push within it', async () => {
    await bench.installPhones(3)
    await bench.create()
    await workLimited()
    expect(tokens()).toHaveLength(3)
  })
})

describe('the pages of a push', () => {
  it.each([
    [0, 1],
    [1, 1],
    [999, 1],
    [1000, 2],
    [1001, 2],
    [2500, 3],
  ])('reaches each of %i devices once, in %i pages', async (count, pages) => {
    await bench.installPhones(count)
    const id = await bench.create()
    expect(await bench.record(id)).toMatchObject({ status: 'in-queue', devices: 0 })
    expect(await bench.workOnAll()).toBe(pages)
    expect(tokens().toSorted()).toEqual(named(count).toSorted())
    expect(await bench.record(id)).toMatchObject({ status: 'done', devices: count, iosSuccesses: count })
  })

  it('counts a page once when two workers process it', async () => {
    await bench.installPhones(3)
    const id = await bench.create()
    const job = { appId: push.appId, pushId: id, page: '' }
    await Promise.all([bench.work(job), bench.work(job)])
    await bench.workOnAll()
    expect(await bench.record(id)).toMatchObject({ status: 'done', devices: 3, successes: 3 })
  })

  it('keeps the end of a page as the first worker found it', async () => {
    await bench.installPhones(1000)
    const id = await bench.create()
    const job = { appId: push.appId, pushId: id, page: '' }
    const stopped = AbortSignal.abort(new Error('stopped'))
    await expect(bench.work(job, stopped)).rejects.toThrow('stopped')
    await database.query(sql`DELETE FROM ${installationTable(push)} WHERE id = 'i00000'`)
    await bench.install([{ deviceType: 'ios', deviceToken: 'one more' }], 'z')
    await bench.workOnAll()
    expect(tokens().toSorted()).toEqual([...named(1000).slice(1), 'one more'].toSorted())
    expect(await bench.record(id)).toMatchObject({ status: 'done', devices: 1000 })
  })

  it('uses the end of the faster worker when two begin a page concurrently', async () => {
    const [, second] = await bench.installPhones(3)
    const id = await bench.create()
    await workWith({
      search: async (statement) => {
        const found = await database.search(statement)
        // The other worker found fewer devices and has begun the page with them.
        await beginRange(push, id, '', second!, null)
        return found
      },
    })
    expect(tokens()).toEqual(['token 0', 'token 1'])
    await database.query(sql`DELETE FROM homeport.jobs WHERE payload->>'page' = ''`)
    await bench.workOnAll()
    expect(tokens()).toEqual(['token 0', 'token 1', 'token 2'])
    expect(await bench.record(id)).toMatchObject({ status: 'done', devices: 3, successes: 3 })
  })

  it('delays the next page by flow_control', async () => {
    await bench.installPhones(1500)
    await bench.create({ flowControl: 2000 })
    const [first] = await bench.waiting()
    await database.query(sql`DELETE FROM homeport.jobs`)
    const began = stopClock()
    await bench.work(first!.job)
    const [second] = await bench.waiting()
    // 1000 devices at 2000 a second
    expect(second!.runAt.getTime() - began).toBe(500)
    await bench.workOnAll()
    expect(tokens()).toHaveLength(1500)
  })
})

describe('after a worker that stopped before its page was finished', () => {
  it('another one skips the devices that were handed over', async () => {
    await bench.installPhones(950)
    const id = await bench.create()
    const job = await nextJob()
    const stop = new AbortController()
    // The first six chunks are in progress when the worker is stopped.
    bench.beforeAnswer = () => {
      if (bench.handed.length === 6) stop.abort(new Error('the server stops'))
    }
    await expect(bench.work(job, stop.signal)).rejects.toThrow('the server stops')
    const before = tokens().length
    expect(before).toBeLessThan(950)
    expect(await bench.record(id)).toMatchObject({ status: 'in-queue', devices: 0, successes: 0 })
    bench.beforeAnswer = () => {}
    await bench.workOnAll()
    expect(tokens().toSorted()).toEqual(named(950).toSorted())
    expect(await bench.record(id)).toMatchObject({ status: 'done', devices: 950, iosSuccesses: 950 })
  })

  it('another one counts every device once, even if installations are added and deleted meanwhile', async () => {
    await bench.installPhones(950)
    const id = await bench.create()
    const stop = new AbortController()
    bench.beforeAnswer = () => {
      if (bench.handed.length === 6) stop.abort(new Error('the server stops'))
    }
    await expect(bench.work(await nextJob(), stop.signal)).rejects.toThrow('the server stops')
    bench.beforeAnswer = () => {}
    // One device that was sent to, one that was not, and two new ones.
    const [first] = tokens()
    await database.query(sql`
      DELETE FROM ${installationTable(push)} WHERE data->>'deviceToken' IN (${first!}, 'token 949')`)
    await bench.install(
      [
        { deviceType: 'ios', deviceToken: 'one more' },
        { deviceType: 'ios', deviceToken: 'another' },
      ],
      'z',
    )
    await bench.workOnAll()
    expect(tokens()).toHaveLength(951)
    const record = await bench.record(id)
    expect(record).toMatchObject({ status: 'done', devices: 951, successes: 951 })
    expect(record).not.toHaveProperty('errors')
  })

  it('because of an error, the results of the other chunks are stored', async () => {
    await bench.installPhones(300)
    const id = await bench.create()
    const job = await nextJob()
    let first = true
    bench.beforeAnswer = async () => {
      if (!first) return void (await new Promise((resolve) => setImmediate(resolve)))
      first = false
      throw new Error('a fault of ours')
    }
    await expect(bench.work(job)).rejects.toThrow('a fault of ours')
    bench.beforeAnswer = () => {}
    await bench.workOnAll()
    // The first chunk was not recorded; the others are not sent again.
    expect(tokens()).toHaveLength(400)
    expect(await bench.record(id)).toMatchObject({ status: 'done', devices: 300, successes: 300 })
  })

  it('does not stop while the database cannot store its progress', async () => {
    await bench.installPhones(250)
    const id = await bench.create()
    const refused = event()
    let notes = 0
    let noted: unknown
    // The last chunk is answered when the first update has failed.
    bench.beforeAnswer = ({ targets }) => (targets.length === 50 ? refused.happened : undefined)
    await workNoting(async (note) => {
      if (notes++ > 0) {
        const rows = await note()
        noted = (
          await database.query(
            sql`SELECT cardinality(handled) AS count FROM ${push.tables.pages} WHERE push_id = ${id}`,
          )
        )[0]?.count
        return rows
      }
      refused.happen()
      throw new Error('the database is away')
    })
    // A later update contains the devices of the failed one.
    expect(noted).toBe(250)
    await bench.workOnAll()
    expect(tokens()).toHaveLength(250)
    expect(await bench.record(id)).toMatchObject({ status: 'done', devices: 250, successes: 250 })
  })

  it('because the push was cancelled, no more devices are handed over', async () => {
    await bench.installPhones(1000)
    const id = await bench.create()
    const noted = event()
    bench.beforeAnswer = async ({ targets }) => {
      if (targets[0]!.token !== 'token 0') return noted.happened
      expect(await deleteRecord(push, id)).toBe(true)
    }
    await workNoting(async (note) => {
      const rows = await note()
      setImmediate(noted.happen)
      return rows
    })
    expect(tokens()).toHaveLength(700)
    expect(await bench.record(id)).toBeNull()
    await bench.workOnAll()
    expect(tokens()).toHaveLength(700)
  })
})

describe('outcomes', () => {
  it('later: retries the device on a separate page, with increasing delays and an unchanged badge', async () => {
    await bench.installPhones(2, { badge: 4 })
    const id = await bench.create({ data: { alert: 'Hello', badge: 'Increment' } })
    bench.outcome = ({ token }) => (token === 'token 1' ? later() : ACCEPTED)
    const waits: number[] = []
    const began = stopClock()
    for (let round = 0; round < 3; round++) {
      const job = await nextJob()
      await database.query(sql`DELETE FROM homeport.jobs`)
      await bench.work(job)
      waits.push((await bench.waiting())[0]!.runAt.getTime() - began)
    }
    expect(waits).toEqual([1000, 2000, 4000])
    bench.outcome = () => ACCEPTED
    await bench.workOnAll()
    expect(tokens()).toEqual(['token 0', 'token 1', 'token 1', 'token 1', 'token 1'])
    expect(bench.handed.flatMap(({ targets }) => targets.map(({ badge }) => badge))).toEqual([5, 5, 5, 5, 5])
    expect(await bench.record(id)).toMatchObject({ status: 'done', devices: 2, iosSuccesses: 2 })
  })

  it('later: waits as long as the provider requests', async () => {
    await bench.installPhones(1)
    await bench.create()
    bench.outcome = () => later(90_000)
    const job = await nextJob()
    await database.query(sql`DELETE FROM homeport.jobs`)
    const began = stopClock()
    await bench.work(job)
    expect((await bench.waiting())[0]!.runAt.getTime() - began).toBeGreaterThanOrEqual(90_000)
    bench.outcome = () => ACCEPTED
    await bench.workOnAll()
  })

  it('later: does not delay other devices by one with a long delay', async () => {
    await bench.installPhones(3)
    await bench.create()
    bench.outcome = ({ token }) => later(token === 'token 1' ? 3_600_000 : null)
    const job = await nextJob()
    await database.query(sql`DELETE FROM homeport.jobs`)
    const began = stopClock()
    await bench.work(job)
    const waits = (await bench.waiting()).map(({ runAt }) => runAt.getTime() - began)
    expect(waits[0]).toBe(1000)
    expect(waits[1]).toBeGreaterThanOrEqual(3_600_000)
    bench.outcome = () => ACCEPTED
    await bench.workOnAll()
    expect(tokens().slice(3)).toEqual(['token 0', 'token 2', 'token 1'])
  })

  it('later: records an error when the installation was deleted before the retry', async () => {
    await bench.installPhones(2)
    const id = await bench.create()
    bench.outcome = ({ token }) => (token === 'token 1' ? later() : ACCEPTED)
    const job = await nextJob()
    await database.query(sql`DELETE FROM homeport.jobs`)
    await bench.work(job)
    await database.query(sql`DELETE FROM ${installationTable(push)} WHERE id = 'i00001'`)
    await bench.workOnAll()
    expect(await bench.record(id)).toMatchObject({
      status: 'done',
      devices: 2,
      successes: 1,
      errors: 'the installation has gone meanwhile (1)',
    })
  })

  it('later: gives up after ten attempts', async () => {
    await bench.installPhones(1)
    const id = await bench.create()
    bench.outcome = () => later()
    expect(await bench.workOnAll()).toBe(10)
    expect(tokens()).toHaveLength(10)
    expect(await bench.record(id)).toMatchObject({ status: 'error', devices: 1, errors: 'apns: is overloaded (1)' })
  })

  it('given up: retries only these devices when an administrator requests it, and subtracts their failures', async () => {
    await bench.installPhones(3)
    const id = await bench.create()
    bench.outcome = ({ token }) => (token === 'token 1' ? later() : ACCEPTED)
    await bench.workOnAll()
    expect(await bench.record(id)).toMatchObject({ status: 'done', devices: 3, errors: 'apns: is overloaded (1)' })
    expect(await givenUpOf(push, id)).toEqual({ devices: 1, brokeOff: false })
    const before = tokens().length
    bench.outcome = () => ACCEPTED
    expect(await retryPushes(push, id)).toEqual({ devices: 1, brokeOff: false })
    await expect(retryPushes(push, id)).rejects.toThrow('still being sent')
    await bench.workOnAll()
    expect(tokens().slice(before)).toEqual(['token 1'])
    const record = await bench.record(id)
    expect(record).toMatchObject({ status: 'done', devices: 3, iosSuccesses: 3 })
    expect(record).not.toHaveProperty('errors')
    await expect(retryPushes(push, id)).rejects.toThrow('No delivery of this push failed')
    expect(await retryPushes(push, 'nosuch')).toBeNull()
  })

  it('given up: does not retry an expired push', async () => {
    await bench.installPhones(1)
    const id = await bench.create({ expiresAt: Date.now() + 30_000 })
    bench.outcome = () => later(60_000)
    await bench.workOnAll()
    await database.query(sql`UPDATE ${push.tables.pushes} SET expires_at = now() - interval '1 minute'`)
    await expect(retryPushes(push, id)).rejects.toThrow('has expired')
  })

  it('given up: resumes an aborted push after its finished pages', async () => {
    await bench.installPhones(1500)
    const id = await bench.create()
    await bench.work(await nextJob())
    expect(tokens()).toHaveLength(1000)
    await database.query(sql`DELETE FROM homeport.jobs`)
    await endInError(push, id, 'the push could not be sent')
    expect(await bench.record(id)).toMatchObject({ status: 'error', errors: 'the push could not be sent (1)' })
    expect(await retryPushes(push, id)).toEqual({ devices: 0, brokeOff: true })
    await bench.workOnAll()
    expect(new Set(tokens()).size).toBe(1500)
    expect(tokens()).toHaveLength(1500)
    expect(await bench.record(id)).toMatchObject({ status: 'done', devices: 1500, iosSuccesses: 1500 })
  })

  it('later: gives up when the push would have expired', async () => {
    await bench.installPhones(1)
    const id = await bench.create({ expiresAt: Date.now() + 30_000 })
    bench.outcome = () => later(60_000)
    expect(await bench.workOnAll()).toBe(1)
    expect(await bench.record(id)).toMatchObject({ status: 'error', errors: 'apns: is overloaded (1)' })
  })

  it('gone: deletes the installation, remembers its token and does not send to it again', async () => {
    await bench.installPhones(2)
    const id = await bench.create()
    bench.outcome = ({ token }) => (token === 'token 1' ? { kind: 'gone', reason: 'Unregistered' } : ACCEPTED)
    await bench.workOnAll()
    expect(await bench.record(id)).toMatchObject({
      status: 'done',
      devices: 2,
      successes: 1,
      invalidTokens: 1,
      errors: 'apns: Unregistered (1)',
    })
    const left = await database.query(sql`SELECT data->>'deviceToken' AS token FROM ${installationTable(push)}`)
    expect(left).toEqual([{ token: 'token 0' }])

    await bench.install([{ deviceType: 'ios', deviceToken: 'token 1' }], 'again')
    const next = await bench.create()
    await bench.workOnAll()
    expect(tokens().filter((token) => token === 'token 1')).toHaveLength(1)
    expect(await bench.record(next)).toMatchObject({ devices: 2, successes: 1, invalidTokens: 1 })
  })

  it('gone: deletes the installations of devices that the push named by token', async () => {
    await bench.installPhones(2)
    const named = ['token 1', 'unknown']
    const target = { kind: 'devices', deviceType: 'ios', vendor: null, profile: null, tokens: named } as const
    const id = await bench.create({ target })
    bench.outcome = () => ({ kind: 'gone', reason: 'Unregistered' })
    await bench.workOnAll()
    expect(await bench.record(id)).toMatchObject({ status: 'error', devices: 2, invalidTokens: 2 })
    expect(await database.query(sql`SELECT id FROM ${installationTable(push)}`)).toEqual([{ id: 'i00000' }])
  })

  it('gone: keeps an installation that has a new token by now', async () => {
    await bench.installPhones(1)
    await bench.create()
    bench.beforeAnswer = async () => {
      await database.query(sql`UPDATE ${installationTable(push)} SET data = data || '{"deviceToken":"a new one"}'`)
    }
    bench.outcome = () => ({ kind: 'gone', reason: 'Unregistered' })
    await bench.workOnAll()
    expect(await database.query(sql`SELECT id FROM ${installationTable(push)}`)).toHaveLength(1)
  })

  it('refused: records the reason with the number of devices', async () => {
    await bench.installPhones(3)
    const id = await bench.create()
    bench.outcome = ({ token }) => (token === 'token 0' ? ACCEPTED : { kind: 'refused', reason: 'BadTopic' })
    await bench.workOnAll()
    expect(await bench.record(id)).toMatchObject({ status: 'done', successes: 1, errors: 'apns: BadTopic (2)' })
  })

  it('refused by all: records the push as failed', async () => {
    await bench.installPhones(2)
    const id = await bench.create()
    bench.outcome = () => ({ kind: 'refused', reason: 'BadTopic' })
    await bench.workOnAll()
    expect(await bench.record(id)).toMatchObject({ status: 'error', successes: 0, errors: 'apns: BadTopic (2)' })
  })
})

it('does not send an expired push', async () => {
  await bench.installPhones(2)
  const id = await bench.create({ expiresAt: Date.now() - 1 })
  await bench.workOnAll()
  expect(bench.handed).toEqual([])
  expect(await bench.record(id)).toMatchObject({ status: 'error', errors: 'the push has expired (2)' })
})

it('raises the badge counter of each device with Increment, from none to 1, without changing updatedAt', async () => {
  await bench.install([
    { deviceType: 'ios', deviceToken: 'a', badge: 7 },
    { deviceType: 'ios', deviceToken: 'b' },
  ])
  const times = () => database.query(sql`SELECT id, updated_at FROM ${installationTable(push)} ORDER BY id`)
  const before = await times()
  await bench.create({ data: { alert: 'Hello', badge: 'Increment' } })
  await bench.workOnAll()
  expect(bench.handed[0]!.targets.map(({ token, badge }) => [token, badge])).toEqual([
    ['a', 8],
    ['b', 1],
  ])
  expect(await times()).toEqual(before)
})

it('raises the badge counter of devices named by token', async () => {
  await bench.install([{ deviceType: 'ios', deviceToken: 'a', badge: 7 }])
  const target = { kind: 'devices', deviceType: 'ios', vendor: null, profile: null, tokens: ['a', 'unknown'] } as const
  const id = await bench.create({ data: { alert: 'Hello', badge: 'Increment' }, target })
  await bench.workOnAll()
  expect(bench.handed[0]!.targets.map(({ token, badge }) => [token, badge])).toEqual([
    ['a', 8],
    ['unknown', null],
  ])
  expect(await bench.record(id)).toMatchObject({ status: 'done', devices: 2, successes: 2 })
})

it('sends to vendor devices by vendor and profile, and to the others over the built-in channel', async () => {
  await bench.install([
    { deviceType: 'android', vendor: 'HMS', registrationId: 'h', installationId: 'i1' },
    { deviceType: 'android', vendor: 'mi', registrationId: 'm', installationId: 'i2', deviceProfile: 'second' },
    { deviceType: 'android', vendor: 'mi', installationId: 'i3' },
    { deviceType: 'android', installationId: 'i4' },
    { deviceType: 'android' },
  ])
  const id = await bench.create()
  await bench.workOnAll()
  const ways = bench.handed.map(({ channel, profile, targets }) => [
    channel,
    profile,
    targets.map(({ token }) => token),
  ])
  expect(ways.toSorted()).toEqual([
    ['hms', null, ['h']],
    ['mi', 'second', ['m']],
  ])
  const kept = await database.query(sql`
    SELECT installation_id FROM ${push.tables.messages} WHERE content_id = ${id} ORDER BY 1`)
  expect(kept.map((row) => row.installation_id)).toEqual(['i3', 'i4'])
  expect(await bench.record(id)).toMatchObject({
    devices: 5,
    hmsSuccesses: 1,
    miSuccesses: 1,
    lcSuccesses: 0,
    errors: 'the installation has no installationId (1)',
  })
})

it('sends nothing without credentials of the provider, and records the reason', async () => {
  await bench.installPhones(2)
  const id = await bench.create()
  const bare = { ...push, providers: { ...push.providers, find: () => null } }
  const job = await nextJob()
  await deliverPage(bare, job, new AbortController().signal)
  await database.query(sql`DELETE FROM homeport.jobs`)
  expect(await bench.record(id)).toMatchObject({
    status: 'error',
    devices: 2,
    errors: "apns: there are no credentials for '_default' (2)",
  })
})

it('shares one record among pushes with the same notification id, which is done when all of them are', async () => {
  await bench.installPhones(2)
  const first = await bench.create({ notificationId: 'shared1' })
  const second = await bench.create({ notificationId: 'shared1', data: { alert: 'Another' } })
  const job = await nextJob()
  await bench.work(job)
  expect(await bench.record(first)).toMatchObject({ status: 'in-queue', devices: 2 })
  await bench.workOnAll()
  const record = await bench.record(second)
  expect(record).toMatchObject({ notificationId: 'shared1', objectId: first, devices: 4, successes: 4, status: 'done' })
  expect(await bench.record('shared1')).toEqual(record)
})
