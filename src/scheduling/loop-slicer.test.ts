import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { LoopSlicer } from './loop-slicer.ts'

const numbers = (name: string, from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => `${name}${from + n}`)

it('begins at most N units of an address in an iteration, in order, without delaying other addresses', async () => {
  const slicer = new LoopSlicer(64, () => 0)
  const begun: string[] = []
  const send = (address: string, from: number, to: number) => {
    for (const name of numbers(address, from, to)) {
      const begin = () => void begun.push(name)
      if (slicer.take(address)) begin()
      else slicer.wait(address, begin)
    }
  }
  send('a', 0, 150)
  send('b', 0, 2)
  expect(begun.splice(0)).toEqual([...numbers('a', 0, 64), 'b0', 'b1'])
  await nextTurn()
  expect(begun.splice(0)).toEqual(numbers('a', 64, 128))
  // Units that arrive meanwhile wait behind those already waiting.
  send('a', 150, 160)
  send('b', 2, 3)
  expect(begun.splice(0)).toEqual(['b2'])
  await nextTurn()
  expect(begun.splice(0)).toEqual(numbers('a', 128, 160))
  await nextTurn()
  send('a', 160, 161)
  expect(begun).toEqual(['a160'])
})

it('begins fewer units in an iteration after a long one, and more again after short ones', async () => {
  let now = 0
  let cost = 4
  const slicer = new LoopSlicer(16, () => now)
  let begun = 0
  const begin = () => {
    begun++
    now += cost
  }
  for (let n = 0; n < 100; n++) {
    if (slicer.take('a')) begin()
    else slicer.wait('a', begin)
  }
  const perSlice = async () => {
    const before = begun
    await nextTurn()
    return begun - before
  }
  expect(begun).toBe(16)
  // 64 ms is eight times the maximum.
  expect([await perSlice(), await perSlice()]).toEqual([2, 4])
  expect([await perSlice(), await perSlice()]).toEqual([2, 4])
  // However long a unit takes, one begins in each iteration.
  cost = 100
  await perSlice()
  expect([await perSlice(), await perSlice()]).toEqual([1, 1])
  cost = 0
  await perSlice()
  expect([await perSlice(), await perSlice(), await perSlice()]).toEqual([2, 4, 8])
})

it('begins fewer units in an iteration once another address arrives', async () => {
  let now = 0
  const slicer = new LoopSlicer(16, () => now)
  let begun = 0
  const begin = () => {
    begun++
    now += 1
  }
  const send = (address: string, times: number) => {
    for (let n = 0; n < times; n++) {
      if (slicer.take(address)) begin()
      else slicer.wait(address, begin)
    }
  }
  send('a', 100)
  await nextTurn()
  // 16 ms is twice the maximum for a lone address.
  expect(begun).toBe(16 + 8)
  send('b', 1)
  await nextTurn()
  expect(begun).toBe(16 + 8 + 1 + 3)
})
