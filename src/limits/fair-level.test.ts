import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fairLevel } from './fair-level.ts'

it.each([
  { wanted: [], available: 3, level: 3 },
  { wanted: [5], available: 5, level: 5 },
  { wanted: [5, 2], available: 10, level: 8 },
  { wanted: [8], available: 5, level: 5 },
  { wanted: [1, 100], available: 50, level: 49 },
  { wanted: [100, 100], available: 50, level: 25 },
  { wanted: [1, 2, 300, 300], available: 103, level: 50 },
  { wanted: [0, 10], available: 0, level: 0 },
])('cuts $wanted at $level where there is $available', ({ wanted, available, level }) => {
  expect(fairLevel(wanted, available)).toBe(level)
})

it('uses exactly what is available or requested', () => {
  const amounts = fc.array(fc.integer({ min: 0, max: 1000 }), { maxLength: 30 })
  fc.assert(
    fc.property(amounts, fc.integer({ min: 0, max: 10_000 }), (wanted, available) => {
      const level = fairLevel(wanted, available)
      const used = wanted.reduce((sum, amount) => sum + Math.min(amount, level), 0)
      const sum = wanted.reduce((sum, amount) => sum + amount, 0)
      expect(used).toBeCloseTo(Math.min(sum, available), 6)
    }),
  )
})
