import { expect, it } from 'vitest'
import { reasonOf } from './vendor-reason.ts'

it('returns the code and text of the vendor', () => {
  expect(reasonOf('80300002', 'no permission', [])).toBe('80300002: no permission')
  expect(reasonOf(10034, '应用当日发送消息数量过多', [])).toBe('10034: 应用当日发送消息数量过多')
  expect(reasonOf(undefined, undefined, [])).toBe('without a reason')
})

it('removes parts of the request, and anything that looks like a token', () => {
  expect(reasonOf(1, 'bad tok1, key=geheim', ['tok1', 'geheim'])).toBe('1: bad …, key=…')
  expect(reasonOf(1, 'bad CN_078ad8b8a137cadb14ae5b70cf846312 given', [])).toBe('1: bad … given')
  expect(reasonOf(1, '{"illegal_tokens":["AMDp1/xy+zw=:APA91bF00"]}', [])).toBe('1: {"illegal_tokens":["…"]}')
  expect(reasonOf(1, 'internationalization failed', [])).toBe('1: internationalization failed')
})

it('returns one short line for any text', () => {
  expect(reasonOf(1, 'a\r\nb\u0000c', [])).toBe('1: a b c')
  expect(reasonOf(1, 'ab '.repeat(100_000), []).length).toBeLessThan(250)
  expect(reasonOf({ a: 1 }, ['x'], [])).toBe('without a reason')
})
