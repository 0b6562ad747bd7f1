import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ApiError } from '../../errors.ts'
import type { Json, JsonObject } from '../../values/json.ts'
import { parseFindQuery } from '../query-parameters.ts'
import { parseSelect, parseValues } from './parse-select.ts'
import { parametersOf } from './select.ts'

const where = (condition: string, values: readonly Json[] = []) =>
  parseSelect(`select * from Post where ${condition}`, values).where

describe('select', () => {
  it('of everything has no conditions', () => {
    expect(parseSelect('select * from Post', [])).toEqual({
      className: 'Post',
      where: {},
      keys: [],
      include: [],
      order: [],
      limit: null,
      skip: 0,
      count: false,
      objects: true,
    })
  })

  it.each<[string, object]>([
    ['select title, author.name from Post', { keys: ['title', 'author.name'], objects: true }],
    ['select include author, * from Post', { keys: [], include: ['author'], objects: true }],
    ['select include author, include owner, title from Post', { keys: ['title'], include: ['author', 'owner'] }],
    ['select count(*) from Post', { count: true, objects: false }],
    ['select COUNT(objectId), * from Post', { count: true, objects: true }],
    ['select * from Post limit 5', { limit: 5, skip: 0 }],
    ['select * from Post limit 20, 5', { limit: 5, skip: 20 }],
    ['select * from Post limit ?, ?', { limit: 8, skip: 7 }],
    ['select * from _User order by age desc, name, createdAt ASC', { order: ['-age', 'name', 'createdAt'] }],
    ['select * from Post order by a limit 1', { order: ['a'], limit: 1 }],
    ['SELECT\n*\tFROM Post LIMIT 1 ORDER BY a', { order: ['a'], limit: 1 }],
    ['select count, limit, from from Post', { keys: ['count', 'limit', 'from'] }],
  ])('%s', (text, expected) => {
    expect(parseSelect(text, [7, 8])).toMatchObject(expected)
  })

  it('asks for the same as the parameters of a class query', () => {
    const select = parseSelect('select title from Post where n > 1 order by n desc limit 3, 2', [])
    expect(parseFindQuery(parametersOf(select))).toEqual(
      parseFindQuery({ where: '{"n":{"$gt":1}}', keys: 'title', order: '-n', limit: '2', skip: '3' }),
    )
    expect(parseFindQuery(parametersOf(parseSelect('select count(*) from Post', [])))).toMatchObject({
      limit: 0,
      count: true,
    })
  })
})

describe('a condition', () => {
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
    ['tags = [1, [2]]', { tags: { $eq: [1, [2]] } }],
    ['n in (1, 2)', { n: { $in: [1, 2] } }],
    ['n not in [1]', { n: { $nin: [1] } }],
    ['n in ()', { n: { $in: [] } }],
    ['tags all (1, 2)', { tags: { $all: [1, 2] } }],
    ['tags size 2', { tags: { $size: 2 } }],
    ['title is exists', { title: { $exists: true } }],
    ['title is not exists', { title: { $exists: false } }],
    ['title is null', { title: { $exists: false } }],
    ['title is not null', { title: { $exists: true } }],
    ["title like 'a.b%_'", { title: { $regex: '^a\\.b[\\s\\S]*[\\s\\S]$' } }],
    ["title not like '%'", { title: { $not: { $regex: '^[\\s\\S]*$' } } }],
    ["title regexp '^\\d+$'", { title: { $regex: '^\\d+$' } }],
    ['place near geopoint(13.4, 52.5)', { place: { $nearSphere: berlin } }],
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

  it('takes values for its question marks, as values', () => {
    expect(where('a = ? and b in ? and c > ?', [{ $gt: 1 }, [1], 2])).toEqual({
      a: { $eq: { $gt: 1 } },
      b: { $in: [1] },
      c: { $gt: 2 },
    })
  })

  it('on a field that is called like a part of every object is kept', () => {
    expect(JSON.stringify(where('__proto__ = 1 and constructor = 2'))).toBe(
      '{"__proto__":{"$eq":1},"constructor":{"$eq":2}}',
    )
  })
})

describe('what is no select', () => {
  it.each([
    ['', "column 1: 'select', the only statement that is available, is expected, but the text ends"],
    ['delete from Post', "column 1: 'select', the only statement"],
    ['select from', 'column 12: from is expected, but the text ends'],
    ['select * from', 'column 14: the name of a class is expected, but the text ends'],
    ['select *, from Post', "column 16: from is expected, but there is 'Post'"],
    ['select * from Post\nwhere', 'line 2, column 6: a field is expected'],
    ['select * from Post where a', 'column 27: a comparison is expected, but the text ends'],
    ['select * from Post where a = b', "column 30: a value (texts stand in quotes) is expected, but there is 'b'"],
    ['select * from Post where a = ?', "column 30: 'pvalues' has 0 values, one more is needed"],
    ['select * from Post where a = 1 b', "column 32: 'where', 'order by', 'limit' or the end is expected"],
    ["select * from Post where a = 'b", "column 30: nothing can begin with 'b"],
    ["select * from Post where a = pointer('b')", "2 values in 'pointer(…)'"],
    ['select * from Post where a in (select a, b from C)', "'*' or one field in the inner select"],
    ['select * from Post where a like 1', 'column 33: a text is expected'],
    ['select * from Post where a near [1, 2] max 5 constructor', 'km, miles or radians is expected'],
    ['select * from Post limit x', 'column 26: a number is expected'],
    [`select * from Post where ${'('.repeat(33)}a = 1`, 'at most 32 levels may stand in each other'],
    [`select * from Post where a = ${'['.repeat(40)}`, 'at most 32 levels may stand in each other'],
    ['x'.repeat(20_000), 'It has 20000 characters'],
  ])('%j is refused', (text, expected) => {
    expect(() => parseSelect(text, [])).toThrow(expect.objectContaining({ code: 300, status: 400 }))
    expect(() => parseSelect(text, [])).toThrow(expected)
  })

  it('is refused by name where the class can be none', () => {
    expect(() => parseSelect('select * from a.b', [])).toThrow(expect.objectContaining({ code: 103 }))
  })

  it('is always refused with a code', () => {
    const word = fc.constantFrom(
      ...'select * from where and or not in ( ) , ? = < like is null order by limit count near max km Post a.b 1 -2 [ ]'.split(
        ' ',
      ),
      "'x'",
      'date',
      'pointer',
    )
    fc.assert(
      fc.property(fc.array(word, { maxLength: 30 }), fc.string(), (words, end) => {
        try {
          parseFindQuery(parametersOf(parseSelect(`select * from Post where ${words.join(' ')}${end}`, [1, 'a'])))
        } catch (error) {
          expect(error).toBeInstanceOf(ApiError)
        }
      }),
      { numRuns: 2000 },
    )
  })
})

describe('pvalues', () => {
  it('are a list, or its JSON', () => {
    expect(parseValues('[1,"a"]')).toEqual([1, 'a'])
    expect(parseValues([1])).toEqual([1])
    for (const nothing of [undefined, null, '']) expect(parseValues(nothing)).toEqual([])
  })

  it.each([
    ['{}', 300],
    ['x', 107],
    [5, 300],
  ])('%j are refused', (values, code) => {
    expect(() => parseValues(values)).toThrow(expect.objectContaining({ code }))
  })
})
