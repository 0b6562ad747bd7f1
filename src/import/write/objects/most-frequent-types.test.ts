import fc from 'fast-check'
import { expect, it } from 'vitest'
import { runs } from '../../../../test/support/runs.ts'
import { sameType } from '../../../values/typed.ts'
import { mostFrequentTypes } from './most-frequent-types.ts'
import { packObjects } from './packed-objects.ts'
import { objectParser } from './parse-object.ts'

const options = { className: 'Post', now: '2026-01-01T00:00:00.000Z' }

function typesOf(values: readonly unknown[]) {
  const parse = objectParser(options)
  const objects = values.map((value, index) => ({ index, value: parse(JSON.stringify({ v: value, n: 1 })) }))
  return mostFrequentTypes(packObjects(objects))
}

const pointer = { __type: 'Pointer', className: 'Tag', objectId: 'a' }
const date = { __type: 'Date', iso: '2020-01-01T00:00:00.000Z' }

it.each<[string, unknown[], object | undefined]>([
  ['no values', [null, null], undefined],
  ['one type', ['a', 'b', null], undefined],
  ['most are numbers', ['5', 5, 6], { type: 'Number' }],
  ['most are strings', ['a', 5, 'b'], { type: 'String' }],
  ['as many, the first a string', ['a', 5], { type: 'Number' }],
  ['as many, the last a string', [true, 'a'], { type: 'Boolean' }],
  ['as many, no string', [date, 5], { type: 'Date' }],
  ['a Pointer to most', [{ ...pointer, className: 'User' }, pointer, pointer], { type: 'Pointer', className: 'Tag' }],
])('returns the type of most values: %s', (_what, values, type) => {
  expect(typesOf(values).get('v')).toEqual(type)
  expect(typesOf(values).has('n')).toBe(false)
})

it('rejects the fewest records, in any order', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom<unknown>('a', 5, true, date, pointer, null), { maxLength: 30 }), (values) => {
      const parse = objectParser(options)
      const types = values.map((value) => parse(JSON.stringify({ v: value })).types.get('v'))
      const chosen = typesOf(values).get('v') ?? types.find((one) => one !== undefined)
      const lost = (kept: (typeof types)[number]) => types.filter((one) => one && kept && !sameType(one, kept)).length
      for (const other of types) if (other) expect(lost(chosen)).toBeLessThanOrEqual(lost(other))
    }),
    runs(200),
  )
})
