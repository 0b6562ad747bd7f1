import { beforeEach, describe, expect, it } from 'vitest'
import { makePush } from '../../../test/support/push.ts'
import { sql } from '../../database/sql.ts'
import { newPushId } from './create-push.ts'

const bench = await makePush()
const { push, database } = bench

beforeEach(async () => {
  await bench.workOnAll()
  await database.query(sql`DELETE FROM ${push.tables.records}`)
  await bench.clear()
  await bench.installPhones(1)
})

it('generates different ids of 16 letters and digits', () => {
  const ids = Array.from({ length: 100 }, newPushId)
  for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9]{16}$/)
  expect(new Set(ids).size).toBe(100)
})

describe('requests with the same req_id', () => {
  it('get the same response and are sent once', async () => {
    const id = await bench.create({ reqId: 'once' })
    expect(await bench.create({ reqId: 'once' })).toBe(id)
    expect(await bench.create({ reqId: 'other' })).not.toBe(id)
    await bench.workOnAll()
    expect(bench.handed).toHaveLength(2)
  })

  it('are sent once when they are concurrent', async () => {
    const ids = await Promise.all(Array.from({ length: 8 }, () => bench.create({ reqId: 'moment' })))
    expect(new Set(ids).size).toBe(1)
    await bench.workOnAll()
    expect(bench.handed).toHaveLength(1)
  })

  it('are sent again after five minutes', async () => {
    const age = (seconds: number) =>
      database.query(sql`
        UPDATE ${push.tables.requests}
        SET created_at = now() - ${`${seconds} seconds`}::interval
        WHERE req_id = 'again'`)
    const id = await bench.create({ reqId: 'again' })
    await age(240)
    expect(await bench.create({ reqId: 'again' })).toBe(id)
    await age(301)
    expect(await bench.create({ reqId: 'again' })).not.toBe(id)
    await bench.workOnAll()
    expect(bench.handed).toHaveLength(2)
  })

  it('are not affected by an earlier request that was rejected', async () => {
    bench.configure({ limits: { calls: 600, devicesPerDay: null, scheduled: 1 } })
    const pushAt = Date.now() + 3_600_000
    await bench.create({ pushAt })
    await expect(bench.create({ pushAt, reqId: 'refused' })).rejects.toMatchObject({ code: 154 })
    await bench.create({ reqId: 'refused' })
    expect(await bench.waiting()).toHaveLength(2)
  })
})

it('rejects pushes with 154 above the daily maximum of devices', async () => {
  bench.configure({ limits: { calls: 600, devicesPerDay: 1, scheduled: 1000 } })
  await bench.create()
  await bench.workOnAll()
  // Counted as of today, even if the day ends during the test.
  await database.query(sql`UPDATE ${push.tables.records} SET created_at = now() + interval '1 hour'`)
  await expect(bench.create()).rejects.toMatchObject({ code: 154 })
  bench.configure({ limits: { calls: 600, devicesPerDay: 2, scheduled: 1000 } })
  await bench.create()
})
