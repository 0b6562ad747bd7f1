import { expect, it } from 'vitest'
import { tryAgain } from './try-again.ts'

const now = Date.UTC(2026, 0, 1)
const postponed = (...waits: (number | null)[]) =>
  waits.map((after, index) => ({ id: `i${index}`, reason: 'apns: is overloaded', after }))
const attempts = (attempt: number, expiresAt: number | null = null) => ({ attempt, now, expiresAt })
/** The delays in seconds, with how many devices wait for so long. */
const delays = (...given: Parameters<typeof tryAgain>) =>
  tryAgain(...given).rests.map(({ at, ids }) => [(at.getTime() - now) / 1000, ids.length])

it.each([
  [0, 1],
  [1, 2],
  [4, 16],
  [8, 256],
])('after attempt %i the delay is %i seconds', (attempt, seconds) => {
  expect(delays(postponed(null), attempts(attempt))).toEqual([[seconds, 1]])
})

it('a device that has to wait long does not hold up the others', () => {
  const { rests, givenUp } = tryAgain(postponed(null, 3_600_000, null), attempts(0))
  expect(rests.map(({ ids }) => ids)).toEqual([['i0', 'i2'], ['i1']])
  expect(rests[0]!.at.getTime()).toBe(now + 1000)
  expect(givenUp).toEqual([])
})

it.each([1, 900, 1001, 1600, 59_999, 90_000, 86_400_000])(
  'a provider that asks for %i ms gets them, and a quarter more at most',
  (after) => {
    const [[seconds] = []] = delays(postponed(after), attempts(0))
    expect(seconds! * 1000).toBeGreaterThanOrEqual(after)
    expect(seconds! * 1000).toBeLessThanOrEqual(Math.max(1000, after * 1.25))
  },
)

it('a thousand different waits of up to a day are a few dozen times', () => {
  const waits = Array.from({ length: 1000 }, (_, index) => 1000 + index * 86_399)
  const found = delays(postponed(...waits), attempts(0))
  expect(found.length).toBeLessThan(70)
  expect(found.reduce((sum, [, count]) => sum + count!, 0)).toBe(1000)
})

it('the tenth attempt is the last', () => {
  expect(tryAgain(postponed(null), attempts(8)).givenUp).toEqual([])
  expect(tryAgain(postponed(null), attempts(9))).toEqual({ rests: [], givenUp: postponed(null) })
})

it('devices whose time comes when the push has expired are given up, the others are not', () => {
  const { rests, givenUp } = tryAgain(postponed(null, 60_000), attempts(0, now + 30_000))
  expect(rests.map(({ ids }) => ids)).toEqual([['i0']])
  expect(givenUp.map(({ id }) => id)).toEqual(['i1'])
})
