import { expect, it } from 'vitest'
import type { JsonObject } from '../values/json.ts'
import { canonicalCondition, parseCondition } from './condition.ts'
import { ConditionIndex } from './condition-index.ts'
import { type LiveQuery, liveQuery } from './live-query.ts'

const time = '2026-01-01T00:00:00.000Z'
const object = (data: JsonObject) => ({ id: 'i', createdAt: time, updatedAt: time, data })

function query(subscriberId: string, where: JsonObject): LiveQuery {
  const condition = canonicalCondition(where)
  const identity = { subscriberId, className: 'C', condition, userId: null, withAcl: false }
  return liveQuery(identity, parseCondition(condition))
}

/** How many queries an object is tested against. */
const tested = (index: ConditionIndex, data: JsonObject) => [...index.candidates(null, object(data))].length

it('tests an object against the queries for its values, not against all', () => {
  const index = new ConditionIndex()
  for (let n = 0; n < 1000; n++) index.add(query(`s${n}`, { room: `room ${n % 100}`, level: { $gt: 1 } }))
  expect(tested(index, { room: 'room 7' })).toBe(10)
  expect(tested(index, { room: ['room 7', 'room 8'] })).toBe(20)
  expect(tested(index, { room: 'nowhere' })).toBe(0)
})

it('uses the most selective of several equalities', () => {
  const index = new ConditionIndex()
  for (let n = 0; n < 100; n++)
    index.add(query(`s${n}`, { open: true, owner: `owner ${n}`, kind: 'invoice of a customer' }))
  expect(tested(index, { open: true, owner: 'owner 5', kind: 'invoice of a customer' })).toBeLessThanOrEqual(2)
})

it('finds a short list by each of its values', () => {
  const index = new ConditionIndex()
  index.add(query('s', { tag: { $in: ['a', 'b'] } }))
  expect(['a', 'b', 'c'].map((tag) => tested(index, { tag }))).toEqual([1, 1, 0])
})

it('always tests conditions that objects without the field could meet', () => {
  const index = new ConditionIndex()
  for (const where of [{ a: null }, { a: { $in: [1, null] } }, { a: { $ne: 1 } }, { $or: [{ a: 1 }, { b: 1 }] }, {}])
    index.add(query('s', where))
  expect(tested(index, {})).toBe(5)
})

it('is empty after everything has been removed', () => {
  const index = new ConditionIndex()
  const queries = [query('s', { a: 1 }), query('s', { a: { $in: [1, 2] } }), query('s', {})]
  for (const one of queries) index.add(one)
  for (const one of queries) index.remove(one)
  expect([index.size, tested(index, { a: 1 })]).toEqual([0, 0])
})
