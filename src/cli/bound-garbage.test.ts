import { expect, it } from 'vitest'
import { shareOf } from './bound-garbage.ts'

const MB = 1024 * 1024

it.each([
  [30, 400],
  [40, 340],
  [80, 170],
  [160, 85],
  [320, 43],
  [1000, 30],
])('a heap with %i MB in use may grow by %i percent', (megabytes, percent) => {
  expect(shareOf(megabytes * MB)).toBe(percent)
})
