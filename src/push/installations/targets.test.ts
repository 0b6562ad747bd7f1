import pg from 'pg'
import { beforeEach, expect, it } from 'vitest'
import { makePush } from '../../../test/support/push.ts'
import { sql } from '../../database/sql.ts'
import { MASTER } from '../../objects/access/caller.ts'
import { createObject } from '../../objects/writing/create.ts'
import type { JsonObject } from '../../values/json.ts'
import { installationTable } from '../push.ts'
import { checkTarget, targetsAfter, whereOf } from './targets.ts'

const { push, database, install, clear } = await makePush()
const { objects } = push

beforeEach(clear)

async function ids(where: JsonObject, channels: readonly string[] = []): Promise<string[]> {
  const { installations } = await targetsAfter(push, { kind: 'where', where, channels }, '', 1000)
  return installations.map(({ id }) => id)
}

async function installationWith(fields: JsonObject): Promise<string> {
  return (await createObject(objects, '_Installation', { valid: true, deviceType: 'ios', ...fields }, MASTER)).id
}

it.each([
  [{}, { channels: { $in: ['a'] } }],
  [{ level: 3 }, { level: 3, channels: { $in: ['a'] } }],
  [{ channels: 'b' }, { channels: 'b', $and: [{ channels: { $in: ['a'] } }] }],
  [
    { channels: 'b', $and: [{ level: 3 }] },
    { channels: 'b', $and: [{ level: 3 }, { channels: { $in: ['a'] } }] },
  ],
])('combines %j and the channel a to %j', (where, expected) => {
  expect(whereOf({ kind: 'where', where, channels: ['a'] })).toEqual(expected)
})

it('selects only installations that are valid and were active in the last 90 days', async () => {
  await install([{}, { valid: false }, { valid: null }, { valid: 'true' }, {}, {}])
  const age = (id: string, days: number) =>
    database.query(sql`
      UPDATE ${installationTable(push)}
      SET updated_at = now() - ${`${days} days`}::interval
      WHERE id = ${id}`)
  await age('i00004', 91)
  await age('i00005', 89)
  expect(await ids({})).toEqual(['i00000', 'i00005'])
})

it('selects the subscribers of any of the channels, within the condition', async () => {
  await install([
    { channels: ['a'] },
    { channels: ['b', 'c'] },
    { channels: [] },
    {},
    { channels: ['a', 'b'], level: 1 },
  ])
  expect(await ids({}, ['a', 'c'])).toEqual(['i00000', 'i00001', 'i00004'])
  expect(await ids({ level: 1 }, ['a'])).toEqual(['i00004'])
  expect(await ids({ channels: 'b' }, ['a'])).toEqual(['i00004'])
})

it('combines a geographic condition with channels', async () => {
  const here = { __type: 'GeoPoint', latitude: 60.17, longitude: 24.94 }
  const near = await installationWith({ place: here, channels: ['a'] })
  await installationWith({ place: here, channels: ['b'] })
  await installationWith({ place: { ...here, latitude: 40 }, channels: ['a'] })
  const where = { place: { $nearSphere: here, $maxDistanceInKilometers: 10 } }
  expect(await ids(where, ['a'])).toEqual([near])
  expect(await ids({ ...where, channels: { $exists: true } }, ['a'])).toEqual([near])
})

it('selects the devices of users that match a condition', async () => {
  const user = (fields: JsonObject) => createObject(objects, 'Person', fields, MASTER)
  const [old, young] = [await user({ age: 70 }), await user({ age: 7 })]
  const pointer = (id: string) => ({ __type: 'Pointer', className: 'Person', objectId: id })
  const device = await installationWith({ person: pointer(old.id) })
  await installationWith({ person: pointer(young.id) })
  expect(await ids({ person: { $inQuery: { className: 'Person', where: { age: { $gt: 60 } } } } })).toEqual([device])
})

it('returns the last id of a full page, and null for the last page', async () => {
  const all = await install([{}, {}, {}])
  const page = (after: string, limit: number) =>
    targetsAfter(push, { kind: 'where', where: {}, channels: [] }, after, limit)
  expect(await page('', 2)).toMatchObject({ installations: [{ id: all[0] }, { id: all[1] }], until: all[1] })
  expect(await page(all[1]!, 2)).toMatchObject({ installations: [{ id: all[2] }], until: null })
  expect(await page(all[2]!, 2)).toEqual({ installations: [], until: null })
})

it('scans the installations in windows when a condition is too slow', async () => {
  await database.query(sql`
    INSERT INTO ${installationTable(push)} (id, created_at, updated_at, data)
    SELECT lpad(number::text, 6, '0'), now(), now(),
      jsonb_build_object('valid', true, 'level', CASE WHEN number IN (1, 20000, 20001) THEN 1 ELSE 2 END)
    FROM generate_series(1, 20002) AS number`)
  const target = { kind: 'where', where: { level: 1 }, channels: [] } as const
  const page = async (after: string) => {
    let isFirst = true
    const search: typeof database.search = (...query) => {
      if (!isFirst) return database.search(...query)
      isFirst = false
      return Promise.reject(Object.assign(new pg.DatabaseError('too slow', 0, 'error'), { code: '57014' }))
    }
    const slow = new Proxy(database, { get: (of, name) => (name === 'search' ? search : Reflect.get(of, name)) })
    const { installations, until } = await targetsAfter({ ...push, database: slow }, target, after, 1000)
    return [installations.map(({ id }) => id), until]
  }
  expect(await page('')).toEqual([['000001', '020000'], '020000'])
  expect(await page('020000')).toEqual([['020001'], null])
})

it.each([
  [{ level: { $nope: 1 } }, 102],
  [{ owner: { $inQuery: { where: { a: 1 } } } }, 102],
  [{ 'a b': 1 }, 105],
  [{ at: { __type: 'Date' } }, 111],
])('rejects the condition %j before anything is sent', (where, code) => {
  expect(() => checkTarget(push, { kind: 'where', where, channels: [] }, MASTER)).toThrow(
    expect.objectContaining({ code }),
  )
})
