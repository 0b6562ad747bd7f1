import { expect, it } from 'vitest'
import type { FieldType } from '../../values/typed.ts'
import { indexable } from './indexable.ts'
import { parseWhere } from './parse.ts'

const TYPES: Readonly<Record<string, FieldType>> = {
  text: { type: 'String' },
  number: { type: 'Number' },
  pointer: { type: 'Pointer', className: 'Post' },
  array: { type: 'Array' },
  object: { type: 'Object' },
  place: { type: 'GeoPoint' },
}
const near = { __type: 'GeoPoint', latitude: 0, longitude: 0 }

it.each<[rule: string, wire: unknown, groups: string[][]]>([
  ['equality and $in', { text: 'a', pointer: { $in: [] } }, [['equality text', 'equality pointer']]],
  [
    'ranges',
    { number: { $gt: 1, $lt: 2 }, createdAt: { $gt: '2020-01-01' } },
    [['range number', 'range number', 'range createdAt']],
  ],
  ['a pattern with a literal start', { text: { $regex: '^a' } }, [['range text']]],
  ['no other pattern', { text: { $regex: 'a' } }, []],
  ['elements of arrays', { array: 'a' }, [['containment array']]],
  ['dotted paths', { 'object.a': 1 }, [['containment object.a']]],
  ['inner queries', { pointer: { $inQuery: { className: 'Post' } } }, [['equality pointer']]],
  ['no negations', { text: { $ne: 'a' }, number: { $exists: true } }, []],
  ['neither objects nor unknown fields', { object: { a: 1 }, other: 1, place: { $nearSphere: near } }, []],
  [
    'each branch of $or is a group',
    { number: 1, $or: [{ text: 'a', array: 1 }, { pointer: null }] },
    [['equality number'], ['equality text', 'containment array'], ['equality pointer']],
  ],
  [
    '$and belongs to its surroundings',
    { $and: [{ number: 1 }, { text: 'a' }] },
    [['equality number', 'equality text']],
  ],
])('%s', (_rule, wire, groups) => {
  const found = indexable(parseWhere(wire), (field) => TYPES[field])
  expect(found.map((group) => group.map(({ use, path }) => `${use} ${path.join('.')}`))).toEqual(groups)
})
