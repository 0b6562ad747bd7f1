import { expect, it } from 'vitest'
import { codeLife, requiredCode } from './request.ts'

it.each([undefined, null, ''])(
  'without a ttl (%j) a code is valid for the default of 10 minutes or of its kind',
  (ttl) => {
    expect(codeLife(ttl)).toBe(10)
    expect(codeLife(ttl, 6)).toBe(6)
  },
)

it.each([
  [1, 1],
  [30, 30],
  ['15', 15],
])('reads a ttl of %j as %i minutes', (ttl, minutes) => expect(codeLife(ttl)).toBe(minutes))

it.each([0, 31, -1, 1.5, 'soon', '1e1000', true, [10], { minutes: 10 }])('rejects a ttl of %j', (ttl) => {
  const message = "'ttl' must be a whole number of minutes from 1 to 30."
  expect(() => codeLife(ttl)).toThrow(expect.objectContaining({ status: 400, code: 1, message }))
})

it('accepts any text as a code and verifies it later', () => {
  expect(requiredCode('smsCode', 'abc')).toBe('abc')
})

it.each([undefined, null, '', 123456, ['123456']])('rejects the code %j by the name of its field', (value) => {
  const message = "'smsCode' must be a string: the six digits that were sent to the phone number."
  expect(() => requiredCode('smsCode', value)).toThrow(expect.objectContaining({ status: 400, code: 1, message }))
})
