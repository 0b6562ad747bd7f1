import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { TtlCache } from './ttl-cache.ts'

// Time passes only when a test advances it.
beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('keeps a value for its time', () => {
  const cache = new TtlCache<string>({ age: 1000, size: 10 })
  cache.set('a', 'one')
  vi.advanceTimersByTime(999)
  expect(cache.get('a')).toBe('one')
  vi.advanceTimersByTime(1)
  expect(cache.get('a')).toBeUndefined()
})

it('evicts the oldest value when it is full', () => {
  const cache = new TtlCache<number>({ age: 1000, size: 2 })
  for (const [number, key] of ['a', 'b', 'a', 'c'].entries()) cache.set(key, number)
  expect(['a', 'b', 'c'].map((key) => cache.get(key))).toEqual([2, undefined, 3])
})

it('evicts as many of the oldest values as a heavy value needs, and keeps no value heavier than the cache', () => {
  const cache = new TtlCache<string>({ age: 1000, size: 10, weigh: (value) => value.length })
  for (const key of ['a', 'b', 'c']) cache.set(key, 'xxx')
  cache.set('d', 'xxxxx')
  expect(['a', 'b', 'c', 'd'].map((key) => cache.get(key))).toEqual([undefined, undefined, 'xxx', 'xxxxx'])
  cache.delete('c')
  cache.set('e', 'xxxxx')
  expect(['d', 'e'].map((key) => cache.get(key))).toEqual(['xxxxx', 'xxxxx'])
  cache.set('e', 'xxxxxxxxxxx')
  expect(['d', 'e'].map((key) => cache.get(key))).toEqual(['xxxxx', undefined])
})

it('deletes one value, or all', () => {
  const cache = new TtlCache<number>({ age: 1000, size: 5 })
  for (const key of ['a', 'b', 'c']) cache.set(key, 1)
  cache.delete('a')
  expect([cache.get('a'), cache.get('b')]).toEqual([undefined, 1])
  cache.clear()
  expect(cache.get('b')).toBeUndefined()
})

it('deletes all values of a group, but not those that have left it', () => {
  const cache = new TtlCache<string>({ age: 1000, size: 4, groupOf: (value) => value[0]! })
  for (const [key, value] of Object.entries({ a: 'x1', b: 'x2', c: 'y1', d: 'x3' })) cache.set(key, value)
  cache.set('b', 'y2')
  cache.set('e', 'x4')
  cache.deleteGroup('x')
  cache.deleteGroup('z')
  expect(['a', 'b', 'c', 'd', 'e'].map((key) => cache.get(key))).toEqual([undefined, 'y2', 'y1', undefined, undefined])
  cache.clear()
  cache.set('a', 'x5')
  cache.deleteGroup('y')
  expect(cache.get('a')).toBe('x5')
})
