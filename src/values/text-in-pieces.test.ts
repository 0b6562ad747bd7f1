import { expect, it } from 'vitest'
import { concatenated, TextInPieces } from './text-in-pieces.ts'

it('joins texts to one, in pieces if one of them is', () => {
  expect(concatenated(['a', 'b', ''])).toBe('ab')
  const text = concatenated(['{', '"a":', new TextInPieces(['1', '23']), ',', new TextInPieces(['4']), '', '}'])
  expect(text).toEqual(new TextInPieces(['{"a":', '1', '23', ',', '4', '}']))
  expect([String(text), text.length]).toEqual(['{"a":123,4}', 11])
  expect(concatenated([new TextInPieces([])])).toEqual(new TextInPieces([]))
})
