import { expect, it } from 'vitest'
import type { Principal } from './principal.ts'
import { SemaphoreByKey } from './semaphore-by-key.ts'

const ann: Principal = { app: 'app', address: '10.0.0.1', user: 'ann' }
const bob: Principal = { app: 'app', address: '10.0.0.2', user: 'bob' }

/** Work that lasts until the test ends it. */
function lasting() {
  let end: (outcome: string) => void = () => {}
  const lasts = new Promise<string>((resolve) => {
    end = resolve
  })
  return { end: (outcome: string) => end(outcome), work: () => lasts }
}

it('runs work of one key sequentially for all principals, and work of other keys concurrently', async () => {
  const semaphore = new SemaphoreByKey()
  const [first, second, other] = [lasting(), lasting(), lasting()]
  const order: string[] = []
  const noted = (key: string, principal: Principal, { work }: ReturnType<typeof lasting>, name: string) =>
    semaphore.run(key, principal, () => {
      order.push(name)
      return work()
    })
  const all = [noted('a', ann, first, 'first'), noted('a', bob, second, 'second'), noted('b', ann, other, 'other')]
  expect(order).toEqual(['first', 'other'])
  other.end('of others')
  first.end('one')
  expect(await all[0]).toBe('one')
  second.end('two')
  expect(await Promise.all(all)).toEqual(['one', 'two', 'of others'])
  expect(order).toEqual(['first', 'other', 'second'])
})

it('releases the slot after a failure', async () => {
  const semaphore = new SemaphoreByKey()
  const failing = semaphore.run('a', ann, () => Promise.reject(new Error('no')))
  const next = semaphore.run('a', ann, () => Promise.resolve('yes'))
  await expect(failing).rejects.toThrow('no')
  expect(await next).toBe('yes')
})

it('refuses more than 500 waiting for one key', async () => {
  const semaphore = new SemaphoreByKey()
  const held = lasting()
  const all = Array.from({ length: 502 }, () => semaphore.run('a', ann, held.work))
  await expect(all[501]).rejects.toMatchObject({ status: 429 })
  held.end('done')
  expect(await Promise.all(all.slice(0, 501))).toHaveLength(501)
})
