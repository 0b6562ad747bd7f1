import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { ClientsServed } from '../../scheduling/clients-served.ts'
import { ImportPace } from './import-pace.ts'

const AT_ONCE = { comes: Promise.resolve() }

/** Runs batches of so many imports together. @returns how many were worked at together, and what each was told */
async function together(pace: ImportPace, amount: number) {
  let now = 0
  let most = 0
  const told: boolean[] = []
  await Promise.all(
    Array.from({ length: amount }, () =>
      pace.keep(AT_ONCE, async (isNarrow) => {
        told.push(isNarrow)
        most = Math.max(most, ++now)
        await sleep(5)
        now--
      }),
    ),
  )
  return { most, told }
}

it('batches go side by side while no client asks for anything', async () => {
  let time = 0
  const served = new ClientsServed(() => time)
  expect(await together(new ImportPace(served), 3)).toEqual({ most: 3, told: [false, false, false] })
  served.note()
  time = 1000
  expect((await together(new ImportPace(served), 3)).most).toBe(3)
})

it('one batch of all imports is worked at while clients are served', async () => {
  const served = new ClientsServed(() => 0)
  served.note()
  expect(await together(new ImportPace(served), 3)).toEqual({ most: 1, told: [true, true, true] })
})

it('a batch that fails, or whose turn has not come, keeps none waiting', async () => {
  const pace = new ImportPace({ within: () => true })
  await expect(pace.keep(AT_ONCE, () => Promise.reject(new Error('refused')))).rejects.toThrow('refused')
  const endless = pace.keep({ comes: new Promise(() => {}) }, async () => 'never')
  expect(await Promise.race([endless, pace.keep(AT_ONCE, async () => 'written')])).toBe('written')
})
