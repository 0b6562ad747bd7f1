import { expect, it } from 'vitest'
import { recur } from './recurring.ts'

it('repeats the work, also after a failure, until it is ended', async () => {
  const reasons: string[] = []
  let times = 0
  const end = recur(
    async () => {
      if (++times === 1) throw new Error('not yet')
    },
    { delay: 0, interval: 1, failed: (reason) => void reasons.push(reason) },
  )
  await expect.poll(() => times).toBeGreaterThan(2)
  end()
  const then = times
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(times).toBe(then)
  expect(reasons).toEqual(['not yet'])
})

it('never runs the work twice at once', async () => {
  let under = 0
  let max = 0
  let times = 0
  const end = recur(
    async () => {
      max = Math.max(max, ++under)
      await new Promise((resolve) => setTimeout(resolve, 10))
      under--
      times++
    },
    { delay: 0, interval: 0, failed: () => {} },
  )
  await expect.poll(() => times).toBeGreaterThan(2)
  end()
  expect(max).toBe(1)
})

it('aborts the running work when it is ended, and ignores its failure', async () => {
  const reasons: string[] = []
  let signal: AbortSignal | undefined
  const end = recur(
    async (given) => {
      signal = given
      await new Promise((_, reject) => given.addEventListener('abort', () => reject(new Error('ended'))))
    },
    { delay: 0, interval: 1, failed: (reason) => void reasons.push(reason) },
  )
  await expect.poll(() => signal).toBeDefined()
  end()
  await new Promise((resolve) => setTimeout(resolve, 10))
  expect(reasons).toEqual([])
})
