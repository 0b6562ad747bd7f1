import { describe, expect, it } from 'vitest'
import { ApiError } from '../../errors.ts'
import { parseOrder } from './order.ts'
import { parseWhere } from './parse.ts'
import { nearOf, type Where } from './tree.ts'

const point = (latitude: number, longitude: number) => ({ __type: 'GeoPoint', latitude, longitude })
const post = { __type: 'Pointer', className: 'Post', objectId: 'p1' }

function refusal(wire: unknown): { code: number; error: string } {
  try {
    parseWhere(wire)
  } catch (error) {
    if (error instanceof ApiError) return error.body
    throw error
  }
  throw new Error(`accepted: ${JSON.stringify(wire)}`)
}

function nested(depth: number): unknown {
  return depth === 0 ? { a: 1 } : { $or: [nested(depth - 1)] }
}

function nestedQuery(depth: number): unknown {
  return depth === 0 ? { a: 1 } : { p: { $inQuery: { className: 'Post', where: nestedQuery(depth - 1) } } }
}

it('accepts corners of a $box as plain lists of latitude and longitude, as Python sends them', () => {
  const box = (...corners: unknown[]) => parseWhere({ place: { $within: { $box: corners } } })
  expect(box([1, 2], [3, 4])).toEqual(box(point(1, 2), point(3, 4)))
  expect(box([-90, -180], point(90, 180))).toEqual(box(point(-90, -180), point(90, 180)))
})

