import { expect, it } from 'vitest'
import { later, reasonOf, retryAfter } from './http2-answer.ts'

const now = Date.UTC(2030, 0, 1)

it.each<[value: string | undefined, after: number | null]>([
  ['7', 7000],
  ['0', 0],
  ['Tue, 01 Jan 2030 00:00:30 GMT', 30_000],
  ['Mon, 31 Dec 2029 23:00:00 GMT', 0],
  ['soon', null],
  [undefined, null],
])('retry-after %j is %j milliseconds', (value, after) => {
  expect(retryAfter(value, now)).toBe(after)
})

it('without headers nothing is known about when to try again', () => {
  expect(later('away')).toEqual({ kind: 'later', reason: 'away', after: null })
})

it('the text of an error is not told', () => {
  expect(reasonOf(Object.assign(new Error('secret'), { code: 'ECONNRESET' }))).toBe('ECONNRESET')
  expect(reasonOf(new TypeError('secret'))).toBe('TypeError')
})
