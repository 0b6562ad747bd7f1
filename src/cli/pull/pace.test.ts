import { describe, expect, it } from 'vitest'
import { parseHours } from '../../moves/hours.ts'
import { Pace } from './pace.ts'

describe('the pace of a pull', () => {
  it.each([
    ['22-6', [22, 23, 0, 5], [6, 12, 21]],
    ['1-5', [1, 4], [0, 5, 23]],
    ['20-24', [20, 23], [0, 19]],
  ])('uses the night rate only in the hours %s', (text, night, day) => {
    const pace = new Pace(50, { hours: parseHours(text)!, otherwise: 2 })
    const rates = (hours: readonly number[]) => hours.map((hour) => pace.rateAt(new Date(2027, 0, 3, hour, 30)))
    expect(rates(night)).toEqual(night.map(() => 50))
    expect(rates(day)).toEqual(day.map(() => 2))
  })

  it.each(['22', '22-25', '6-6', '0-24', 'x-y', '-1-3', ''])('rejects the hours %j', (text) => {
    expect(parseHours(text)).toBeNull()
  })

  it('is constant without night hours', () => {
    expect(new Pace(10).rateAt(new Date())).toBe(10)
  })
})
