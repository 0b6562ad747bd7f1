import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Remembered } from './remembered.ts'

// Time passes only where a test says so.
beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('keeps a value for its time', () => {
  const remembered = new Remembered<string>(1000, 10)
  remembered.set('a', 'one')
  vi.advanceTimersByTime(999)
  expect(remembered.get('a')).toBe('one')
  vi.advanceTimersByTime(1)
  expect(remembered.get('a')).toBeUndefined()
})

it('lets the oldest go when it is full', () => {
  const remembered = new Remembered<number>(1000, 2)
  for (const [number, key] of ['a', 'b', 'a', 'c'].entries()) remembered.set(key, number)
  expect(['a', 'b', 'c'].map((key) => remembered.get(key))).toEqual([2, undefined, 3])
})

it('lets as many of the oldest go as a heavy value needs, and keeps none that is too heavy by itself', () => {
  const remembered = new Remembered<string>(1000, 10, (value) => value.length)
  for (const key of ['a', 'b', 'c']) remembered.set(key, 'xxx')
  remembered.set('d', 'xxxxx')
  expect(['a', 'b', 'c', 'd'].map((key) => remembered.get(key))).toEqual([undefined, undefined, 'xxx', 'xxxxx'])
  remembered.delete('c')
  remembered.set('e', 'xxxxx')
  expect(['d', 'e'].map((key) => remembered.get(key))).toEqual(['xxxxx', 'xxxxx'])
  remembered.set('e', 'xxxxxxxxxxx')
  expect(['d', 'e'].map((key) => remembered.get(key))).toEqual(['xxxxx', undefined])
})

it('forgets one value, or all', () => {
  const remembered = new Remembered<number>(1000, 5)
  for (const key of ['a', 'b', 'c']) remembered.set(key, 1)
  remembered.delete('a')
  expect([remembered.get('a'), remembered.get('b')]).toEqual([undefined, 1])
  remembered.clear()
  expect(remembered.get('b')).toBeUndefined()
})
