import { beforeEach, expect, it } from 'vitest'
import type { Directory } from './directory.ts'
import { localDirectory } from './local-directory.ts'

let directory: Directory

beforeEach(() => {
  directory = localDirectory()
})

it('lists a client as online from its first session to the end of its last, in its app only', async () => {
  directory.online('one', 'ann')
  directory.online('one', 'bob')
  directory.online('two', 'bob')
  directory.offline('one', 'bob')
  directory.offline('three', 'ann')
  expect(await directory.whoIsOnline('one', ['bob', 'ann', 'cleo'])).toEqual(new Set(['ann']))
  expect(await directory.whoIsOnline('two', ['bob', 'ann'])).toEqual(new Set(['bob']))
  expect(await directory.whoIsOnline('three', ['ann'])).toEqual(new Set())
  expect(await Promise.all(['one', 'two', 'three'].map((app) => directory.countOnline(app)))).toEqual([1, 1, 0])
})

it('returns the count that was set last, initially 0', async () => {
  expect(await directory.sumCount('one', 'room')).toBe(0)
  directory.setCount('one', 'room', 5)
  directory.setCount('one', 'room', 3)
  expect(await directory.sumCount('one', 'room')).toBe(3)
  expect(await directory.sumCount('two', 'room')).toBe(0)
  directory.setCount('one', 'room', 0)
  expect(await directory.sumCount('one', 'room')).toBe(0)
})

it('returns the previous holder of a name to its latest claim', async () => {
  expect(await directory.claim('one', 'ann web', 'first')).toBeNull()
  expect(await directory.claim('one', 'ann web', 'second')).toBe('first')
  expect(await directory.claim('one', 'ann web', 'second')).toBeNull()
  expect(await directory.claim('two', 'ann web', 'third')).toBeNull()
  expect(await directory.holder('one', 'ann web')).toBe('second')
})

it('releases a name for its current holder only', async () => {
  await directory.claim('one', 'ann web', 'first')
  await directory.claim('one', 'ann web', 'second')
  await directory.release('one', 'ann web', 'first')
  expect(await directory.holder('one', 'ann web')).toBe('second')
  await directory.release('one', 'ann web', 'second')
  expect(await directory.holder('one', 'ann web')).toBeNull()
})

it('returns no group members of other nodes, because there are none', async () => {
  directory.entered('one', 'room', 'ann')
  expect(await directory.someOnOtherNodes('one', 'room', 50)).toEqual([])
  directory.left('one', 'room', 'ann')
})
