import { expect, it } from 'vitest'
import { isTextPart, partsOf, type TextPart, TextParts } from './text-parts.ts'

const parsed = (texts: readonly string[]) => texts.map((text) => JSON.parse(text) as TextPart)
const long = JSON.stringify({ text: '"\\你好\n'.repeat(4000) })

it('sends a short text unchanged', () => {
  expect(partsOf('node', '{"a":1}')).toEqual(['{"a":1}'])
})

it('fits each message into 7999 bytes even when it is encoded as JSON once more', () => {
  for (const text of ['"'.repeat(2400), '你'.repeat(2400), '\\'.repeat(2401), long]) {
    for (const part of partsOf('node', text)) expect(Buffer.byteLength(JSON.stringify(part))).toBeLessThan(7500)
  }
})

it('reassembles a long text although parts of other nodes arrive in between', () => {
  const parts = new TextParts()
  const [mine, others] = [parsed(partsOf('a', long)), parsed(partsOf('b', `${long} `))]
  expect(mine.length).toBeGreaterThan(2)
  const results = mine.flatMap((part, index) => [parts.add(part), parts.add(others[index]!)])
  expect(results.slice(0, -2).every((text) => text === null)).toBe(true)
  expect(results.slice(-2)).toEqual([long, `${long} `])
})

it('drops the rest when a part is lost, and delivers the next text', () => {
  const parts = new TextParts()
  const [first, , ...rest] = parsed(partsOf('a', long))
  expect([first!, ...rest].map((part) => parts.add(part)).every((text) => text === null)).toBe(true)
  expect(
    parsed(partsOf('a', long))
      .map((part) => parts.add(part))
      .at(-1),
  ).toBe(long)
})

it('bounds the parts that wait, for any number of senders', () => {
  const parts = new TextParts(50_000)
  const part = (node: string, number: number, base64 = 'x'.repeat(7000)) => ({ node, number, count: 1e9, base64 })
  for (let node = 0; node < 1000; node++) parts.add(part(`node ${node}`, 0))
  expect(parts.waiting).toBeLessThanOrEqual(50_000)
  for (let number = 0; number < 1000; number++) parts.add(part('endless', number))
  expect(parts.waiting).toBeLessThanOrEqual(50_000)
  for (let number = 0; number < 10_000; number++) parts.add(part('empty', number, ''))
  expect(parts.waiting).toBeLessThanOrEqual(50_000)
  // A valid text of usual length still arrives.
  const mine = parsed(partsOf('a', 'y'.repeat(20_000)))
  expect(mine.map((one) => parts.add(one)).at(-1)).toBe('y'.repeat(20_000))
  expect(parts.waiting).toBeLessThanOrEqual(50_000)
})

it.each([
  {},
  { node: 'a', number: 0, count: 1 },
  { node: 'a', number: 0, count: 1, base64: 5 },
  { node: 5, number: 0, count: 1, base64: '' },
  { node: 'a', number: -1, count: 1, base64: '' },
  { node: 'a', number: 1, count: 1, base64: '' },
  { node: 'a', number: 0.5, count: 1, base64: '' },
  { node: 'a', number: 0, count: '1', base64: '' },
])('does not accept %j as a part', (value) => {
  expect(isTextPart(value)).toBe(false)
})
