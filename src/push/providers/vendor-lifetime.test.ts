import { expect, it } from 'vitest'
import { untilNextDay } from './vendor-day.ts'
import { secondsToLive } from './vendor-lifetime.ts'

const bounds = { min: 60, max: 3600 }

it.each([
  ['omits the lifetime without an expiry', null, null],
  ['counts whole seconds from now', 1_000_000 + 90_500, 91],
  ['is at least the minimum of the vendor', 1_000_000 + 5000, 60],
  ['is the minimum of the vendor after the expiry', 0, 60],
  ['is at most the maximum of the vendor', 1_000_000 + 7_200_000, 3600],
])('%s', (_, expiresAt, seconds) => expect(secondsToLive(expiresAt, bounds, 1_000_000)).toBe(seconds))

it('starts the next day at midnight in China', () => {
  expect(untilNextDay(Date.parse('2030-01-02T03:04:05+08:00'))).toBe(86_400_000 - (3 * 3600 + 4 * 60 + 5) * 1000)
  expect(untilNextDay(Date.parse('2030-01-02T00:00:00+08:00'))).toBe(86_400_000)
  expect(untilNextDay(Date.parse('2030-01-01T23:59:59+08:00'))).toBe(1000)
})
