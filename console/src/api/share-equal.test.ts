import { expect, it } from 'vitest'
import { shareEqual } from './share-equal.ts'

const HOSTILE = [
  '{"__proto__":{"read":true},"a":1}',
  '{"__proto__":null,"constructor":null}',
  '{"constructor":{"prototype":{"hasOwnProperty":1}},"toString":"x","valueOf":[1]}',
  '{"hasOwnProperty":"x","isPrototypeOf":{}}',
  '[{"length":5},[],{},null]',
]

it.each(HOSTILE)('shares %s when equal, and keeps all members when not', (text) => {
  const before = { kept: JSON.parse(text), other: 1 }
  expect(shareEqual(before, { kept: JSON.parse(text), other: 1 })).toBe(before)
  const shared = shareEqual(before, { kept: JSON.parse(text), other: 2 }) as typeof before
  expect(shared.kept).toBe(before.kept)
  expect(shared.other).toBe(2)
  const changed = shareEqual({ inner: { ...JSON.parse(text), more: 1 } }, { inner: JSON.parse(text) })
  expect(JSON.stringify(changed)).toBe(JSON.stringify({ inner: JSON.parse(text) }))
})

it('treats a member that the previous value only inherits as new', () => {
  expect(shareEqual({}, { toString: 'x' })).toEqual({ toString: 'x' })
  expect(shareEqual({ a: { b: 1 } }, { a: { b: 1, constructor: 2 } })).toEqual({ a: { b: 1, constructor: 2 } })
})

it('returns non-JSON values unchanged', () => {
  const map = new Map([['a', 1]])
  expect(shareEqual(new Map([['a', 1]]), map)).toBe(map)
})
