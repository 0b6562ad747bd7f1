import { describe, expect, it } from 'vitest'
import type { Json } from '../values/json.ts'
import { canonicalCondition, effortOf, parseCondition } from './condition.ts'

describe('a condition', () => {
  it.each<[Json | undefined, string]>([
    [undefined, '{}'],
    [null, '{}'],
    ['', '{}'],
    ['null', '{}'],
    [{ b: 1, a: { d: [{ f: 1, e: 2 }], c: 'ü' } }, '{"a":{"c":"ü","d":[{"e":2,"f":1}]},"b":1}'],
    ['{"b":1,"a":2}', '{"a":2,"b":1}'],
  ])('%j has one text, however it is sent', (wire, text) => {
    expect(canonicalCondition(wire)).toBe(text)
  })

  it('names the fields that it asks for', () => {
    const wire = { a: 1, 'b.c': { $gt: 1 }, $or: [{ d: { $ne: 1 } }, { e: { $not: { $regex: 'x' } } }] }
    expect(parseCondition(JSON.stringify(wire)).fields.toSorted()).toEqual(['a', 'b', 'd', 'e'])
  })

  it.each<[string, object]>([
    ['$inQuery', { a: { $inQuery: { className: 'B', where: {} } } }],
    ['$notInQuery', { a: { $notInQuery: { className: 'B', where: {} } } }],
    ['$select', { a: { $select: { query: { className: 'B', where: {} }, key: 'b' } } }],
    ['$relatedTo', { $relatedTo: { object: { __type: 'Pointer', className: 'B', objectId: 'b' }, key: 'likes' } }],
    ['a lookaround', { $or: [{ a: 1 }, { a: { $regex: '(?!x)' } }] }],
    ['a back reference', { a: { $not: { $regex: '(x)\\1' } } }],
  ])('with %s is refused: it could not be tested in memory', (_, wire) => {
    expect(() => parseCondition(JSON.stringify(wire))).toThrow(expect.objectContaining({ code: 102 }))
  })

  it('has at most 16384 characters', () => {
    expect(canonicalCondition({ a: 'x'.repeat(16_384 - 8) })).toHaveLength(16_384)
    expect(() => canonicalCondition({ a: 'x'.repeat(16_384 - 7) })).toThrow(expect.objectContaining({ code: 102 }))
  })
})

it('the effort of a condition grows with what there is to compare', () => {
  const effort = (wire: object) => effortOf(parseCondition(JSON.stringify(wire)).where)
  expect(effort({})).toBe(0)
  expect(effort({ a: 1 })).toBe(1)
  expect(effort({ a: { $in: Array.from({ length: 400 }, (_, n) => n) } })).toBe(101)
  expect(effort({ a: { $regex: 'a[bc]{2,50}' } })).toBeGreaterThan(200)
  expect(effort({ a: { $regex: '(?:[ab]{1,30}c){1,30}' } })).toBeLessThanOrEqual(5001)
})
