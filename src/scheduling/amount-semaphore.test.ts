import fc from 'fast-check'
import { expect, it } from 'vitest'
import { AmountSemaphore } from './amount-semaphore.ts'

const SHARE = { guaranteed: 10, inAll: 100, times: 1 }

it('refuses an amount beyond the share of its address, and one beyond the total', () => {
  const semaphore = new AmountSemaphore({ ...SHARE, guaranteed: 60 })
  expect(semaphore.tryAcquire('a', 60)).toBe(null)
  expect(semaphore.tryAcquire('a', 1)).toBe('share')
  expect(semaphore.tryAcquire('b', 41)).toBe('total')
  expect(semaphore.tryAcquire('b', 40)).toBe(null)
  semaphore.release('a', 60)
  expect(semaphore.tryAcquire('a', 60)).toBe(null)
})

it('grants an address more while much is free', () => {
  const semaphore = new AmountSemaphore(SHARE)
  expect(semaphore.hasShare('a', 50)).toBe(true)
  expect(semaphore.tryAcquire('a', 51)).toBe('share')
  expect(semaphore.tryAcquire('a', 50)).toBe(null)
  expect(semaphore.tryAcquire('b', 26)).toBe('share')
  expect(semaphore.tryAcquire('b', 25)).toBe(null)
})

it('grants an amount of any size when only the caller itself holds any', () => {
  const semaphore = new AmountSemaphore(SHARE)
  expect(semaphore.tryAcquire('a', 500)).toBe('share')
  expect(semaphore.tryAcquire('a', 500, 0)).toBe(null)
  expect(semaphore.tryAcquire('a', 1, 0)).toBe('share')
  expect(semaphore.tryAcquire('b', 1, 0)).toBe('total')
  expect(semaphore.tryAcquire('a', 100, 500)).toBe(null)
})

it('holds exactly what was acquired and not released, never more than the total', () => {
  const step = fc.record({
    address: fc.constantFrom('a', 'b', 'c'),
    amount: fc.integer({ min: 1, max: 60 }),
    ends: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const semaphore = new AmountSemaphore(SHARE)
      const held: { address: string; amount: number }[] = []
      const sum = (of: (one: { address: string }) => boolean) =>
        held.filter(of).reduce((all, { amount }) => all + amount, 0)
      for (const { address, amount, ends } of steps) {
        const first = ends ? held.shift() : undefined
        if (first) semaphore.release(first.address, first.amount)
        else if (semaphore.tryAcquire(address, amount) === null) held.push({ address, amount })
        expect(semaphore.heldBy(address)).toBe(sum((one) => one.address === address))
        expect(sum(() => true)).toBeLessThanOrEqual(SHARE.inAll)
        expect(semaphore.isFree).toBe(held.length === 0)
      }
    }),
  )
})
