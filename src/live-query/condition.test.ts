import { describe, expect, it } from 'vitest'
import type { Json } from '../values/json.ts'
import { canonicalCondition, parseCondition } from './condition.ts'

describe('a condition', () => {
  it.each<[Json | undefined, string]>([
    [undefined, '{}'],
    [null, '{}'],
    ['', '{}'],
    ['null', '{}'],
    [{ b: 1, a: { d: [{ f: 1, e: 2 }], c: 'ü' } }, '{"a":{"c":"ü","d":[{"e":2,"f":1}]},"b":1}'],
    ['{"b":1,"a":2}', '{"a":2,"b":1}'],
  ])('of %j has one text, whatever its form', (wire, text) => {
    expect(canonicalCondition(wire)).toBe(text)
  })

  it('lists the fields that it uses', () => {
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
  ])('is rejected with %s, which cannot be tested in memory', (_, wire) => {
    expect(() => parseCondition(JSON.stringify(wire))).toThrow(expect.objectContaining({ code: 102 }))
  })

  it('has regular expressions of at most 2000 parts, not counting texts', () => {
    const anyOf = (...sources: string[]) => JSON.stringify({ $or: sources.map(($regex) => ({ a: { $regex } })) })
    const texts = Array.from({ length: 10 }, (_, n) => `^\\Q${'x'.repeat(900)}${n}\\E$`)
    expect(parseCondition(anyOf(...texts, '[ab]{250}')).fields).toEqual(['a'])
    const large = Array.from({ length: 8 }, (_, n) => `[a${n}]{250}`)
    expect(() => parseCondition(anyOf(...large))).toThrow(
      expect.objectContaining({ code: 102, message: expect.stringMatching(/at most 2000 parts in total/) }),
    )
  })

  it('has at most 16384 characters', () => {
    expect(canonicalCondition({ a: 'x'.repeat(16_384 - 8) })).toHaveLength(16_384)
    expect(() => canonicalCondition({ a: 'x'.repeat(16_384 - 7) })).toThrow(expect.objectContaining({ code: 102 }))
  })
})
