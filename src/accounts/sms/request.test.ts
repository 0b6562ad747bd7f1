import { expect, it } from 'vitest'
import { codeLife, requiredCode } from './request.ts'

it.each([undefined, null, ''])(
  'without a time (%j) a code lives for the usual 10 minutes, or what its kind has',
  (ttl) => {
    expect(codeLife(ttl)).toBe(10)
    expect(codeLife(ttl, 6)).toBe(6)
  },
)

it.each([
  [1, 1],
  [30, 30],
  ['15', 15],
])('a time of %j is %i minutes', (ttl, minutes) => expect(codeLife(ttl)).toBe(minutes))

it.each([0, 31, -1, 1.5, 'soon', '1e1000', true, [10], { minutes: 10 }])('a time of %j is refused', (ttl) => {
  const message = "'ttl' must be a whole number of minutes from 1 to 30."
  expect(() => codeLife(ttl)).toThrow(expect.objectContaining({ status: 400, code: 1, message }))
})

it('a code is a text; whether it is right shows later', () => {
  expect(requiredCode('smsCode', 'abc')).toBe('abc')
})

it.each([undefined, null, '', 123456, ['123456']])('a code that is %j is refused by the name of its field', (value) => {
  const message = "'smsCode' must be a text: the six digits that were sent to the number."
  expect(() => requiredCode('smsCode', value)).toThrow(expect.objectContaining({ status: 400, code: 1, message }))
})
