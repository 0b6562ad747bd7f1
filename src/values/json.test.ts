import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isStorableText, type Json, storable, storableJson, storableText } from './json.ts'

it.each([
  ['party 🎉', 'party 🎉'],
  ['party 🎉'.slice(0, 7), 'party \ufffd'],
  ['\udf89 principal', '\ufffd principal'],
  ['a\u0000b\u0000', 'a\ufffdb\ufffd'],
  ['\udf89\ud83c', '\ufffd\ufffd'],
  ['', ''],
])('stores %j as %j', (text, stored) => {
  expect(storableText(text)).toBe(stored)
  expect(isStorableText(text)).toBe(text === stored)
})

it('replaces the texts and keys of a value at every depth, and nothing else', () => {
  const value = { 'k\ud800': ['\u0000', 1, null, true, { a: { 'b\u0000': 'c' } }], plain: 'd' }
  const stored = { 'k\ufffd': ['\ufffd', 1, null, true, { a: { 'b\ufffd': 'c' } }], plain: 'd' }
  expect(storable(value)).toEqual(stored)
  expect(JSON.parse(storableJson(value))).toEqual(stored)
})

it('writes JSON without escapes that the database rejects, and keeps the backslashes of texts', () => {
  const units = fc.string({ unit: 'binary', maxLength: 20 }).map((text) => text.slice(1))
  const texts = fc.oneof(units, fc.constantFrom('\\u0000', '\\ud800', '\\\\u0000', '\u0000', '\ud800\\', '\\\ud800'))
  fc.assert(
    fc.property(fc.dictionary(texts, fc.array(texts)), (value) => {
      const read = JSON.parse(storableJson(value)) as Json
      expect(read).toEqual(storable(value as Json))
      expect(JSON.stringify(read)).not.toMatch(/(?<!\\)(\\\\)*\\u(0000|d[89a-f])/)
    }),
  )
})
