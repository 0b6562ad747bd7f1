import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { LoopSlicer } from './loop-slicer.ts'

const numbers = (name: string, from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => `${name}${from + n}`)

it('of an address so much begins in a turn, in its order, and others do not wait for the rest', async () => {
  const turns = new LoopSlicer(64, () => 0)
  const begun: string[] = []
  const send = (address: string, from: number, to: number) => {
    for (const name of numbers(address, from, to)) {
      const begin = () => void begun.push(name)
      if (turns.take(address)) begin()
      else turns.wait(address, begin)
    }
  }
  send('a', 0, 150)
  send('b', 0, 2)
  expect(begun.splice(0)).toEqual([...numbers('a', 0, 64), 'b0', 'b1'])
  await nextTurn()
  expect(begun.splice(0)).toEqual(numbers('a', 64, 128))
  // What comes meanwhile waits behind what waits already.
  send('a', 150, 160)
  send('b', 2, 3)
  expect(begun.splice(0)).toEqual(['b2'])
  await nextTurn()
  expect(begun.splice(0)).toEqual(numbers('a', 128, 160))
  await nextTurn()
  send('a', 160, 161)
  expect(begun).toEqual(['a160'])
})

it('less begins in a turn where turns are long, and more again when they are not', async () => {
  let now = 0
  let cost = 4
  const turns = new LoopSlicer(16, () => now)
  let begun = 0
  const begin = () => {
    begun++
    now += cost
  }
  for (let n = 0; n < 100; n++) {
    if (turns.take('a')) begin()
    else turns.wait('a', begin)
  }
  const perTurn = async () => {
    const before = begun
    await nextTurn()
    return begun - before
  }
  expect(begun).toBe(16)
  // 64 ms were eight times too long.
  expect([await perTurn(), await perTurn()]).toEqual([2, 4])
  expect([await perTurn(), await perTurn()]).toEqual([2, 4])
  // However long one takes, one begins.
  cost = 100
  await perTurn()
  expect([await perTurn(), await perTurn()]).toEqual([1, 1])
  cost = 0
  await perTurn()
  expect([await perTurn(), await perTurn(), await perTurn()]).toEqual([2, 4, 8])
})

it('turns are shorter once others come', async () => {
  let now = 0
  const turns = new LoopSlicer(16, () => now)
  let begun = 0
  const begin = () => {
    begun++
    now += 1
  }
  const send = (address: string, times: number) => {
    for (let n = 0; n < times; n++) {
      if (turns.take(address)) begin()
      else turns.wait(address, begin)
    }
  }
  send('a', 100)
  await nextTurn()
  // 16 ms were twice too long for one alone.
  expect(begun).toBe(16 + 8)
  send('b', 1)
  await nextTurn()
  expect(begun).toBe(16 + 8 + 1 + 3)
})
