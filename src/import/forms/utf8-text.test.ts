import { expect, test } from 'vitest'
import type { Notice } from '../../notices/notice.ts'
import { REPAIRED_TEXT, repairedJson } from '../odd-text.ts'
import { utf8Text } from './utf8-text.ts'

test.each<[what: string, bytes: string, text: string | null, notes: readonly Notice[] | undefined]>([
  ['UTF-8', Buffer.from('a 汉 🎉').toString('hex'), 'a 汉 🎉', undefined],
  ['a pair of surrogates in six bytes', '61eda0bcedbe8962', 'a🎉b', undefined],
  ['half of a pair in three bytes', '61eda0bc62', 'a\ufffdb', [REPAIRED_TEXT]],
  ['the second half alone', 'edbe89', '\ufffd', [REPAIRED_TEXT]],
  ['two first halves', 'eda0bceda0bc', '\ufffd\ufffd', [REPAIRED_TEXT]],
  ['other bytes', 'ff', null, undefined],
  ['half of a surrogate pair between other bytes', 'eda0bcff', null, undefined],
])('reads %s', (_, bytes, text, notes) => {
  const read = utf8Text(Buffer.from(bytes, 'hex'))
  expect([read?.text ?? null, read?.notes]).toEqual([text, notes])
})

test.each([
  ['a NUL', '"a\\u0000b"', '"a\\ufffdb"'],
  ['half of a pair', '"\\ud83c"', '"\\ufffd"'],
  ['a half in front of a pair', '"\\ud83c\\ud83c\\udf89"', '"\\ufffd\\ud83c\\udf89"'],
  ['a pair', '"\\uD83C\\uDF89"', '"\\uD83C\\uDF89"'],
  ['a backslash followed by letters', '"\\\\u0000"', '"\\\\u0000"'],
  ['a backslash in front of a NUL', '"\\\\\\u0000"', '"\\\\\\ufffd"'],
])('repairs %s in JSON', (_, json, repaired) => {
  expect(repairedJson(json)).toBe(repaired)
})
