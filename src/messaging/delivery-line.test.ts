import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { DeliveryLine } from './delivery-line.ts'

/** A line in which each one takes a quarter of a millisecond, so 16 of them the time of a turn. */
function makeLine() {
  const told: number[] = []
  const line = new DeliveryLine<number>(() => told.length / 4)
  const add = (from: number, to: number) =>
    line.add(Array.from({ length: to - from }, (_, index) => from + index).values(), (one) => told.push(one))
  return { told, add }
}

const upTo = (end: number) => Array.from({ length: end }, (_, index) => index)

it('tells receivers at once, for so long in a turn of the event loop', async () => {
  const { told, add } = makeLine()
  add(0, 2)
  expect(told).toEqual(upTo(2))
  add(2, 40)
  add(40, 41)
  expect(told).toEqual(upTo(16))
  await nextTurn()
  expect(told).toEqual(upTo(32))
  // Behind what waits.
  add(41, 42)
  expect(told).toEqual(upTo(32))
  await nextTurn()
  expect(told).toEqual(upTo(42))
  await nextTurn()
  add(42, 43)
  expect(told).toEqual(upTo(43))
})

it('goes on when telling one tells others', async () => {
  const line = new DeliveryLine<string>()
  const told: string[] = []
  line.add(['a', 'b'].values(), (receiver) => {
    told.push(receiver)
    line.add([`${receiver} again`].values(), (again) => told.push(again))
  })
  await nextTurn()
  expect(told.toSorted()).toEqual(['a', 'a again', 'b', 'b again'])
})
