import { describe, expect, it } from 'vitest'
import { blockIn, blockOf, copyCell, pastedValue } from './pasted-block.ts'

/** Returns a clipboard like that of browser events. */
function newClipboard(): Pick<DataTransfer, 'getData' | 'setData'> {
  const held = new Map<string, string>()
  return { getData: (type) => held.get(type) ?? '', setData: (type, text) => void held.set(type, text) }
}

describe('a copied cell', () => {
  it.each(['plain', 'two\nlines\tand a tab', 'bell\u0007 and \u001b[201~\u0003', '"quoted', '', '=1+1', '\u202eabc'])(
    'is pasted into the grid unchanged: %j',
    (value) => {
      const clipboard = newClipboard()
      copyCell(clipboard, value)
      expect(blockIn(clipboard)).toEqual(value === '' ? blockOf('') : [[value]])
    },
  )

  it.each([[{ a: '\u202e\u007f\u0001' }], [['x', 1, null]], [7], [false]])(
    'of another type is pasted as JSON: %j',
    (value) => {
      const clipboard = newClipboard()
      copyCell(clipboard, value)
      expect(JSON.parse(blockIn(clipboard)[0]![0]!)).toEqual(value)
      expect(clipboard.getData('text/plain')).not.toMatch(/[\p{Cc}\p{Cf}]/u)
    },
  )

  it('contains no characters that a terminal would run', () => {
    const clipboard = newClipboard()
    copyCell(clipboard, 'ls\u001b[201~\u0003\nid')
    expect(clipboard.getData('text/plain')).toBe('ls\ufffd[201~\ufffd\nid')
  })

  it('is used only with its own text, which another page could have copied', () => {
    const clipboard = newClipboard()
    copyCell(clipboard, 'hidden')
    clipboard.setData('text/plain', 'shown\tbeside')
    expect(blockIn(clipboard)).toEqual([['shown', 'beside']])
    const written = newClipboard()
    copyCell(written, 'two\nlines')
    // With line ends of Windows.
    written.setData('text/plain', 'two\r\nlines')
    expect(blockIn(written)).toEqual([['two\nlines']])
  })
})

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
  ])('in a column of %s %j is rejected', (type, cell) => {
    expect(() => pastedValue('it', { type }, cell)).toThrow(`'it' must be of the type`)
  })
})
