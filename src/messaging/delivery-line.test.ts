import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { DeliveryLine } from './delivery-line.ts'

/** A line in which each one takes a quarter of a millisecond, so 16 of them the time of a turn. */
function makeLine() {
  const received: number[] = []
  const line = new DeliveryLine<number>(() => received.length / 4)
  const add = (from: number, to: number) =>
    line.add(Array.from({ length: to - from }, (_, index) => from + index).values(), (one) => received.push(one))
  return { received, add }
}

const upTo = (end: number) => Array.from({ length: end }, (_, index) => index)

it('tells receivers at once, for so long in a turn of the event loop', async () => {
  const { received, add } = makeLine()
  add(0, 2)
  expect(received).toEqual(upTo(2))
  add(2, 40)
  add(40, 41)
  expect(received).toEqual(upTo(16))
  await nextTurn()
  expect(received).toEqual(upTo(32))
  // Behind what waits.
  add(41, 42)
  expect(received).toEqual(upTo(32))
  await nextTurn()
  expect(received).toEqual(upTo(42))
  await nextTurn()
  add(42, 43)
  expect(received).toEqual(upTo(43))
})

it('goes on when telling one tells others', async () => {
  const line = new DeliveryLine<string>()
  const received: string[] = []
  line.add(['a', 'b'].values(), (receiver) => {
    received.push(receiver)
    line.add([`${receiver} again`].values(), (again) => received.push(again))
  })
  await nextTurn()
  expect(received.toSorted()).toEqual(['a', 'a again', 'b', 'b again'])
})
