import { setImmediate as nextIteration } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { TimeSlice } from './loop-slicer.ts'

/** Does units of work in slices. @returns the units done in each iteration */
async function work(units: number, bounds: { maxUnits?: number; checkEvery?: number; unitMs: number }) {
  let time = 0
  const done: number[] = []
  let left = units
  const proceed = () => {
    if (left === 0) return
    slice.open()
    let count = 0
    while (left > 0 && !slice.isOver) {
      slice.countUnit()
      time += bounds.unitMs
      left--
      count++
      slice.check()
    }
    done.push(count)
  }
  const slice = new TimeSlice({ maxMs: 4, now: () => time, ...bounds }, proceed)
  proceed()
  while (left > 0) await nextIteration()
  return done
}

it.each([
  { bounds: { maxUnits: 3, unitMs: 0 }, done: [3, 3, 3, 1] },
  { bounds: { unitMs: 1 }, done: [4, 4, 2] },
  { bounds: { unitMs: 100 }, done: [1, 1, 1, 1, 1, 1, 1, 1, 1, 1] },
  { bounds: { unitMs: 1, checkEvery: 5 }, done: [5, 5] },
  { bounds: { unitMs: 0 }, done: [10] },
])('does ten units in slices: $done with $bounds', async ({ bounds, done }) => {
  expect(await work(10, bounds)).toEqual(done)
})

it('calls for the next slice once per iteration, and only after an open one', async () => {
  let calls = 0
  const slice = new TimeSlice({ maxMs: 1 }, () => calls++)
  await nextIteration()
  expect(calls).toBe(0)
  slice.open()
  slice.open()
  slice.countUnit()
  await nextIteration()
  await nextIteration()
  expect(calls).toBe(1)
})

it('lets other immediates run between two slices', async () => {
  const order: string[] = []
  const slice = new TimeSlice({ maxMs: 1 }, () => {
    order.push('slice')
    if (order.length < 6) slice.open()
  })
  slice.open()
  while (order.length < 6) {
    await nextIteration()
    order.push('other')
  }
  expect(order.join(' ')).not.toContain('slice slice')
})
