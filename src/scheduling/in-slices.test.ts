import { setImmediate as nextTick } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { FairSemaphore } from './fair-semaphore.ts'
import { inSlices, openSliceQueues } from './in-slices.ts'
import type { Principal } from './principal.ts'

const { requests, background } = openSliceQueues()
const principal = (address: string): Principal => ({ app: 'slices', address, user: '' })

/** Steps that take half a millisecond each. */
function* busy(steps: number, did: () => void = () => {}): Generator<undefined, string, undefined> {
  for (let step = 0; step < steps; step++) {
    const until = performance.now() + 0.5
    while (performance.now() < until);
    did()
    yield
  }
  return 'done'
}

function* quick(): Generator<undefined, string, undefined> {
  yield
  return 'done'
}

it('does short work at once', async () => {
  const ticks = countTicks()
  for (let n = 0; n < 100; n++) expect(await inSlices(requests, principal('short'), quick())).toBe('done')
  expect(ticks.stop()).toBeLessThan(20)
})

it.each([
  ['of requests', requests],
  ['in the background', background],
])('lets the event loop run between slices of long work %s', async (_, queue) => {
  const ticks = countTicks()
  expect(await inSlices(queue, principal('long'), busy(200))).toBe('done')
  // 100 ms in slices of at most 3.5 ms.
  expect(ticks.stop()).toBeGreaterThan(20)
})

it('alternates between addresses, however much work one of them has', async () => {
  const done: string[] = []
  const jobs = Array.from({ length: 20 }, () =>
    inSlices(requests, principal('many'), busy(40)).then(() => done.push('many')),
  )
  const one = inSlices(requests, principal('one'), busy(40)).then(() => done.push('one'))
  await one
  expect(done.length).toBeLessThan(5)
  await Promise.all(jobs)
})

it('refuses work of an address that has too much waiting, and never refuses background work', async () => {
  const jobs = (count: number, queue: FairSemaphore) =>
    Promise.allSettled(Array.from({ length: count }, () => inSlices(queue, principal('flood'), busy(2))))
  // An address may hold half of the 1000 waiting positions, as no other address is present.
  const settled = await jobs(530, requests)
  expect(settled.filter(({ status }) => status === 'rejected').length).toBeGreaterThan(20)
  expect(settled.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { status: 429 } })
  expect((await jobs(130, background)).every(({ status }) => status === 'fulfilled')).toBe(true)
})

it('rethrows an error of the steps, and continues with other work', async () => {
  function* broken(): Generator<undefined, string, undefined> {
    yield* busy(20)
    throw new Error('broken')
  }
  await expect(inSlices(requests, principal('a'), broken())).rejects.toThrow('broken')
  expect(await inSlices(requests, principal('a'), busy(20))).toBe('done')
})

function countTicks() {
  let ticks = 0
  let stopped = false
  void (async () => {
    while (!stopped) {
      await nextTick()
      ticks++
    }
  })()
  return {
    stop: () => {
      stopped = true
      return ticks
    },
  }
}
