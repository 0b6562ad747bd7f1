import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contextOf, openScratchSchema, type ScratchSchema } from '../../../test/support/scratch-schema.ts'
import { sql } from '../../database/sql.ts'
import type { Json } from '../../values/json.ts'
import { typeOfValue } from '../../values/typed.ts'
import { matches, type StoredObject } from './matches.ts'
import { parseWhere } from './parse.ts'
import { whereToSql } from './to-sql.ts'

const TIME = '2020-01-01T00:00:00.000Z'
const post = { __type: 'Pointer', className: 'Post', objectId: 'p1' }
const date = (day: number) => ({ __type: 'Date', iso: `2020-01-0${day}T00:00:00.000Z` })
const point = (latitude: number, longitude: number) => ({ __type: 'GeoPoint', latitude, longitude })
const MISSING = undefined

let schema: ScratchSchema
beforeAll(async () => {
  schema = await openScratchSchema()
  await schema.createClass('Item')
})
afterAll(() => schema?.close())

/** Each rule: a condition on the field `f`, values of `f` that meet it, and values that do not. */
describe.each<[rule: string, condition: unknown, met: (Json | undefined)[], unmet: (Json | undefined)[]]>([
  ['equality is by type and value', 1, [1, [1], [2, 1]], ['1', true, [[1]], 2, null, MISSING]],
  ['equality of strings minds the case', 'a', ['a', ['b', 'a']], ['A', 'ab', '', null, MISSING]],
  ['equality with null also means missing', null, [null, MISSING, [1, null]], [0, '', false, [], [[null]]]],
  [
    'equality with an object is deep and exact',
    { a: 1, b: [2] },
    [{ b: [2], a: 1 }, [{ a: 1, b: [2] }]],
    [{ a: 1 }, { a: 1, b: [2], c: 3 }, { a: 1, b: [2, 3] }],
  ],
  ['equality with an array: itself or an element', [1], [[1], [[1], 2]], [1, [1, 1], [[1, 2]], []]],
  [
    'equality with a Pointer',
    post,
    [post, [post]],
    [{ ...post, className: 'Other' }, { ...post, objectId: 'p2' }, null, MISSING],
  ],
  ['equality with an empty text', '', ['', ['']], [null, MISSING, ' ']],
  ['$ne also matches objects without the field', { $ne: 1 }, [2, null, MISSING, [2], '1'], [1, [1, 2]]],
  ['$ne null means a real value', { $ne: null }, [0, '', [], [1]], [null, MISSING, [null]]],
  ['$in some equality', { $in: [1, 'a'] }, [1, 'a', ['a'], [3, 1]], [2, null, MISSING, []]],
  ['$in with null', { $in: [1, null] }, [1, null, MISSING, [null]], [2, []]],
  ['an empty $in is met by nothing', { $in: [] }, [], [1, null, MISSING, []]],
  ['$nin is its negation', { $nin: ['', null] }, ['a', 0, ['a']], ['', null, MISSING, ['']]],
  ['an empty $nin is met by everything', { $nin: [] }, [1, null, MISSING], []],
  ['$all takes a scalar as a list of one', { $all: [1, 1.0] }, [1, [1, 2]], [2, [2], MISSING]],
  ['$all contains all', { $all: [1, 2] }, [[2, 1, 3]], [[1], [2], 1, null]],
  ['an empty $all is met by nothing', { $all: [] }, [], [[], [1], MISSING]],
  ['$lt compares numbers with numbers', { $lt: 5 }, [4, -1, [9, 4]], [5, '4', null, MISSING, true, date(1), [[4]], []]],
  ['$gte compares texts by code point', { $gte: '\uE000' }, ['\uE000', '😀'], ['z', '\uD7FF', 5, null, {}]],
  [
    '$gt compares Dates',
    { $gt: date(2) },
    [date(3), [date(3)]],
    [date(2), date(1), '2020-01-03T00:00:00.000Z', null, 5],
  ],
  ['$gt compares booleans', { $gt: false }, [true], [false, 1, 'true', null]],
  ['$lte on short texts', { $lte: 'b' }, ['', 'a', 'b'], ['ba', 'c', null]],
  ['$exists is met by null', { $exists: true }, [null, 0, []], [MISSING]],
  ['$exists false', { $exists: false }, [MISSING], [null, '']],
  [
    '$size of arrays only',
    { $size: 2 },
    [
      [1, 2],
      [[], []],
    ],
    [[1], 2, 'ab', null, MISSING, [[1, 2]]],
  ],
  ['$size 0', { $size: 0 }, [[]], [[1], null, MISSING, '']],
  ['$regex finds in texts', { $regex: 'b' }, ['abc', ['x', 'b']], ['B', 5, null, MISSING, { b: 'b' }]],
  ['$regex with a literal start', { $regex: '^a' }, ['a', 'ab', ['x', 'ab']], ['ba', 'A', '', null]],
  ['$not negates operators', { $not: { $gt: 1, $lt: 5 } }, [1, 5, null, MISSING, 'a'], [2, 4]],
  [
    '$within a box, edges included',
    { $within: { $box: [point(0, 0), point(10, 10)] } },
    [point(0, 0), point(10, 10), point(5, 5)],
    [point(10.1, 5), point(5, -0.1), null, MISSING, 5],
  ],
  [
    '$within a box across the antimeridian',
    { $within: { $box: [point(-10, 170), point(10, -170)] } },
    [point(0, 175), point(0, -180), point(10, -170)],
    [point(0, 0), point(0, 169), point(11, 180)],
  ],
  [
    '$within the whole earth',
    { $within: { $box: [point(-90, -180), point(90, 180)] } },
    [point(90, 0), point(-90, 50), point(0, 180)],
    [null, MISSING],
  ],
  [
    '$nearSphere within a distance',
    { $nearSphere: point(0, 0), $maxDistanceInKilometers: 112 },
    [point(0, 0), point(1, 0), point(0, -1)],
    [point(1, 1), point(2, 0), null, MISSING, {}],
  ],
  [
    '$nearSphere of distance 0 is the point itself',
    { $nearSphere: point(51.5, 180), $maxDistance: 0 },
    [point(51.5, 180), point(51.5, -180)],
    [point(51.5, 179.99)],
  ],
  [
    '$nearSphere beyond a distance',
    { $nearSphere: point(0, 0), $minDistanceInMiles: 60 },
    [point(1, 0), point(0, 180)],
    [point(0, 0), point(0.5, 0), null],
  ],
  [
    '$nearSphere without distance needs a GeoPoint',
    { $nearSphere: point(0, 0) },
    [point(0, 180), point(90, 0)],
    [null, MISSING, 1],
  ],
])('%s', (_rule, condition, met, unmet) => {
  const wire = { f: condition }
  const objects = [...met, ...unmet].map(
    (value, index): StoredObject => ({
      id: `${index < met.length ? 'met' : 'unmet'} ${JSON.stringify(value)}`,
      createdAt: TIME,
      updatedAt: TIME,
      data: value === undefined ? {} : { f: value },
    }),
  )
  const expected = objects.slice(0, met.length).map((object) => object.id)

  it('in memory', () => {
    expect(objects.filter((object) => matches(parseWhere(wire), object)).map((object) => object.id)).toEqual(expected)
  })

  it('in the database, for a field of unknown type', async () => {
    await schema.run(sql`TRUNCATE ${schema.table('Item')}`)
    await schema.insert('Item', objects)
    const found = await schema.ids('Item', whereToSql(parseWhere(wire), 'Item', contextOf(schema, {})))
    expect(found.toSorted()).toEqual(expected.toSorted())
  })

  it('in the database, for a field of known type', async () => {
    await schema.run(sql`TRUNCATE ${schema.table('Item')}`)
    const types = new Map(
      objects.flatMap(({ data }) =>
        data.f == null ? [] : [[JSON.stringify(typeOfValue(data.f)), typeOfValue(data.f)!]],
      ),
    )
    for (const type of types.values()) {
      const fitting = objects.filter(
        ({ data }) => data.f == null || JSON.stringify(typeOfValue(data.f)) === JSON.stringify(type),
      )
      await schema.run(sql`TRUNCATE ${schema.table('Item')}`)
      await schema.insert('Item', fitting)
      const found = await schema.ids(
        'Item',
        whereToSql(parseWhere(wire), 'Item', contextOf(schema, { Item: { f: type } })),
      )
      expect(found.toSorted()).toEqual(
        fitting
          .map(({ id }) => id)
          .filter((id) => expected.includes(id))
          .toSorted(),
      )
    }
  })
})

