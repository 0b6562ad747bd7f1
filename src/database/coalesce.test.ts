import { expect, it } from 'vitest'
import { type CoalesceOptions, coalesce } from './coalesce.ts'

/** Coalesced work whose runs end when the test ends them. */
function controlled(limits: CoalesceOptions) {
  const runs: { items: readonly number[]; end: () => void; fail: () => void }[] = []
  const add = coalesce<number, number>(
    (items) =>
      new Promise((resolve, reject) => {
        runs.push({
          items,
          end: () =>
            resolve(items.map((item) => (item < 0 ? { error: new Error(`bad ${item}`) } : { result: item * 2 }))),
          fail: () => reject(new Error('all')),
        })
      }),
    limits,
  )
  return { runs, add }
}

const nextIteration = () => new Promise((resolve) => setImmediate(resolve))

it('runs items of one iteration together, and items that arrive meanwhile in the next run', async () => {
  const { runs, add } = controlled({ atOnce: 1, size: 10 })
  const first = [add(1), add(2)]
  await nextIteration()
  const second = [add(3), add(4)]
  await nextIteration()
  expect(runs.map((run) => run.items)).toEqual([[1, 2]])
  runs[0]!.end()
  expect(await Promise.all(first)).toEqual([2, 4])
  await nextIteration()
  expect(runs[1]!.items).toEqual([3, 4])
  runs[1]!.end()
  expect(await Promise.all(second)).toEqual([6, 8])
})

it('puts at most `size` items into a run, with at most `atOnce` runs at a time', async () => {
  const { runs, add } = controlled({ atOnce: 2, size: 2 })
  const all = Promise.all([1, 2, 3, 4, 5].map((item) => add(item)))
  for (let iterations = 0; iterations < 4; iterations++) await nextIteration()
  expect(runs.map((run) => run.items)).toEqual([
    [1, 2],
    [3, 4],
  ])
  for (const run of runs.slice()) run.end()
  for (let iterations = 0; iterations < 4; iterations++) await nextIteration()
  expect(runs[2]!.items).toEqual([5])
  runs[2]!.end()
  expect(await all).toEqual([2, 4, 6, 8, 10])
})

it('fails a single item alone, fails all items of a run that throws, and continues', async () => {
  const { runs, add } = controlled({ atOnce: 1, size: 10 })
  const mixed = Promise.allSettled([add(1), add(-1)])
  await nextIteration()
  runs[0]!.end()
  expect((await mixed).map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
  const failing = Promise.allSettled([add(1), add(2)])
  await nextIteration()
  runs[1]!.fail()
  expect((await failing).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  const last = add(7)
  await nextIteration()
  runs[2]!.end()
  expect(await last).toBe(14)
})

it('starts partial runs at most once per interval, and full runs at once', async () => {
  const { runs, add } = controlled({ atOnce: 2, size: 3, interval: 20 })
  const began = performance.now()
  const all = [add(1)]
  await nextIteration()
  all.push(add(2))
  await nextIteration()
  all.push(add(3))
  expect(runs.map((run) => run.items)).toEqual([[1]])
  await expect.poll(() => runs.length).toBe(2)
  // Timers may fire early by a fraction of a millisecond.
  expect(performance.now() - began).toBeGreaterThan(19)
  expect(runs[1]!.items).toEqual([2, 3])
  for (const run of runs) run.end()
  await Promise.all(all)
  all.push(...[4, 5, 6].map((item) => add(item)))
  await nextIteration()
  expect(runs[2]?.items).toEqual([4, 5, 6])
  runs[2]!.end()
  expect(await Promise.all(all)).toEqual([2, 4, 6, 8, 10, 12])
})
