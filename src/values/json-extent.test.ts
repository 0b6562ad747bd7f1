import fc from 'fast-check'
import { expect, it } from 'vitest'
import { runs } from '../../test/support/runs.ts'
import { ExtentCounter, extentOf } from './json-extent.ts'

/** Counts the values of a parsed value. Empty lists and objects count as two, so that the counter needs no lookahead. */
function valuesOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  const members = Object.values(value)
  const names = Array.isArray(value) ? 0 : members.length
  return members.length === 0 ? 2 : members.reduce((sum: number, member) => sum + valuesOf(member), 1 + names)
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(depthOf))
}

it('counts values and levels, ignoring the contents of strings', () => {
  const text = fc.oneof(fc.string(), fc.constantFrom('"', '\\', '\\"', '[,{', '\\\\', '{"a":[1,2'))
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 5 },
      text,
      fc.integer(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 5 }),
      fc.dictionary(text, tie('value'), { maxKeys: 5 }),
    ),
  }))
  fc.assert(
    fc.property(value, fc.constantFrom(undefined, 2), (given, indent) => {
      const json = JSON.stringify(given, null, indent)
      const [values, depth] = [valuesOf(given), depthOf(given)]
      expect(extentOf(json, depth, values)).toEqual({ tooDeep: false, tooMany: false, values })
      if (values > 1) expect(extentOf(json, depth, values - 1).tooMany).toBe(true)
      if (depth > 0) expect(extentOf(json, depth - 1, values).tooDeep).toBe(true)
      for (const size of [1, 2, 3]) {
        const [within, beyond] = [new ExtentCounter(depth, values), new ExtentCounter(depth, values - 1)]
        for (let start = 0; start <= json.length; start += size) {
          within.read(json.slice(start, start + size))
          beyond.read(json.slice(start, start + size))
        }
        expect([within.isBeyond, within.values, beyond.isBeyond]).toEqual([false, values, values > 1])
      }
    }),
    runs(500),
  )
})

it('accepts texts that are not JSON', () => {
  for (const text of ['"', '"\\', '[[', ']]]]', '{"a', '\\"', '', ',,,,'])
    expect(extentOf(text, 100, 100)).toMatchObject({ tooDeep: false, tooMany: false })
  expect(extentOf('['.repeat(200), 100, 1000).tooDeep).toBe(true)
})
