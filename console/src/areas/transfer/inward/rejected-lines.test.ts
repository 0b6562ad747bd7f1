import { expect, it } from 'vitest'
import { recordOfRejected } from './rejected-lines.ts'
import { recordOfRow } from './rows.ts'

const COLUMNS = [
  { name: 'title', type: 'string' },
  { name: 'Spalte 2', type: '' },
  { name: 'n', type: 'double' },
]

it('a row that was not taken can be corrected, and columns that were left out stay so', () => {
  const rejected = recordOfRow(3, COLUMNS, ['a, "b"', 'left out', 'x'])
  expect(rejected).toMatchObject({ at: 3, reason: expect.stringContaining("'n'") })
  const line = JSON.stringify({ className: 'Post', text: rejected.text.replace(/x$/, '1') })
  expect(recordOfRejected(2, line)).toEqual({ at: 2, text: '{"title":"a, \\"b\\"","n":1}' })
})

it.each([
  [{ object: { n: 1 } }, { at: 2, text: '{"n":1}' }],
  [{ text: '{"n":' }, { at: 2, text: '{"n":' }],
  [{ text: 'a,b' }, { at: 2, text: 'a,b' }],
])('%j is the record that it says', (line, record) => {
  expect(recordOfRejected(2, JSON.stringify(line))).toEqual(record)
})