describe('rejects a condition', () => {
  it.each<[rule: string, wire: unknown, code: number, detail: RegExp]>([
    ['when it is no object', 'a=1', 102, /JSON object/],
    ['when a member of a list is no object', [1], 102, /JSON object/],
    ['for an unknown operator', { score: { $almost: 1 } }, 102, /'\$almost' of 'score'/],
    ['for an operator in place of a field', { $lt: 1 }, 102, /'\$lt'.*'\$or', '\$and' and '\$relatedTo'/],
    ['for $nor', { $nor: [{ a: 1 }] }, 102, /'\$nor'/],
    ['when operators and plain keys mix', { score: { $lt: 1, b: 2 } }, 102, /'score' mixes/],
    ['when __type and operators mix', { score: { $lt: 1, __type: 'Date' } }, 102, /'score' mixes/],
    ['for a key that is no name', { 'a-b': 1 }, 105, /a-b/],
    ['for an empty segment', { 'a..b': 1 }, 102, /'a\.\.b'/],
    ['for a segment with $', { 'a.$b': 1 }, 102, /'\$b'/],
    ['on ACL', { ACL: { $exists: true } }, 102, /'ACL'/],
    ['for an empty $or', { $or: [] }, 102, /'\$or'/],
    ['for an $and that is no list', { $and: { a: 1 } }, 102, /'\$and'/],
    ['when $in has no list', { a: { $in: 1 } }, 102, /'\$in' of 'a'/],
    ['when $in has more than 10 000 values', { a: { $in: Array(10_001).fill(1) } }, 102, /10000/],
    ['when $lt compares with null', { a: { $lt: null } }, 102, /'\$lt' of 'a'.*number, string, boolean or Date/],
    ['when $gte compares with a Pointer', { a: { $gte: post } }, 102, /'\$gte' of 'a'/],
    ['when $gt compares with a list', { a: { $gt: [1] } }, 102, /'\$gt' of 'a'/],
    ['when $exists is 1', { a: { $exists: 1 } }, 102, /'\$exists' of 'a'/],
    ['when $size is negative', { a: { $size: -1 } }, 102, /'\$size' of 'a'/],
    ['when $size is a fraction', { a: { $size: 1.5 } }, 102, /'\$size' of 'a'/],
    ['when $regex is no string', { a: { $regex: {} } }, 102, /'\$regex' of 'a'/],
    ['for unknown $options', { a: { $regex: 'x', $options: 'g' } }, 102, /'\$options' of 'a'/],
    ['for $options without $regex', { a: { $options: 'i' } }, 102, /'\$regex', which is missing/],
    ['for $maxDistance without $nearSphere', { a: { $maxDistance: 1 } }, 102, /'\$nearSphere', which is missing/],
    [
      'for a negative $maxDistance',
      { a: { $nearSphere: point(0, 0), $maxDistanceInMiles: -1 } },
      102,
      /InMiles' of 'a'/,
    ],
    ['when $nearSphere has no GeoPoint', { a: { $nearSphere: [1, 2] } }, 102, /'\$nearSphere' of 'a'/],
    ['for a latitude beyond the pole', { a: { $nearSphere: point(91, 0) } }, 302, /latitude/],
    ['for $nearSphere inside $or', { $or: [{ a: { $nearSphere: point(0, 0) } }] }, 102, /top level of 'where'/],
    ['for $nearSphere inside $and', { $and: [{ a: { $nearSphere: point(0, 0) } }] }, 102, /top level of 'where'/],
    ['for $nearSphere inside $not', { a: { $not: { $nearSphere: point(0, 0) } } }, 102, /top level of 'where'/],
    ['for two $nearSphere', { a: { $nearSphere: point(0, 0) }, b: { $nearSphere: point(0, 0) } }, 102, /at most one/],
    [
      'for a $box upside down in plain lists',
      {
        a: {
          $within: {
            $box: [
              [1, 0],
              [0, 1],
            ],
          },
        },
      },
      102,
      /south/,
    ],
    [
      'for a $box of longitudes that are none',
      {
        a: {
          $within: {
            $box: [
              [0, 0],
              [1, 181],
            ],
          },
        },
      },
      302,
      /longitude/,
    ],
    [
      'for a $box of texts',
      {
        a: {
          $within: {
            $box: [
              ['0', '0'],
              ['1', '1'],
            ],
          },
        },
      },
      302,
      /GeoPoint/,
    ],
    [
      'for a $box of three numbers',
      {
        a: {
          $within: {
            $box: [
              [0, 0, 0],
              [1, 1, 1],
            ],
          },
        },
      },
      102,
      /'\$box'/,
    ],
    ['for a $box upside down', { a: { $within: { $box: [point(1, 0), point(0, 1)] } } }, 102, /south/],
    ['for a $box of one corner', { a: { $within: { $box: [point(1, 0)] } } }, 102, /'\$box'/],
    ['for $within $centerSphere', { a: { $within: { $centerSphere: [[0, 0], 1] } } }, 102, /'\$box'/],
    ['for $geoWithin', { a: { $geoWithin: { $centerSphere: [[0, 0], 1] } } }, 102, /'\$geoWithin'/],
    ['when $not has a plain value', { a: { $not: 1 } }, 102, /'\$not' of 'a'/],
    ['when $inQuery is no object', { a: { $inQuery: 'Post' } }, 102, /'\$inQuery' of 'a'/],
    ['when $select has no key', { a: { $select: { query: { className: 'Post' } } } }, 102, /'\$select' of 'a'.*'key'/],
    ['when $select has no class', { a: { $select: { query: {}, key: 'b' } } }, 102, /needs a 'className'/],
    ['when an inner query has an invalid class', { a: { $inQuery: { className: '1' } } }, 103, /classname/],
    ['when an inner skip is negative', { a: { $inQuery: { className: 'Post', skip: -1 } } }, 102, /'skip'/],
    ['when $relatedTo has no key', { $relatedTo: { object: post } }, 102, /'\$relatedTo'/],
    ['when objectId is a number', { objectId: 1 }, 102, /'objectId' must be compared with a string/],
    ['when createdAt is a number', { createdAt: { $gt: 5 } }, 102, /'createdAt' must be compared with a Date/],
    ['when updatedAt is null', { updatedAt: null }, 102, /'updatedAt'/],
    ['for a malformed Pointer', { a: { __type: 'Pointer', className: 'Post' } }, 106, /'a'/],
    ['deeper than 32 levels', nested(33), 102, /32 levels/],
    ['with more than 2000 conditions', { $or: Array(2001).fill({ a: 1 }) }, 102, /2000 conditions/],
    [
      'with more than 20 000 values in lists',
      { $or: Array(3).fill({ a: { $in: Array(7000).fill(1) } }) },
      102,
      /20000 values/,
    ],
    [
      'with more than 20 000 characters of regular expressions',
      { $or: Array(21).fill({ a: { $regex: `^${'x'.repeat(999)}` } }) },
      102,
      /regular expressions of the query must have at most 20000 characters/,
    ],
    [
      'with regular expressions that are too large in total',
      { $or: Array(20).fill({ a: { $regex: '[ab]{250}'.repeat(5) } }) },
      102,
      /too large in total/,
    ],
    ['with inner queries deeper than 4 levels', nestedQuery(5), 102, /4 levels/],
  ])('%s', (_rule, wire, code, detail) => {
    const { code: given, error } = refusal(wire)
    expect({ code: given, error }).toEqual({ code, error: expect.stringMatching(detail) })
  })
})

