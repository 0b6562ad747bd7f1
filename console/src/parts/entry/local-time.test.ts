import { expect, it } from 'vitest'
import { toLocalInput } from './local-time.ts'
import { parseLocalTime } from './parse-entry.ts'

it.each([
  '2026-11-23T01:02:03.000Z',
  '2026-03-29T00:59:59.999Z',
  '1969-12-31T23:59:59.001Z',
  '0099-01-01T12:00:00.000Z',
])('%s round trips through an input in local time', (iso) => {
  expect(parseLocalTime(toLocalInput(iso))).toEqual({ __type: 'Date', iso })
})

it('an invalid time becomes an empty input', () => {
  expect(toLocalInput('yesterday')).toBe('')
})
