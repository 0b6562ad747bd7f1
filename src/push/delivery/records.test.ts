import { expect, it } from 'vitest'
import { makePush } from '../../../test/support/push.ts'
import { sql } from '../../database/sql.ts'
import type { JsonObject } from '../../values/json.ts'
import { listRecords } from './records.ts'

const bench = await makePush()
const { push, database } = bench

it('records the outcome of pushes by channel', async () => {
  const id = await bench.create({ data: { alert: 'Hello', n: 1 }, prod: 'dev' })
  await database.query(sql`
    UPDATE ${push.tables.records}
    SET devices = 30,
        invalid_tokens = 2,
        successes = '{"own":1,"apns":2,"fcm":3,"hms":4,"honor":5,"mi":1,"oppo":1,"vivo":1,"mz":1}',
        errors = '{"apns: BadTopic":3,"the push has expired":1}'`)
  expect(await bench.record(id)).toEqual({
    objectId: id,
    notificationId: id,
    createdAt: expect.stringMatching(/Z$/),
    updatedAt: expect.stringMatching(/Z$/),
    msg: { alert: 'Hello', n: 1 },
    where: { valid: true },
    status: 'in-queue',
    devices: 30,
    successes: 19,
    lcSuccesses: 1,
    iosSuccesses: 2,
    fcmSuccesses: 3,
    hmsSuccesses: 4,
    honorSuccesses: 5,
    miSuccesses: 1,
    oppoSuccesses: 1,
    vivoSuccesses: 1,
    meizuSuccesses: 1,
    invalidTokens: 2,
    prod: 'dev',
    'from-service': 'push',
    errors: expect.stringMatching(/^(apns: BadTopic \(3\); the push has expired \(1\)|the .*; apns: BadTopic \(3\))$/),
  })
})

it.each<[JsonObject, JsonObject]>([
  [
    { alert: 'A', title: 'T', n: 1, hms: { title: 'H' } },
    { n: 1, hms: { title: 'H' } },
  ],
  [
    { alert: 'A', hms: 'no object' },
    { alert: 'A', hms: 'no object' },
  ],
])('shows the content %j as %j', async (data, shown) => {
  expect(await bench.record(await bench.create({ data }))).toMatchObject({ msg: shown })
})

it('finds a record by its notification id and by the ids of all its pushes', async () => {
  const first = await bench.create({ notificationId: 'mine' })
  const second = await bench.create({ notificationId: 'mine' })
  const record = await bench.record('mine')
  expect(record).toMatchObject({ objectId: first, notificationId: 'mine' })
  expect(await bench.record(first)).toEqual(record)
  expect(await bench.record(second)).toEqual(record)
  expect(await bench.record('nothing')).toBeNull()
})

it('lists records newest first, in pages', async () => {
  await database.query(sql`DELETE FROM ${push.tables.records}`)
  const ids = [await bench.create(), await bench.create(), await bench.create()]
  for (const [index, id] of ids.entries())
    await database.query(sql`
      UPDATE ${push.tables.records} SET created_at = now() + ${`${index} seconds`}::interval WHERE id = ${id}`)
  const listed = async (limit: number, skip: number) =>
    (await listRecords(push, limit, skip)).map(({ objectId }) => objectId)
  expect(await listed(100, 0)).toEqual(ids.toReversed())
  expect(await listed(1, 1)).toEqual([ids[1]])
  expect(await listed(2, 2)).toEqual([ids[0]])
})
