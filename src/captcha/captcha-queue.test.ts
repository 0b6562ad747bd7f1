import { expect, it } from 'vitest'
import type { Principal } from '../scheduling/principal.ts'
import { captchaQueue, drawQueued } from './captcha-queue.ts'

const at = (address: string): Principal => ({ app: 'app', address, user: '' })
const queue = captchaQueue()
const draw = (principal: Principal) => drawQueued(queue, '2345', 60, 30, principal)

it('draws one image per iteration of the event loop, and alternates between addresses', async () => {
  let loops = 0
  let done = false
  const count = () => {
    loops++
    if (!done) setImmediate(count)
  }
  setImmediate(count)
  const order: string[] = []
  const requests = [...Array.from({ length: 20 }, () => 'greedy'), 'modest']
  await Promise.all(requests.map((address) => draw(at(address)).then(() => order.push(address))))
  done = true
  expect(order.indexOf('modest')).toBeLessThanOrEqual(2)
  expect(loops).toBeGreaterThanOrEqual(requests.length - 1)
})

it('rejects too many at one address, and serves other addresses', async () => {
  // The slot of the last image is released in the next iteration of the event loop.
  await new Promise(setImmediate)
  const many = Array.from({ length: 210 }, () => draw(at('greedy')))
  const other = draw(at('modest'))
  const outcomes = await Promise.allSettled(many)
  const refused = outcomes.filter(({ status }) => status === 'rejected')
  expect(refused).toHaveLength(9)
  expect(refused[0]).toMatchObject({ reason: { status: 429 } })
  expect((await other).subarray(1, 4).toString()).toBe('PNG')
})
