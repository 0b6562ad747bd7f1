import { expect, it } from 'vitest'
import { makeApp } from '../support/app.ts'

const app = await makeApp()
const save = async (body: object): Promise<string> =>
  (await app.request('POST', '/1.1/classes/Post', { body })).body.objectId
const first = await save({ n: 1 })
const second = await save({ n: 2 })
const third = await save({ n: 3 })
const createdAt = (await app.request('GET', `/1.1/classes/Post/${first}`)).body.createdAt

/** Values that are never equal to an `objectId`, `createdAt` or `updatedAt`. */
const OTHERS = [
  null,
  0,
  1.5,
  true,
  {},
  { a: 1 },
  [],
  [first],
  { __type: 'Pointer', className: 'Post', objectId: first },
  { __type: 'Bytes', base64: 'AAAA' },
  { __type: 'GeoPoint', latitude: 1, longitude: 2 },
]
const all = [first, second, third]

it.each<[what: string, condition: object, found: readonly string[]]>([
  ['$in', { objectId: { $in: [first, ...OTHERS] } }, [first]],
  ['$in without an id', { objectId: { $in: OTHERS } }, []],
  ['$nin', { objectId: { $nin: [first, ...OTHERS] } }, [second, third]],
  ['$nin without an id', { objectId: { $nin: OTHERS } }, all],
  ['$all', { objectId: { $all: [first] } }, [first]],
  ['$all of two', { objectId: { $all: [first, null] } }, []],
  ['$not', { objectId: { $not: { $in: [first, 5] } } }, [second, third]],
  ['a date', { objectId: { $in: [first, { __type: 'Date', iso: createdAt }] } }, [first]],
  ['a text that is no id', { objectId: { $in: [first, '', ' ', 'a.b', '中'] } }, [first]],
  ['in $or', { $or: [{ objectId: { $in: [first, null] } }, { n: 3 }] }, [first, third]],
  ['times', { createdAt: { $in: [...OTHERS] } }, []],
  ['times that are not', { updatedAt: { $nin: [...OTHERS] } }, all],
  ['times of two types', { objectId: first, createdAt: { $in: [5, createdAt, null] } }, [first]],
])('values of other types in a list match nothing: %s', async (_what, condition, found) => {
  const where = JSON.stringify(condition)
  const query = { where, order: 'objectId' }
  const { status, body } = await app.request('GET', '/1.1/classes/Post', { query })
  expect([status, body.results?.map(({ objectId }: { objectId: string }) => objectId)]).toEqual([200, found])
  const counted = await app.request('GET', '/1.1/classes/Post', { query: { where, count: '1', limit: '0' } })
  expect(counted.body.count).toBe(found.length)
  const scanned = await app.request('GET', '/1.1/scan/classes/Post', { query: { where }, master: true })
  expect(scanned.body.results).toHaveLength(found.length)
  const pointers = { parent: { $inQuery: { className: 'Post', where: condition } } }
  const inner = await app.request('GET', '/1.1/classes/Post', { query: { where: JSON.stringify(pointers) } })
  expect([inner.status, inner.body.results]).toEqual([200, []])
  const live = { id: 'client', query: { className: 'Post', where: condition } }
  expect((await app.request('POST', '/1.1/LiveQuery/subscribe', { body: live })).status).toBe(200)
})

it('CQL accepts such lists too', async () => {
  const cql = `select * from Post where objectId in ('${first}', 5, null)`
  const { body } = await app.request('GET', '/1.1/cloudQuery', { query: { cql } })
  expect(body.results.map(({ objectId }: { objectId: string }) => objectId)).toEqual([first])
})

it.each([{ objectId: 5 }, { objectId: { $ne: 5 } }, { createdAt: 5 }, { createdAt: { $in: ['room 7'] } }])(
  'a single value of another type, or a text that is not a date, gets error 102: %j',
  async (condition) => {
    const { body } = await app.request('GET', '/1.1/classes/Post', { query: { where: JSON.stringify(condition) } })
    expect(body.code).toBe(102)
  },
)
