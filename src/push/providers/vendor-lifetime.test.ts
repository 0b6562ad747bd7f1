import { expect, it } from 'vitest'
import { untilNextDay } from './vendor-day.ts'
import { secondsToLive } from './vendor-lifetime.ts'

const bounds = { min: 60, max: 3600 }

it.each([
  ['without an expiry it is the vendor who decides', null, null],
  ['it is counted from now, in whole seconds', 1_000_000 + 90_500, 91],
  ['it is not less than the vendor allows', 1_000_000 + 5000, 60],
  ['nor when the time is over', 0, 60],
  ['it is not more than the vendor allows', 1_000_000 + 7_200_000, 3600],
])('%s', (_, expiresAt, seconds) => expect(secondsToLive(expiresAt, bounds, 1_000_000)).toBe(seconds))

it('starts the next day at midnight in China', () => {
  expect(untilNextDay(Date.parse('2030-01-02T03:04:05+08:00'))).toBe(86_400_000 - (3 * 3600 + 4 * 60 + 5) * 1000)
  expect(untilNextDay(Date.parse('2030-01-02T00:00:00+08:00'))).toBe(86_400_000)
  expect(untilNextDay(Date.parse('2030-01-01T23:59:59+08:00'))).toBe(1000)
})
