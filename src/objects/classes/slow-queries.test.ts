import { expect, it } from 'vitest'
import type { Ordering } from '../where/tree.ts'
import { SlowQueries } from './slow-queries.ts'

const item = { name: 'Item', tableName: 'Item' }
const byField = (field: string): Ordering[] => [{ path: [field], descending: false }]

it('lists the shapes of a class with the most time in total first', () => {
  const queries = new SlowQueries()
  queries.note(item, null, byField('rare'), [], 300)
  for (let time = 0; time < 4; time++) queries.note(item, null, byField('frequent'), [], 100)
  queries.note(item, null, byField('short'), [], 50)
  queries.note({ name: 'Other', tableName: 'Other' }, null, byField('other'), [], 5000)
  const listed = queries.of('Item', 10)
  expect(listed.map(({ totalMilliseconds, times }) => [totalMilliseconds, times])).toEqual([
    [400, 4],
    [300, 1],
    [50, 1],
  ])
  expect(queries.of('Item', 1)).toEqual(listed.slice(0, 1))
})
