import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { ClientsServed } from '../../scheduling/clients-served.ts'
import { ImportPace } from './import-pace.ts'

const AT_ONCE = { ready: Promise.resolve() }

/** Runs batches of imports concurrently. @returns the maximum concurrency, and the mode passed to each batch */
async function together(pace: ImportPace, amount: number) {
  let now = 0
  let max = 0
  const narrow: boolean[] = []
  await Promise.all(
    Array.from({ length: amount }, () =>
      pace.keep(AT_ONCE, async (isNarrow) => {
        narrow.push(isNarrow)
        max = Math.max(max, ++now)
        await sleep(5)
        now--
      }),
    ),
  )
  return { max, narrow }
}

it('runs batches concurrently while no client sends requests', async () => {
  let time = 0
  const served = new ClientsServed(() => time)
  expect(await together(new ImportPace(served), 3)).toEqual({ max: 3, narrow: [false, false, false] })
  served.note()
  time = 1000
  expect((await together(new ImportPace(served), 3)).max).toBe(3)
})

it('runs one batch of all imports at a time while clients are served', async () => {
  const served = new ClientsServed(() => 0)
  served.note()
  expect(await together(new ImportPace(served), 3)).toEqual({ max: 1, narrow: [true, true, true] })
})

it('does not block other batches when a batch fails or is not next in its import', async () => {
  const pace = new ImportPace({ within: () => true })
  await expect(pace.keep(AT_ONCE, () => Promise.reject(new Error('refused')))).rejects.toThrow('refused')
  const endless = pace.keep({ ready: new Promise(() => {}) }, async () => 'never')
  expect(await Promise.race([endless, pace.keep(AT_ONCE, async () => 'written')])).toBe('written')
})
