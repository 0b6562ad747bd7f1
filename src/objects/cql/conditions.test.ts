import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../values/json.ts'
import { parseFindQuery } from '../query-parameters.ts'
import { parseSelect } from './parse-statement.ts'

const where = (condition: string, values: readonly Json[] = []) =>
  parseSelect(`select * from Post where ${condition}`, values).where

describe('condition', () => {
  const berlin = { __type: 'GeoPoint', longitude: 13.4, latitude: 52.5 }
  const post = { __type: 'Pointer', className: 'Post', objectId: 'p1' }

  it.each<[string, JsonObject]>([
    ["title = 'a'", { title: { $eq: 'a' } }],
    ['title = "it\'s"', { title: { $eq: "it's" } }],
    ["title = 'it''s'", { title: { $eq: "it's" } }],
    ["title = 'it\\'s \\\\ \\n'", { title: { $eq: "it's \\ \n" } }],
    ['n = -1.5e2', { n: { $eq: -150 } }],
    ['n != 1', { n: { $ne: 1 } }],
    ['n <> 1', { n: { $ne: 1 } }],
    ['n < 1', { n: { $lt: 1 } }],
    ['n<=1', { n: { $lte: 1 } }],
    ['n >= 1', { n: { $gte: 1 } }],
    ['done = TRUE and old = false', { done: { $eq: true }, old: { $eq: false } }],
    ['gone = null', { gone: { $eq: null } }],
    ["at > date('2026-01-05T00:00:00.000Z')", { at: { $gt: { __type: 'Date', iso: '2026-01-05T00:00:00.000Z' } } }],
    ["post = pointer('Post', 'p1')", { post: { $eq: post } }],
    ["post = {className:'Post', objectId:'p1', __type:'Pointer'}", { post: { $eq: post } }],
    ["cover = file('f1')", { cover: { $eq: { __type: 'File', id: 'f1' } } }],
    ["key = base64('YQ==')", { key: { $eq: { __type: 'Bytes', base64: 'YQ==' } } }],
    [
      `profile = {city: 'Rome', "post code": [1, {}], 'null': null, true: TRUE}`,
      { profile: { $eq: { city: 'Rome', 'post code': [1, {}], null: null, true: true } } },
    ],
    ['a = {b: 1, b: 2}', { a: { $eq: { b: 2 } } }],
    ['tags = [1, [2]]', { tags: { $eq: [1, [2]] } }],
    ['n in (1, 2)', { n: { $in: [1, 2] } }],
    ['n not in [1]', { n: { $nin: [1] } }],
    ['n in ()', { n: { $in: [] } }],
    ['tags all (1, 2)', { tags: { $all: [1, 2] } }],
    ['tags all (100,100)', { tags: { $all: [100, 100] } }],
    ['size(tags) = 2', { tags: { $size: 2 } }],
    ['size ( a.tags )=2 and size = 3', { 'a.tags': { $size: 2 }, size: { $eq: 3 } }],
    ['title is exists', { title: { $exists: true } }],
    ['title is not exists', { title: { $exists: false } }],
    ['title is null', { title: { $exists: false } }],
    ['title is not null', { title: { $exists: true } }],
    ["title like 'a.b%_'", { title: { $regex: '^a\\.b[\\s\\S]*[\\s\\S]$' } }],
    ["title not like '%'", { title: { $not: { $regex: '^[\\s\\S]*$' } } }],
    ["title regexp '^\\d+$'", { title: { $regex: '^\\d+$' } }],
    ["title not regexp '^a'", { title: { $not: { $regex: '^a' } } }],
    ['place near geopoint(13.4, 52.5)', { place: { $nearSphere: berlin } }],
    ['place near [13.4, 52.5] max 0.5', { place: { $nearSphere: berlin, $maxDistanceInRadians: 0.5 } }],
    ['place near [13.4, 52.5] max 0.5 RADIANS', { place: { $nearSphere: berlin, $maxDistanceInRadians: 0.5 } }],
    [
      'place near [13.4, 52.5] min 0.5 and a = 1',
      { place: { $nearSphere: berlin, $minDistanceInRadians: 0.5 }, a: { $eq: 1 } },
    ],
    [
      'place near geopoint(13.4, 52.5) min 0.5 km max 1 miles',
      { place: { $nearSphere: berlin, $minDistanceInKilometers: 0.5, $maxDistanceInMiles: 1 } },
    ],
    ['place near [13.4, 52.5] max 5 km', { place: { $nearSphere: berlin, $maxDistanceInKilometers: 5 } }],
    ['place near [13.4, 52.5] max 5 miles', { place: { $nearSphere: berlin, $maxDistanceInMiles: 5 } }],
    ['place within [13.4, 52.5] and [13.4, 52.5]', { place: { $within: { $box: [berlin, berlin] } } }],
    ["related likes to pointer('Post', 'p1')", { $relatedTo: { object: post, key: 'likes' } }],
    ['related in (1) and related = 2', { $and: [{ related: { $in: [1] } }, { related: { $eq: 2 } }] }],
    ['a = 1 and b = 2', { a: { $eq: 1 }, b: { $eq: 2 } }],
    ['a > 1 and a < 5', { $and: [{ a: { $gt: 1 } }, { a: { $lt: 5 } }] }],
    ['a = 1 or b = 2 and c = 3', { $or: [{ a: { $eq: 1 } }, { b: { $eq: 2 }, c: { $eq: 3 } }] }],
    ['(a = 1 or b = 2) and c = 3', { $or: [{ a: { $eq: 1 } }, { b: { $eq: 2 } }], c: { $eq: 3 } }],
    [
      '(a = 1 or b = 2) and (c = 3 or d = 4)',
      {
        $and: [{ $or: [{ a: { $eq: 1 } }, { b: { $eq: 2 } }] }, { $or: [{ c: { $eq: 3 } }, { d: { $eq: 4 } }] }],
      },
    ],
    [
      "author in (select * from _User where name = 'ann' order by age limit 5)",
      {
        author: { $inQuery: { className: '_User', where: { name: { $eq: 'ann' } }, order: 'age', skip: 0, limit: 5 } },
      },
    ],
    [
      'city not in (select name from City)',
      { city: { $dontSelect: { query: { className: 'City', where: {}, order: '', skip: 0 }, key: 'name' } } },
    ],
  ])('%s', (condition, expected) => {
    expect(where(condition)).toEqual(expected)
    parseFindQuery({ where: where(condition) })
  })

  it.each([
    ['name = (select name from Score where score > 80)', 'name in (select name from Score where score > 80)'],
    ['name != (select name from Score)', 'name not in (select name from Score)'],
    ['name <> (SELECT name from Score)', 'name not in (select name from Score)'],
  ])('%s means the same as %s', (condition, other) => {
    expect(where(condition)).toEqual(where(other))
    parseFindQuery({ where: where(condition) })
  })

  it('uses the same time for every current_timestamp()', () => {
    const before = Date.now()
    const { from, to } = where('from < current_timestamp() and to > CURRENT_TIMESTAMP()') as {
      from: { $lt: { iso: string } }
      to: { $gt: { iso: string } }
    }
    expect(to.$gt).toEqual(from.$lt)
    expect(from.$lt).toEqual({ __type: 'Date', iso: expect.stringMatching(/^\d{4}-.*T.*Z$/) })
    expect(Date.parse(from.$lt.iso)).toBeGreaterThanOrEqual(before)
    expect(Date.parse(from.$lt.iso)).toBeLessThanOrEqual(Date.now())
  })

  it('accepts question marks inside values', () => {
    expect(where('a = {b: ?, c: [?]} and d = date(?)', [1, 2, '2026-01-05T00:00:00.000Z'])).toEqual({
      a: { $eq: { b: 1, c: [2] } },
      d: { $eq: { __type: 'Date', iso: '2026-01-05T00:00:00.000Z' } },
    })
  })

  it('binds values to question marks without interpreting them', () => {
    expect(where('a = ? and b in ? and c > ?', [{ $gt: 1 }, [1], 2])).toEqual({
      a: { $eq: { $gt: 1 } },
      b: { $in: [1] },
      c: { $gt: 2 },
    })
  })

  it('keeps fields named like a built-in property', () => {
    expect(JSON.stringify(where('__proto__ = 1 and constructor = 2'))).toBe(
      '{"__proto__":{"$eq":1},"constructor":{"$eq":2}}',
    )
    expect(JSON.stringify(where("a = {__proto__: 1, 'constructor': {toString: 2}}"))).toBe(
      '{"a":{"$eq":{"__proto__":1,"constructor":{"toString":2}}}}',
    )
  })
})
