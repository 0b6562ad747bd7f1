import { expect, it } from 'vitest'
import { measured } from './measured.ts'

/** A measurement whose results are given by the test. */
function measurement(options: { readonly timeoutMs?: number } = {}) {
  let now = 0
  const pending: ((value: number | Error) => void)[] = []
  const read = measured(
    () =>
      new Promise<number>((resolve, reject) => {
        pending.push((value) => (value instanceof Error ? reject(value) : resolve(value)))
      }),
    { maxAgeMs: 1000, now: () => now, timeoutMs: 60_000, ...options },
  )
  return {
    read,
    pending,
    pass(ms: number) {
      now += ms
    },
  }
}

it('measures once for all readers within the maximum age', async () => {
  const { read, pending, pass } = measurement()
  const readers = [read(), read(), read()]
  expect(pending).toHaveLength(1)
  pending[0]!(7)
  expect(await Promise.all(readers)).toEqual([7, 7, 7])
  pass(999)
  expect(await read()).toBe(7)
  expect(pending).toHaveLength(1)
  pass(1)
  const next = read()
  pending[1]!(8)
  expect(await next).toBe(8)
})

it('returns the previous value while a measurement takes too long, but not for ever', async () => {
  const { read, pending, pass } = measurement({ timeoutMs: 1 })
  expect(await read()).toBeNull()
  pending[0]!(7)
  expect(await read()).toBe(7)
  pass(1000)
  expect(await read()).toBe(7)
  expect(pending).toHaveLength(2)
  pass(9000)
  expect(await read()).toBeNull()
  expect(pending).toHaveLength(2)
})

it('tries a failed measurement again after the maximum age', async () => {
  const { read, pending, pass } = measurement()
  const first = read()
  pending[0]!(new Error('no database'))
  expect(await first).toBeNull()
  expect(await read()).toBeNull()
  expect(pending).toHaveLength(1)
  pass(1000)
  const next = read()
  pending[1]!(7)
  expect(await next).toBe(7)
})
