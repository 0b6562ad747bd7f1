import { describe, expect, it } from 'vitest'
import { nextChange } from './version-change.ts'

describe('the time of the next version change', () => {
  it.each([
    ['day', '2026-03-04T15:59:59.999Z', '2026-03-04T16:00:00.000Z'],
    ['day', '2026-03-04T16:00:00.000Z', '2026-03-05T16:00:00.000Z'],
    ['day', '2026-12-31T16:00:00.000Z', '2027-01-01T16:00:00.000Z'],
    // 2026-03-08 is a Sunday.
    ['week', '2026-03-04T00:00:00.000Z', '2026-03-08T16:00:00.000Z'],
    ['week', '2026-03-08T15:59:59.999Z', '2026-03-08T16:00:00.000Z'],
    ['week', '2026-03-08T16:00:00.000Z', '2026-03-15T16:00:00.000Z'],
    ['month', '2026-02-03T00:00:00.000Z', '2026-02-28T16:00:00.000Z'],
    ['month', '2028-02-03T00:00:00.000Z', '2028-02-29T16:00:00.000Z'],
    ['month', '2026-01-31T16:00:00.000Z', '2026-02-28T16:00:00.000Z'],
    ['month', '2026-12-31T15:00:00.000Z', '2026-12-31T16:00:00.000Z'],
  ] as const)('%s: after %s it is %s', (interval, now, next) => {
    expect(nextChange(interval, new Date(now))?.toISOString()).toBe(next)
  })

  it('returns null for the interval never', () => {
    expect(nextChange('never', new Date('2026-03-04T00:00:00.000Z'))).toBeNull()
  })
})
