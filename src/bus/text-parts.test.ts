import { expect, it } from 'vitest'
import { partsOf, type TextPart, TextParts } from './text-parts.ts'

const parsed = (texts: readonly string[]) => texts.map((text) => JSON.parse(text) as TextPart)
const long = JSON.stringify({ text: '"\\你好\n'.repeat(4000) })

it('a short text goes as it is', () => {
  expect(partsOf('node', '{"a":1}')).toEqual(['{"a":1}'])
})

it('what is published fits into 7999 bytes when JSON is made of it once more', () => {
  for (const text of ['"'.repeat(2400), '你'.repeat(2400), '\\'.repeat(2401), long]) {
    for (const part of partsOf('node', text)) expect(Buffer.byteLength(JSON.stringify(part))).toBeLessThan(7500)
  }
})

it('a long text arrives whole, though parts of other nodes come between its own', () => {
  const parts = new TextParts()
  const [mine, others] = [parsed(partsOf('a', long)), parsed(partsOf('b', `${long} `))]
  expect(mine.length).toBeGreaterThan(2)
  const whole = mine.flatMap((part, index) => [parts.add(part), parts.add(others[index]!)])
  expect(whole.slice(0, -2).every((text) => text === null)).toBe(true)
  expect(whole.slice(-2)).toEqual([long, `${long} `])
})

it('when a part is lost the rest is dropped, and the next text arrives', () => {
  const parts = new TextParts()
  const [first, , ...rest] = parsed(partsOf('a', long))
  expect([first!, ...rest].map((part) => parts.add(part)).every((text) => text === null)).toBe(true)
  expect(
    parsed(partsOf('a', long))
      .map((part) => parts.add(part))
      .at(-1),
  ).toBe(long)
})
