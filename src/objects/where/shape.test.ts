import { expect, it } from 'vitest'
import { parseWhereParameter } from '../query-parameters.ts'
import { describeOrder, shapeOf } from './shape.ts'

const shape = (where: unknown) => shapeOf(parseWhereParameter(JSON.stringify(where))!)

it.each<[where: unknown, shape: RegExp]>([
  [{ status: 'secret', score: { $gt: 12345 } }, /^status = \? and score > \?$/],
  [{ $or: [{ a: 12345 }, { b: { $in: ['secret'] }, c: 1 }] }, /^a = \? or \(b in \(\?\) and c = \?\)$/],
  [{ name: { $regex: '^secret' } }, /^name matches \^\?$/],
  [{ name: { $ne: 'secret' } }, /^not \(name = \?\)$/],
  [{ author: { $inQuery: { className: 'A', where: { name: 'secret' } } } }, /^author in query \(name = \?\)$/],
  [{ tags: { $size: 12345 } }, /^tags has \? elements$/],
])('describes %j without its values', (where, expected) => {
  expect(shape(where)).toMatch(expected)
  expect(shape(where)).not.toMatch(/secret|12345/)
})

it('truncates a condition of very many parts', () => {
  const where = { $or: Array.from({ length: 1900 }, (_, n) => ({ [`field${n}`]: n })) }
  expect(shape(where).length).toBeLessThanOrEqual(300)
  expect(shape(where)).toContain('…')
})

it('describes an order by its keys', () => {
  expect(
    describeOrder([
      { path: ['a', 'b'], descending: true },
      { path: ['c'], descending: false },
    ]),
  ).toBe('-a.b,c')
})
