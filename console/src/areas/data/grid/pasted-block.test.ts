import { describe, expect, it } from 'vitest'
import { blockOf, pastedValue } from './pasted-block.ts'

describe('a block from a spreadsheet', () => {
  it.each([
    [
      'a\tb\r\nc\td\r\n',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    ['one', [['one']]],
    ['"two\nlines"\tx', [['two\nlines', 'x']]],
    ['"a ""word"""\t', [['a "word"', '']]],
    ['5" pipe\tx', [['5" pipe', 'x']]],
  ])('%j is %j', (text, cells) => {
    expect(blockOf(text)).toEqual(cells)
  })

  it.each([
    ['String', '007', '007'],
    ['Number', '1.5', 1.5],
    ['Boolean', 'TRUE', true],
    ['Date', '2026-01-02T03:04:05.000Z', { __type: 'Date', iso: '2026-01-02T03:04:05.000Z' }],
    ['Array', '[1]', [1]],
    ['Pointer', 'abc', { __type: 'Pointer', className: 'Post', objectId: 'abc' }],
    ['GeoPoint', '{"__type":"GeoPoint","latitude":1,"longitude":2}', { __type: 'GeoPoint', latitude: 1, longitude: 2 }],
    ['Number', '', undefined],
  ])('in a column of %s %j is %j', (type, cell, value) => {
    expect(pastedValue('it', { type, className: 'Post' }, cell)).toEqual(value)
  })

  it.each([
    ['Number', 'seven'],
    ['Boolean', 'yes'],
    ['Array', '{}'],
    ['Object', '[]'],
    ['Bytes', 'AAAA'],
    ['Date', 'soon'],
  ])('in a column of %s %j is refused', (type, cell) => {
    expect(() => pastedValue('it', { type }, cell)).toThrow(`'it' must be of the type`)
  })
})
