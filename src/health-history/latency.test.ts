import { expect, it } from 'vitest'
import { LATENCY_BOUNDS, quantile } from './latency.ts'

const GROUPS = LATENCY_BOUNDS.length + 1
const counts = (given: Readonly<Record<number, number>>) => Array.from({ length: GROUPS }, (_, n) => given[n] ?? 0)

it.each([
  ['no requests have no median', {}, 0.5, null],
  ['the median of one group lies in its middle', { 3: 100 }, 0.5, 7.5],
  ['the slowest hundredth is found among many fast ones', { 0: 98, 9: 2 }, 0.99, 750],
  ['what took longer than the last bound took at least that', { 12: 5 }, 0.99, 10_000],
  ['the first group begins at nothing', { 0: 2 }, 0.5, 0.5],
] as const)('%s', (_, given, share, milliseconds) => {
  expect(quantile(counts(given), share)).toBe(milliseconds)
})
