import { expect, it } from 'vitest'
import { recordOfRejected } from './rejected-lines.ts'
import { recordOfRow } from './rows.ts'

const COLUMNS = [
  { name: 'title', type: 'string' },
  { name: 'Spalte 2', type: '' },
  { name: 'n', type: 'double' },
]

it('a rejected row can be corrected, and excluded columns stay excluded', () => {
  const rejected = recordOfRow(3, COLUMNS, ['a, "b"', 'left out', 'x'])
  expect(rejected).toMatchObject({ at: 3, reason: expect.stringContaining("'n'") })
  const line = JSON.stringify({ className: 'Post', text: rejected.text.replace(/x$/, '1') })
  expect(recordOfRejected(2, line, 'Post')).toEqual({ at: 2, text: '{"title":"a, \\"b\\"","n":1}' })
})

it.each([
  [{ object: { n: 1 } }, { at: 2, text: '{"n":1}' }],
  [{ text: '{"n":' }, { at: 2, text: '{"n":' }],
  [{ text: 'a,b' }, { at: 2, text: 'a,b' }],
])('reads %j as the record it describes', (line, record) => {
  expect(recordOfRejected(2, JSON.stringify(line), 'Post')).toEqual(record)
})
