import { expect, test } from 'vitest'
import { isOldSpreadsheet, spreadsheetsAmong } from './spreadsheet.ts'

const EXCEL = ['[Content_Types].xml', '_rels/.rels', 'xl/workbook.xml', 'xl/worksheets/sheet1.xml']

test.each<[what: string, names: readonly string[], sheets: readonly string[]]>([
  ['a workbook', EXCEL, ['']],
  ['a workbook in an archive', ['Post.0.jsonl', ...EXCEL.map((name) => `data/book.xlsx/${name}`)], ['data/book.xlsx/']],
  ['a document of LibreOffice', ['mimetype', 'META-INF/manifest.xml', 'content.xml'], ['']],
  ['a document of Word', ['[Content_Types].xml', 'word/document.xml'], []],
  ['an export', ['Post.0.jsonl', 'xl/workbook.xml'], []],
])('finds spreadsheets in %s', (_, names, sheets) => {
  expect(spreadsheetsAmong(names)).toEqual(sheets)
})

test('recognizes files of older Excel versions by their beginning', () => {
  expect(isOldSpreadsheet(Buffer.from('d0cf11e0a1b11ae100', 'hex'))).toBe(true)
  expect(isOldSpreadsheet(Buffer.from('d0cf'))).toBe(false)
})
