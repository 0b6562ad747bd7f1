import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Json, jsonOf } from './json.ts'

const LONG = 300 * 1024

it.each<[string, Json]>([
  ['a text', 'x'.repeat(LONG)],
  ['characters of two halves, at even and odd places', { even: '😀'.repeat(LONG), odd: `x${'😀'.repeat(LONG)}` }],
  ['what has to be escaped', `"\\\n\u0001/ ${'"\\\n\u2028\u007f'.repeat(LONG)}`],
  ['many small values', Array.from({ length: 100_000 }, (_, n) => ({ [`n${n}`]: [n, null, n % 2 === 0] }))],
  ['empty lists and objects', { text: 'x'.repeat(LONG), list: [], object: {}, deep: [[], {}, [{ '': [] }]] }],
  ['a name that has to be escaped', { 'a "name"': 'x'.repeat(LONG), __proto: 0.1 }],
])('makes the same text of a large value as JSON.stringify: %s', async (_, value) => {
  const text = String(await jsonOf(value))
  expect(text === JSON.stringify(value)).toBe(true)
})

it('makes the same text of any value as JSON.stringify', async () => {
  const property = fc.asyncProperty(fc.jsonValue(), fc.boolean(), async (value, large) => {
    const given = (large ? { value, text: 'y'.repeat(LONG) } : value) as Json
    expect(String(await jsonOf(given))).toBe(JSON.stringify(given))
  })
  await fc.assert(property, { seed: 12, numRuns: 200 })
})

it('lets other work run while the text of a large value is made', async () => {
  let iterations = 0
  const count = () => {
    iterations++
    next = setImmediate(count)
  }
  let next = setImmediate(count)
  await jsonOf({ list: Array.from({ length: 100 }, () => 'x'.repeat(50_000)) })
  clearImmediate(next)
  expect(iterations).toBeGreaterThan(40)
})
