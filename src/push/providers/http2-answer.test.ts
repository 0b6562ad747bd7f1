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
])('parses retry-after %j as %j milliseconds', (value, after) => {
  expect(retryAfter(value, now)).toBe(after)
})

it('has no retry delay without headers', () => {
  expect(later('away')).toEqual({ kind: 'later', reason: 'away', after: null })
})

it('does not reveal the text of an error', () => {
  expect(reasonOf(Object.assign(new Error('secret'), { code: 'ECONNRESET' }))).toBe('ECONNRESET')
  expect(reasonOf(new TypeError('secret'))).toBe('TypeError')
})