describe('accepts a condition', () => {
  const equal = (path: string, value: unknown) => ({ kind: 'equal', path: path.split('.'), value })
  it.each<[rule: string, wire: unknown, tree: unknown]>([
    ['a plain value means equality', { a: 1 }, equal('a', 1)],
    ['an object without operators is a value', { a: { b: 1 } }, equal('a', { b: 1 })],
    ['an empty object is a value', { a: {} }, equal('a', {})],
    ['a list of conditions means AND', [{ a: 1 }, { b: 2 }], { kind: 'and', of: [equal('a', 1), equal('b', 2)] }],
    ['no condition holds for all', undefined, { kind: 'and', of: [] }],
    [
      'several operators on a key mean AND',
      { a: { $eq: 1, $ne: 2 } },
      { kind: 'and', of: [equal('a', 1), { kind: 'not', of: equal('a', 2) }] },
    ],
    ['extra members of a Pointer are dropped', { a: { ...post, name: 'x' } }, equal('a', post)],
    ['a Pointer to _File is a File', { a: { ...post, className: '_File' } }, equal('a', { __type: 'File', id: 'p1' })],
    [
      'a File may be named by objectId',
      { a: { __type: 'File', objectId: 'f' } },
      equal('a', { __type: 'File', id: 'f' }),
    ],
    ['a dotted key is a path', { 'a.b.c': null }, equal('a.b.c', null)],
    [
      'createdAt accepts a plain ISO string',
      { createdAt: '2020-01-01T00:00:00Z' },
      equal('createdAt', { __type: 'Date', iso: '2020-01-01T00:00:00.000Z' }),
    ],
    ['an empty $all is met by nothing', { a: { $all: [] } }, { kind: 'or', of: [] }],
    ['keys that begin with __ are fields', { __x: 1 }, equal('__x', 1)],
    ['32 levels', nested(31), expect.anything()],
    ['4 inner queries', nestedQuery(4), expect.anything()],
    ['10 000 values of $in', { a: { $in: Array(10_000).fill(1) } }, expect.anything()],
    ['$nearSphere in a list of conditions', [{ a: { $nearSphere: point(0, 0) } }, { b: 1 }], expect.anything()],
  ])('%s', (_rule, wire, tree) => {
    expect(parseWhere(wire)).toEqual(tree)
  })

  it.each([
    [undefined, 100],
    [0, 100],
    [1, 1],
    [1000, 1000],
    [1001, 100],
    ['20', 20],
    [-5, 100],
    ['many', 100],
  ])('turns an inner limit of %s into %s', (limit, expected) => {
    const where = parseWhere({ p: { $inQuery: { className: 'Post', limit } } })
    expect((where as Extract<Where, { kind: 'inQuery' }>).query.limit).toBe(expected)
  })

  it.each([
    [{ $maxDistance: 0.5 }, 0.5, null],
    [{ $maxDistanceInRadians: 0.5, $minDistance: 0.1 }, 0.5, 0.1],
    [{ $maxDistanceInKilometers: 6371 }, 1, null],
    [{ $maxDistanceInMiles: 3958.8, $minDistanceInMiles: 0 }, 1, 0],
    [{ $maxDistanceInKilometers: 6371, $maxDistance: 0.25 }, 0.25, null],
  ])('converts distances to radians: %o', (distances, farthest, nearest) => {
    const where = parseWhere({ b: 1, a: { $nearSphere: point(1, 2), ...distances } })
    expect(nearOf(where)).toEqual({ kind: 'near', path: ['a'], centre: point(1, 2), farthest, nearest })
  })
})

describe('order', () => {
  it('is a list of fields with minus for descending; spaces are allowed', () => {
    expect(parseOrder(' -score, a.b ,,+c')).toEqual([
      { path: ['score'], descending: true },
      { path: ['a', 'b'], descending: false },
      { path: ['c'], descending: false },
    ])
  })
  it.each(['ACL', '$a', '--a'])('rejects %s', (text) => {
    expect(() => parseOrder(text)).toThrow(ApiError)
  })
})

it('accepts a query of 2000 conditions and rejects one of 2001', () => {
  const ofParts = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, 1]))
  expect(parseWhere(ofParts(2000))).toMatchObject({ kind: expect.any(String) })
  expect(refusal(ofParts(2001)).error).toContain('2000 conditions')
})
