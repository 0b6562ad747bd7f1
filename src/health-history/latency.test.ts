import { expect, it } from 'vitest'
import { LATENCY_BOUNDS, quantile } from './latency.ts'

const GROUPS = LATENCY_BOUNDS.length + 1
const counts = (given: Readonly<Record<number, number>>) => Array.from({ length: GROUPS }, (_, n) => given[n] ?? 0)

it.each([
  ['returns no median without requests', {}, 0.5, null],
  ['returns the middle of a group as its median', { 3: 100 }, 0.5, 7.5],
  ['finds the slowest hundredth among many fast requests', { 0: 98, 9: 2 }, 0.99, 750],
  ['returns the last bound for slower requests', { 12: 5 }, 0.99, 10_000],
  ['starts the first group at 0', { 0: 2 }, 0.5, 0.5],
] as const)('%s', (_, given, share, milliseconds) => {
  expect(quantile(counts(given), share)).toBe(milliseconds)
})