describe('dotted keys', () => {
  const data = {
    o: { city: 'Oslo', deep: { n: [1, 2] } },
    list: [{ city: 'Rome' }, 5, [{ city: 'hidden' }], { city: null }],
  }
  const object: StoredObject = { id: 'i', createdAt: TIME, updatedAt: TIME, data }
  it.each<[rule: string, wire: unknown, met: boolean]>([
    ['name members of objects', { 'o.city': 'Oslo' }, true],
    ['reach deep', { 'o.deep.n': 2 }, true],
    ['reach members of direct elements', { 'list.city': 'Rome' }, true],
    ['do not reach elements of elements', { 'list.city': 'hidden' }, false],
    ['are no array indexes', { 'list.0.city': 'Rome' }, false],
    ['find null', { 'list.city': null }, true],
    ['are missing', { 'o.street': { $exists: false } }, true],
    ['exist', { 'o.deep.n': { $exists: true } }, true],
    ['have a size', { 'o.deep.n': { $size: 2 } }, true],
    ['are not inherited', { 'o.constructor': { $exists: true } }, false],
    ['do not match within a system field', { 'createdAt.iso': '2020-01-01T00:00:00.000Z' }, false],
  ])('%s', async (_rule, wire, met) => {
    expect(matches(parseWhere(wire), object)).toBe(met)
    await schema.run(sql`TRUNCATE ${schema.table('Item')}`)
    await schema.insert('Item', [object])
    const context = contextOf(schema, { Item: { o: { type: 'Object' }, list: { type: 'Array' } } })
    expect(await schema.ids('Item', whereToSql(parseWhere(wire), 'Item', context))).toEqual(met ? ['i'] : [])
  })
})

describe('rejects in live queries what needs other objects', () => {
  it.each([
    { p: { $inQuery: { className: 'Post' } } },
    { p: { $notInQuery: { className: 'Post' } } },
    { p: { $select: { query: { className: 'Post' }, key: 'a' } } },
    { $relatedTo: { object: post, key: 'likes' } },
    { p: { $regex: 'a(?=b)' } },
    { p: { $regex: '(a)\\1' } },
  ])('%o', (wire) => {
    const object = { id: 'i', createdAt: TIME, updatedAt: TIME, data: { p: 'ab' } }
    expect(() => matches(parseWhere(wire), object)).toThrow(
      expect.objectContaining({ code: 102, message: expect.stringMatching(/not available in live queries/) }),
    )
  })
})
