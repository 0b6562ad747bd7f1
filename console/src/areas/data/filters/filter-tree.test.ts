import { describe, expect, it } from 'vitest'
import { fromWhere, toWhere } from './filter-tree.ts'

const point = { __type: 'GeoPoint', latitude: 1, longitude: 2 }
const pointer = { __type: 'Pointer', className: '_User', objectId: 'a' }

describe('a condition', () => {
  it.each([
    {},
    { name: 'Ann' },
    { name: null },
    { n: { $gte: 1, $lt: 5 } },
    { n: { $ne: 1 }, m: { $in: [1, 2] }, o: { $nin: [3] } },
    { a: { $exists: true }, b: { $exists: false } },
    { name: { $regex: 'A\\.b' } },
    { name: { $regex: '^A\\$' } },
    { name: { $regex: 'z\\\\$' } },
    { name: { $regex: '^a|b$' } },
    { name: { $regex: 'a', $options: 'i' } },
    { tags: { $all: ['a', 'b'] }, other: { $size: 2 } },
    { owner: pointer },
    { owner: { $inQuery: { className: '_User', where: { age: { $gt: 3 } } } } },
    { place: { $nearSphere: point, $maxDistanceInKilometers: 5 } },
    { place: { $within: { $box: [point, point] } } },
    { $or: [{ a: 1 }, { b: 2, c: 3 }] },
    { $and: [{ a: 1 }, { a: { $ne: 2 } }], d: 4 },
    { $relatedTo: { object: pointer, key: 'likes' } },
    { a: { $select: { query: { className: 'B' }, key: 'k' } } },
    { a: { $not: { $gt: 1 } } },
  ])('%j means the same after a round trip through the filter', (where) => {
    expect(meaning(toWhere(fromWhere(where)))).toEqual(meaning(where))
  })

  it('on texts is shown as the text it finds', () => {
    const [filter] = fromWhere({ name: { $regex: '^A\\.b' } }).of
    expect(filter).toEqual({ kind: 'field', field: 'name', operator: 'begins', value: 'A.b' })
  })

  it('omits unfinished entries', () => {
    const begun = { kind: 'field', field: 'n', operator: 'less', value: undefined } as const
    expect(toWhere({ kind: 'all', of: [begun, { ...begun, operator: 'exists' }] })).toEqual({ n: { $exists: true } })
  })
})

/** Normalizes a condition: several operators on a field are equivalent to several conditions on it. */
function meaning(where: object): unknown[] {
  return Object.entries(where).flatMap(([key, value]) => {
    if (key === '$and') return (value as object[]).flatMap(meaning)
    if (key === '$or') return [{ $or: (value as object[]).map(meaning) }]
    const names = typeof value === 'object' && value !== null ? Object.keys(value) : []
    const isList = names.length > 1 && names.every((name) => /^\$(?!near|max|regex|options)/.test(name))
    return isList
      ? names.map((name) => ({ [key]: { [name]: (value as Record<string, unknown>)[name] } }))
      : [{ [key]: value }]
  })
}
