import { expect, it } from 'vitest'
import { shareOf } from './bound-garbage.ts'

const MB = 1024 * 1024

it.each([
  [30, 0, 400],
  [40, 0, 340],
  [80, 0, 170],
  [160, 0, 85],
  [320, 0, 43],
  [1000, 0, 30],
  [80, 32, 130],
  [80, 72, 80],
  [80, 500, 80],
])('a heap with %i MB in use, beside buffers of %i MB, may grow by %i percent', (inUse, outside, percent) => {
  expect(shareOf(inUse * MB, outside * MB)).toBe(percent)
})
