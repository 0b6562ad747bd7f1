import { expect, it } from 'vitest'
import { tryAgain } from './try-again.ts'

const now = Date.UTC(2026, 0, 1)
const postponed = (...waits: (number | null)[]) =>
  waits.map((after, index) => ({ id: `i${index}`, reason: 'apns: is overloaded', after }))
const attempts = (attempt: number, expiresAt: number | null = null) => ({ attempt, now, expiresAt })
/** Returns the delays in seconds, each with its number of devices. */
const delays = (...given: Parameters<typeof tryAgain>) =>
  tryAgain(...given).retries.map(({ at, ids }) => [(at.getTime() - now) / 1000, ids.length])

it.each([
  [0, 1],
  [1, 2],
  [4, 16],
  [8, 256],
])('waits after attempt %i for %i seconds', (attempt, seconds) => {
  expect(delays(postponed(null), attempts(attempt))).toEqual([[seconds, 1]])
})

it('does not delay other devices by one with a long delay', () => {
  const { retries, givenUp } = tryAgain(postponed(null, 3_600_000, null), attempts(0))
  expect(retries.map(({ ids }) => ids)).toEqual([['i0', 'i2'], ['i1']])
  expect(retries[0]!.at.getTime()).toBe(now + 1000)
  expect(givenUp).toEqual([])
})

it.each([1, 900, 1001, 1600, 59_999, 90_000, 86_400_000])(
  'waits for the %i ms that a provider requests, and at most a quarter longer',
  (after) => {
    const [[seconds] = []] = delays(postponed(after), attempts(0))
    expect(seconds! * 1000).toBeGreaterThanOrEqual(after)
    expect(seconds! * 1000).toBeLessThanOrEqual(Math.max(1000, after * 1.25))
  },
)

it('merges a thousand different delays of up to a day into a few dozen', () => {
  const waits = Array.from({ length: 1000 }, (_, index) => 1000 + index * 86_399)
  const found = delays(postponed(...waits), attempts(0))
  expect(found.length).toBeLessThan(70)
  expect(found.reduce((sum, [, count]) => sum + count!, 0)).toBe(1000)
})

it('gives up after the tenth attempt', () => {
  expect(tryAgain(postponed(null), attempts(8)).givenUp).toEqual([])
  expect(tryAgain(postponed(null), attempts(9))).toEqual({ retries: [], givenUp: postponed(null) })
})

it('gives up the devices whose retry would come after the expiry of the push, and only those', () => {
  const { retries, givenUp } = tryAgain(postponed(null, 60_000), attempts(0, now + 30_000))
  expect(retries.map(({ ids }) => ids)).toEqual([['i0']])
  expect(givenUp.map(({ id }) => id)).toEqual(['i1'])
})
