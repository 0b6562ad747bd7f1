import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { csvLine, sheetHead, sheetLine } from './write-csv.ts'

const columns = [
  { name: 'text', type: 'string' },
  { name: 'n', type: 'double' },
]

describe('CSV', () => {
  it.each([
    "=cmd|' /C calc'!A0",
    '+1',
    '-1+1',
    '@SUM(A1)',
    ' =1',
    '\t=1',
    '\r=1',
    '\n=1',
    '＝1',
    '＋1',
    '－1',
    '＠SUM(A1)',
    '　＝1',
    '\u200b=1',
    '"=1',
    '\0=1',
    '﹦1',
  ])('for spreadsheets, %j is not a formula', (text) => {
    expect(sheetLine(columns, { text, n: -5 })).toMatch(/^"?'/)
    expect(sheetLine(columns, { text, n: -5 })).toMatch(/,-5\r\n$/)
  })

  const risky = fc
    .array(fc.constantFrom(...'=+-@＝＋－＠;\t,\r\n" a1\u200b　'), { maxLength: 12 })
    .map((parts) => parts.join(''))
  it.each([';', '\t'])('for spreadsheets that separate cells by %j, no cell is a formula', (separator) => {
    fc.assert(
      fc.property(fc.array(risky, { minLength: 1, maxLength: 3 }), (texts) => {
        const named = texts.map((_, n) => ({ name: `t${n}`, type: n === 1 ? 'array' : 'string' }))
        const written = sheetLine(named, Object.fromEntries(texts.map((text, n) => [`t${n}`, text])))
        for (const cell of written.split(/[\r\n]/).flatMap((row) => row.split(separator)))
          expect(cell).not.toMatch(/^[\s\p{Cc}\p{Cf}"]*[=+\-@＝＋－＠]/u)
      }),
    )
  })

  it('for spreadsheets, quotes texts with separators of other languages', () => {
    expect(sheetLine(columns, { text: 'a;=1', n: 1 })).toBe('"a;\'=1",1\r\n')
    expect(sheetLine(columns, { text: 'a\t=1', n: 1 })).toBe('"a\t\'=1",1\r\n')
    expect(sheetLine(columns, { text: 'a;b', n: 1 })).toBe('"a;b",1\r\n')
  })

  it('for spreadsheets, writes numbers as numbers, and lookalikes as text', () => {
    const places = [{ name: 'place', type: 'geopoint' }]
    expect(sheetLine(places, { place: { longitude: -1.5, latitude: -2e-7 } })).toBe('-1.5 -2e-7\r\n')
    expect(sheetLine(places, { place: { longitude: '=1', latitude: 2 } })).toBe("'=1 2\r\n")
  })

  it('for spreadsheets, keeps other texts unchanged, with names in the first line', () => {
    expect(sheetLine(columns, { text: 'a=b', n: 1 })).toBe('a=b,1\r\n')
    expect(sheetHead(columns)).toBe('text,n\r\n')
  })

  it('for import, keeps every text unchanged', () => {
    expect(csvLine(columns, { text: '=1', n: 1 })).toBe('=1,1\r\n')
  })
})
