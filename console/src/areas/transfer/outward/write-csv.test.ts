import { describe, expect, it } from 'vitest'
import { csvLine, sheetHead, sheetLine } from './write-csv.ts'

const columns = [
  { name: 'text', type: 'string' },
  { name: 'n', type: 'double' },
]

describe('CSV', () => {
  it.each(["=cmd|' /C calc'!A0", '+1', '-1+1', '@SUM(A1)', ' =1', '\t=1', '\r=1', '\n=1'])(
    'for spreadsheets, %j is no formula',
    (text) => {
      expect(sheetLine(columns, { text, n: -5 })).toMatch(/^"?'/)
      expect(sheetLine(columns, { text, n: -5 })).toMatch(/,-5\r\n$/)
    },
  )

  it('for spreadsheets, other texts are as they are, and the first line has the names', () => {
    expect(sheetLine(columns, { text: 'a=b', n: 1 })).toBe('a=b,1\r\n')
    expect(sheetHead(columns)).toBe('text,n\r\n')
  })

  it('for import, every text is as it is', () => {
    expect(csvLine(columns, { text: '=1', n: 1 })).toBe('=1,1\r\n')
  })
})
