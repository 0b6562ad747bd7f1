import { expect, it } from 'vitest'
import { pageOf, splitPage } from './paged-list.ts'

it('replaces limits outside 1–100 by 10', () => {
  for (const limit of [undefined, 0, -1, 101, 1.5, Number.NaN]) expect(pageOf({ limit }).limit).toBe(10)
  for (const limit of [1, 100]) expect(pageOf({ limit }).limit).toBe(limit)
})

it('returns the decimal offset of the next page as cursor, and null for the last page', () => {
  const page = pageOf({ limit: 2, next: '4' })
  expect(splitPage(['a', 'b', 'c'], page)).toEqual([['a', 'b'], '6'])
  expect(splitPage(['a', 'b'], page)).toEqual([['a', 'b'], null])
  expect(pageOf({}).offset).toBe(0)
})

it('rejects an invalid cursor', () => {
  for (const next of ['-1', 'x', '1e3', '9999999999']) expect(() => pageOf({ next })).toThrow("'next' must be")
})
