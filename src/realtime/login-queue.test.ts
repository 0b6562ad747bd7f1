import { expect, it } from 'vitest'
import { LoginQueue } from './login-queue.ts'

const nextIteration = () => new Promise((resolve) => setImmediate(resolve))

/** Works for longer than the time slice of logins. */
function work(): void {
  const end = performance.now() + 2
  while (performance.now() < end);
}

const handshake = (begin: () => void) => ({ address: '192.0.2.1', begin, refuse: () => {} })

it('yields between two slow logins, and runs logins before handshakes', async () => {
  const queue = new LoginQueue()
  const order: string[] = []
  const take = (name: string) => () => {
    work()
    order.push(name)
  }
  for (const name of ['first', 'second']) queue.shakeHands(handshake(take(name)))
  const login = queue.logIn(async () => take('login')())
  while (order.filter((name) => name !== 'others').length < 3) {
    await nextIteration()
    order.push('others')
  }
  await login
  expect(order.filter((name) => name !== 'others')).toEqual(['login', 'first', 'second'])
  expect(order.join(' ')).not.toMatch(/login first|first second/)
})

it('runs many fast ones in one iteration', async () => {
  const queue = new LoginQueue()
  let begun = 0
  for (let count = 0; count < 20; count++) queue.shakeHands(handshake(() => begun++))
  await nextIteration()
  await nextIteration()
  expect(begun).toBe(20)
})

it('runs at most 200 logins at once; the others wait with the handshakes until one has ended, whatever its outcome', async () => {
  const queue = new LoginQueue()
  const ends: (() => void)[] = []
  const outcomes: string[] = []
  const logins = Array.from({ length: 202 }, (_, index) =>
    queue
      .logIn(
        () =>
          new Promise((resolve, reject) => {
            ends.push(index === 0 ? () => reject(new Error('it failed')) : resolve)
          }),
      )
      .then(
        () => outcomes.push('in'),
        (error: Error) => outcomes.push(error.message),
      ),
  )
  let handshakes = 0
  queue.shakeHands(handshake(() => handshakes++))
  const begun = async () => {
    for (let iterations = 0; iterations < 5; iterations++) await nextIteration()
    return ends.length
  }
  // On a slow machine one iteration may not suffice for all of them.
  await expect.poll(() => ends.length).toBe(200)
  expect([await begun(), handshakes]).toEqual([200, 0])
  ends[0]!()
  expect([await begun(), handshakes, outcomes]).toEqual([201, 0, ['it failed']])
  ends[1]!()
  ends[2]!()
  expect([await begun(), handshakes]).toEqual([202, 1])
  for (const end of ends) end()
  await Promise.all(logins)
})
