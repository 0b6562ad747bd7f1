import { expect, it } from 'vitest'
import { isCron, isTimeZone, nextByCron } from './schedules-cron.ts'

/** A Thursday. */
const START = new Date('2026-01-01T00:00:00Z')

const next = (expression: string, timeZone = 'UTC') => nextByCron(expression, timeZone, START)?.toISOString() ?? null

it.each([
  ['0 0 12 * * *', '2026-01-01T12:00:00.000Z'],
  ['30 5 0 * * *', '2026-01-01T00:05:30.000Z'],
  ['0 0 12 ? * 1', '2026-01-04T12:00:00.000Z'],
  ['0 0 12 ? * sun', '2026-01-04T12:00:00.000Z'],
  ['0 0 12 ? * 7', '2026-01-03T12:00:00.000Z'],
  ['0 0 12 ? * MON-FRI', '2026-01-01T12:00:00.000Z'],
  ['0 0 12 ? * SAT-MON', '2026-01-03T12:00:00.000Z'],
  ['0 0 12 ? * 2,4', '2026-01-05T12:00:00.000Z'],
  ['0 0 12 3 * ?', '2026-01-03T12:00:00.000Z'],
  ['0 0 0 31 * ?', '2026-01-31T00:00:00.000Z'],
  ['0 0 0 1 feb ?', '2026-02-01T00:00:00.000Z'],
  ['0 0 0 1 FEB-APR/2 ?', '2026-02-01T00:00:00.000Z'],
  ['0 7/15 * * * ?', '2026-01-01T00:07:00.000Z'],
  ['0 */15 * * * ?', '2026-01-01T00:15:00.000Z'],
  ['*/20 * * * * *', '2026-01-01T00:00:20.000Z'],
  ['0 0 22-2/2 * * *', '2026-01-01T02:00:00.000Z'],
  ['0 0 12 5 * SUN', '2026-01-04T12:00:00.000Z'],
  ['0 0 0 29 2 ?', '2028-02-29T00:00:00.000Z'],
  ['0 0 0 30 2 ?', null],
])('runs %s next at %s', (expression, time) => {
  expect(isCron(expression)).toBe(true)
  expect(next(expression)).toBe(time)
})

it('evaluates an expression in the time zone of the schedule', () => {
  expect(next('0 0 12 * * ?', 'Asia/Shanghai')).toBe('2026-01-01T04:00:00.000Z')
  expect(isTimeZone('Asia/Shanghai')).toBe(true)
  expect(isTimeZone('Nowhere/None')).toBe(false)
})

it.each([
  '',
  '* * * * *',
  '* * * * * * *',
  '60 * * * * *',
  '* * 24 * * *',
  '* * * 0 * *',
  '* * * * 13 *',
  '* * * * * 0',
  '* * * * * 8',
  '? * * * * *',
  '* * * * ? *',
  '*/0 * * * * *',
  '* * * L * ?',
  '* * * ? * FRI#2',
  '* * * * MON *',
  '@daily',
  '1- * * * * *',
  '1,,2 * * * * *',
])('rejects %s', (expression) => {
  expect(isCron(expression)).toBe(false)
})
