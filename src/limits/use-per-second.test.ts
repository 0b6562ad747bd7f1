import { expect, it } from 'vitest'
import { UsePerSecond } from './use-per-second.ts'

function makeUse(maxKnown = 10) {
  const clock = { now: 1000 }
  return { clock, use: new UsePerSecond(maxKnown, () => clock.now) }
}

it('counts by principal in this second, and remembers the previous one', () => {
  const { clock, use } = makeUse()
  use.note('a', 2)
  use.note('a', 3)
  use.note('b', 1)
  expect([use.of('a'), use.of('b'), use.of('c')]).toEqual([5, 1, undefined])
  expect(use.totalBefore).toBe(0)
  clock.now = 2000
  expect(use.of('a')).toBeUndefined()
  expect([use.totalBefore, [...use.before]]).toEqual([
    6,
    [
      ['a', 5],
      ['b', 1],
    ],
  ])
  clock.now = 4000
  expect([use.totalBefore, use.before.size]).toEqual([0, 0])
})

it('reports a lone principal while no other used anything in this second or the previous one', () => {
  const { clock, use } = makeUse()
  use.note('one', 1)
  expect(use.isOfOne).toBe(true)
  use.note('other', 1)
  expect(use.isOfOne).toBe(false)
  clock.now += 1000
  use.note('one', 1)
  expect(use.isOfOne).toBe(false)
  clock.now += 1000
  use.note('one', 1)
  expect(use.isOfOne).toBe(true)
})

it('counts a bounded number of principals separately, and the total of all', () => {
  const { clock, use } = makeUse(2)
  for (const who of ['a', 'b', 'c', 'd']) use.note(who, 1)
  expect([use.of('a'), use.of('b'), use.of('c')]).toEqual([1, 1, undefined])
  clock.now += 1000
  expect(use.totalBefore).toBe(4)
})
