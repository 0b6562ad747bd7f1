import { beforeEach, expect, it } from 'vitest'
import { makePush } from '../../../test/support/push.ts'
import { sql } from '../../database/sql.ts'
import { deleteRecord, listRecords } from './records.ts'
import { cancelScheduled, listScheduled } from './scheduled.ts'

const bench = await makePush()
const { push, database } = bench
const inAnHour = Date.now() + 3_600_000

beforeEach(async () => {
  await database.query(sql`DELETE FROM ${push.tables.records}`)
  await bench.workOnAll()
  await bench.clear()
  await bench.installPhones(2)
})

const numbers = async () => (await listScheduled(push)).map(({ id }) => Number(id))

it('sends a push at its scheduled time, to the devices that match then', async () => {
  const id = await bench.create({ pushAt: inAnHour })
  expect((await bench.waiting()).map(({ runAt }) => runAt.getTime())).toEqual([inAnHour])
  const record = await bench.record(id)
  expect(record).toMatchObject({ status: 'scheduled', 'push-time': new Date(inAnHour).toISOString(), devices: 0 })
  await bench.install([{ deviceType: 'ios', deviceToken: 'new' }], 'new')
  await bench.workOnAll()
  expect(await bench.record(id)).toMatchObject({ status: 'done', devices: 3, successes: 3 })
  expect(await listScheduled(push)).toEqual([])
})

it('lists scheduled pushes, the next one first', async () => {
  await bench.create({ pushAt: inAnHour + 1000 })
  const target = { kind: 'where', where: { level: 3 }, channels: ['a'] } as const
  const id = await bench.create({ pushAt: inAnHour, target, notificationId: 'n1', prod: 'dev' })
  await bench.create()
  const listed = await listScheduled(push)
  expect(listed).toHaveLength(2)
  expect(listed[0]).toEqual({
    id: expect.any(Number),
    expire_time: inAnHour,
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    push_msg: {
      'through?': null,
      'app-id': push.appId,
      'api-version': '1.1',
      prod: 'dev',
      where: { sort: { createdAt: 1 }, query: { level: 3, channels: { $in: ['a'] }, valid: true } },
      msg: { alert: 'Hello' },
      id,
      notificationId: 'n1',
    },
  })
})

it('never sends a cancelled push, and deletes its record', async () => {
  const id = await bench.create({ pushAt: inAnHour })
  const [number] = await numbers()
  expect(await cancelScheduled(push, number!)).toBe(true)
  expect(await cancelScheduled(push, number!)).toBe(false)
  await bench.workOnAll()
  expect(bench.handed).toEqual([])
  expect(await bench.record(id)).toBeNull()
})

it('never sends a push whose record was deleted', async () => {
  const id = await bench.create({ pushAt: inAnHour })
  expect(await deleteRecord(push, id)).toBe(true)
  expect(await deleteRecord(push, id)).toBe(false)
  expect(await listScheduled(push)).toEqual([])
  await bench.workOnAll()
  expect(bench.handed).toEqual([])
})

it('does not cancel a push that is being sent or was not scheduled', async () => {
  await bench.create({ pushAt: inAnHour })
  await bench.create()
  const rows = await database.query(sql`SELECT number FROM ${push.tables.pushes}`)
  await bench.work((await bench.waiting()).at(-1)!.job)
  for (const row of rows) {
    const wasWaiting = (await numbers()).includes(Number(row.number))
    expect(await cancelScheduled(push, Number(row.number))).toBe(wasWaiting)
  }
  expect(await listRecords(push, 10, 0)).toHaveLength(2)
})

it('keeps a shared record, which is done when no push is waiting any more', async () => {
  const notificationId = 'shared'
  await bench.create({ notificationId })
  await bench.workOnAll()
  await bench.create({ notificationId, pushAt: inAnHour })
  await bench.create({ notificationId, pushAt: inAnHour })
  const [first, second] = await numbers()
  await cancelScheduled(push, first!)
  expect(await bench.record(notificationId)).toMatchObject({ status: 'scheduled', devices: 2 })
  await cancelScheduled(push, second!)
  expect(await bench.record(notificationId)).toMatchObject({ status: 'done', devices: 2 })
})

it('rejects scheduled pushes above the maximum of the app, and only those', async () => {
  bench.configure({ limits: { calls: 600, devicesPerDay: null, scheduled: 2 } })
  await bench.create({ pushAt: inAnHour })
  await bench.create({ pushAt: inAnHour })
  await expect(bench.create({ pushAt: inAnHour })).rejects.toMatchObject({ code: 154 })
  await bench.create()
})
