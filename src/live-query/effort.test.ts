import { expect, it } from 'vitest'
import type { JsonObject } from '../values/json.ts'
import { parseCondition } from './condition.ts'
import { effortOf, stepsOf } from './effort.ts'

const whereOf = (wire: object) => parseCondition(JSON.stringify(wire)).where

it('increases the effort of a condition with the number of comparisons', () => {
  const effort = (wire: object) => effortOf(whereOf(wire))
  expect(effort({})).toBe(0)
  expect(effort({ a: 1 })).toBe(1)
  expect(effort({ a: { $in: Array.from({ length: 400 }, (_, n) => n) } })).toBe(101)
  expect(effort({ a: { $regex: 'a[bc]{2,50}' } })).toBeGreaterThan(50)
  expect(effort({ a: { $regex: `^\\Q${'x'.repeat(900)}\\E` } })).toBe(1)
})

it('counts the steps of a test by the compared values', () => {
  const steps = (wire: object, data: JsonObject) =>
    stepsOf(whereOf(wire), { id: 'a', createdAt: '', updatedAt: '', data })
  const data = { a: 'x'.repeat(10_000), b: 'y', c: Array.from({ length: 99 }, () => 'z') }
  expect(steps({ a: { $regex: '[ab]{99}' } }, data)).toBeGreaterThan(1_000_000)
  expect(steps({ b: { $regex: '[ab]{99}' } }, data)).toBeLessThan(100_000)
  expect(steps({ a: { $regex: 'x' } }, data)).toBe(10_000)
  expect(steps({ a: { $in: Array.from({ length: 400 }, (_, n) => n) } }, data)).toBeLessThan(300)
  expect(steps({ c: { $in: Array.from({ length: 400 }, (_, n) => n) } }, data)).toBe(101 * 101)
  expect(steps({ $or: [{ a: 1 }, { c: { $ne: 2 } }] }, data)).toBe(2 + 101)
})
