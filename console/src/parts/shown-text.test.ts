import { expect, it } from 'vitest'
import { formatIn } from '../i18n/format.ts'
import { shownList, shownText } from './shown-text.ts'

/** Values of every type, and objects that `String` cannot convert. */
const HOSTILE: readonly [value: unknown, text: string][] = [
  [undefined, ''],
  [null, ''],
  ['', ''],
  ['many', 'many'],
  [true, 'true'],
  [{}, '{}'],
  [{ toString: 'x' }, '{"toString":"x"}'],
  [JSON.parse('{"__proto__":null,"valueOf":1}'), '{"__proto__":null,"valueOf":1}'],
  [[{ toString: null }, 1], '[{"toString":null},1]'],
]

it.each(HOSTILE)('%j is shown as %j, also where a number or a time is expected', (value, text) => {
  expect(shownText(value)).toBe(text)
  for (const format of [formatIn('en'), formatIn('zh-CN')])
    for (const name of ['number', 'percent', 'bytes', 'duration', 'time', 'ago'] as const)
      expect(format[name](value)).toBe(text)
})

it('shows numbers that are not amounts unchanged', () => {
  const format = formatIn('en')
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY]) {
    expect(format.bytes(value)).toBe(String(value))
    expect(format.time(value)).toBe(String(value))
  }
  expect(format.bytes(-1)).toBe('-1 byte')
  expect(format.time(1e300)).toBe('1e+300')
})

it('lists are shown with commas, whatever their elements are', () => {
  expect(shownList(['a', { toString: 1 }, null, 2])).toBe('a, {"toString":1}, , 2')
  expect(shownList('no list')).toBe('no list')
  expect(shownList(null)).toBe('')
})
