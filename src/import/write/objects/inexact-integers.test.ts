import { expect, it } from 'vitest'
import { notice } from '../../../notices/notice.ts'
import { holdsLargeNumber, inexactIntegers } from './inexact-integers.ts'

it.each([
  ['{"n":9007199254740993}', true],
  ['{"n":-9007199254740993}', true],
  ['{"a":[{"n":12345678901234567}]}', true],
  ['{"n":9007199254740992}', false],
  ['{"n":10000000000000000000000}', false],
  ['{"n":"9007199254740993"}', false],
  ['{"n":"\\"9007199254740993\\\\"}', false],
  ['{"n":0.12345678901234567}', false],
  ['{"n":1}', false],
  [`{"n":${'9'.repeat(500)}}`, false],
  [`{"t":"${'\\"x'.repeat(3)}","n":9007199254740993}`, true],
])('reports rounded integers in %.60s: %s', (text, isInexact) => {
  expect(inexactIntegers(text)).toEqual(isInexact ? [notice('roundedNumber')] : [])
  if (isInexact) expect(holdsLargeNumber(JSON.parse(text))).toBe(true)
})

it.each(['{"n":9007199254740991,"m":-9007199254740991}', '{"a":[1,{"b":null}],"t":"9007199254740993"}', '{}'])(
  'skips the text scan for %s',
  (text) => expect(holdsLargeNumber(JSON.parse(text))).toBe(false),
)

it('reads a text of megabytes like any other', () => {
  expect(inexactIntegers(`{"t":"${'x\\"'.repeat(3_000_000)}","n":9007199254740993}`)).toHaveLength(1)
})
