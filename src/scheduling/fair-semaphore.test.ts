import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { errors } from '../errors.ts'
import { FairSemaphore, type SemaphoreOptions } from './fair-semaphore.ts'
import type { Principal } from './principal.ts'

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
})

const WAITING = { atAddress: 50, ofApp: 80, inAll: 100 }

function semaphoreOf(slots: number, options: Partial<SemaphoreOptions> = {}): FairSemaphore {
  return new FairSemaphore({ slots, waiting: WAITING, timeoutMs: 5000, ...options })
}

function principal(app: string, address: string, user = ''): Principal {
  return { app, address, user }
}

/** Lets principals acquire slots, and records them in the order in which they acquired one. */
function stage(semaphore: FairSemaphore) {
  const begun: Principal[] = []
  const refused: { principal: Principal; status: number }[] = []
  return {
    begun,
    refused,
    arrive(who: Principal, times = 1) {
      for (let time = 0; time < times; time++) {
        const wait = semaphore.acquire(who)
        if (!wait) begun.push(who)
        else
          wait.then(
            () => begun.push(who),
            (error) => refused.push({ principal: who, status: error.status }),
          )
      }
    },
    /** Releases the slot of a principal. */
    async end(who: Principal) {
      semaphore.release(who)
      await vi.advanceTimersByTimeAsync(0)
    },
    count: (who: Principal) => begun.filter((other) => other === who).length,
  }
}

it('grants a lone principal all slots but one, and that one to another principal at once', () => {
  const semaphore = semaphoreOf(8)
  const all = stage(semaphore)
  const [one, two, other] = [
    principal('a', '192.0.2.1', 'u1'),
    principal('a', '192.0.2.1', 'u2'),
    principal('a', '192.0.2.2'),
  ]
  all.arrive(one, 20)
  expect(all.count(one)).toBe(6)
  all.arrive(two, 20)
  expect(all.count(two)).toBe(1)
  all.arrive(other)
  expect(all.count(other)).toBe(1)
  expect(semaphore.running).toBe(8)
})

it('limits an address to half of the slots once another address has arrived, however much of its work completes', async () => {
  const semaphore = semaphoreOf(8)
  const all = stage(semaphore)
  const [attacker, honest] = [principal('a', '192.0.2.1'), principal('a', '192.0.2.2')]
  all.arrive(honest)
  await all.end(honest)
  all.arrive(attacker, 40)
  // Its only user leaves one of these four slots to other users of the address.
  expect(semaphore.running).toBe(3)
  for (let done = 0; done < 20; done++) {
    await all.end(attacker)
    expect(semaphore.running).toBe(3)
    all.arrive(honest)
    expect(all.count(honest)).toBe(done + 2)
    await all.end(honest)
  }
})

it('lifts the limit of an address when no other address has arrived for ten seconds', async () => {
  const semaphore = semaphoreOf(8, { timeoutMs: 60_000 })
  const all = stage(semaphore)
  const [attacker, honest] = [principal('a', '192.0.2.1'), principal('a', '192.0.2.2')]
  all.arrive(honest)
  await all.end(honest)
  all.arrive(attacker, 40)
  expect(semaphore.running).toBe(3)
  await vi.advanceTimersByTimeAsync(10_001)
  await all.end(attacker)
  expect(semaphore.running).toBe(6)
})

it('limits an app to three quarters of the slots while another app is present', async () => {
  const semaphore = semaphoreOf(8)
  const all = stage(semaphore)
  const other = principal('b', '192.0.2.9')
  all.arrive(other)
  await all.end(other)
  for (let address = 1; address <= 20; address++) all.arrive(principal('a', `192.0.2.${address}`), 4)
  expect(semaphore.running).toBe(6)
  all.arrive(other)
  expect(all.count(other)).toBe(2)
})

it('counts the slots of a user over all its addresses', () => {
  const semaphore = semaphoreOf(8)
  const all = stage(semaphore)
  for (let address = 1; address <= 20; address++) all.arrive(principal('a', `192.0.2.${address}`, 'mallory'), 2)
  // The first acquire was uncontended. From the second on, an address may hold half of the slots and a user one less.
  expect(semaphore.running).toBe(3)
})

it('counts anonymous callers of different addresses as different users', () => {
  const semaphore = semaphoreOf(8)
  const all = stage(semaphore)
  for (let address = 1; address <= 20; address++) all.arrive(principal('a', `192.0.2.${address}`))
  expect(semaphore.running).toBe(8)
})

it('alternates between apps, addresses and users', async () => {
  const semaphore = semaphoreOf(1)
  const all = stage(semaphore)
  const first = principal('z', '192.0.2.100')
  all.arrive(first)
  const many = principal('a', '192.0.2.1', 'u1')
  const neighbour = principal('a', '192.0.2.1', 'u2')
  const otherAddress = principal('a', '192.0.2.2', 'u3')
  const foreign = principal('b', '192.0.2.1', 'u4')
  all.arrive(many, 6)
  all.arrive(neighbour, 2)
  all.arrive(otherAddress, 2)
  all.arrive(foreign, 3)
  let running = first
  const order: Principal[] = []
  for (let round = 0; round < 13; round++) {
    await all.end(running)
    running = all.begun.at(-1)!
    order.push(running)
  }
  expect(order).toEqual([
    ...[many, foreign, otherAddress, foreign, neighbour, foreign],
    ...[otherAddress, many, neighbour, many, many, many, many],
  ])
  expect(semaphore.waiting).toBe(0)
})

it('grants a single slot to principals in rotation', async () => {
  const semaphore = semaphoreOf(1)
  const all = stage(semaphore)
  const [attacker, honest] = [principal('a', '192.0.2.1'), principal('a', '192.0.2.2')]
  all.arrive(attacker, 40)
  all.arrive(honest, 2)
  for (const expected of [0, 1, 1, 2]) {
    await all.end(all.begun.at(-1)!)
    expect(all.count(honest)).toBe(expected)
  }
})

it('applies no address share to work without an address', () => {
  const semaphore = semaphoreOf(8)
  const all = stage(semaphore)
  all.arrive(principal('a', ''), 8)
  expect(semaphore.running).toBe(8)
})

it('refuses with 429 when an address or an app has too many waiting, and with 503 when all have', async () => {
  const semaphore = semaphoreOf(2)
  const all = stage(semaphore)
  all.arrive(principal('a', '192.0.2.1'), 60)
  all.arrive(principal('a', '192.0.2.2'), 60)
  all.arrive(principal('b', '192.0.2.3'), 60)
  await vi.advanceTimersByTimeAsync(0)
  expect(semaphore.running).toBe(2)
  expect(semaphore.waiting).toBe(100)
  const statuses = (address: string) =>
    new Set(all.refused.filter((one) => one.principal.address === address).map((one) => one.status))
  expect(statuses('192.0.2.1')).toEqual(new Set([429]))
  expect(statuses('192.0.2.2')).toEqual(new Set([429]))
  expect(statuses('192.0.2.3')).toEqual(new Set([503]))
})

it("times out with 429 when the principal's own share is full, and with 503 when all slots are taken", async () => {
  const semaphore = semaphoreOf(4)
  const all = stage(semaphore)
  const own = principal('a', '192.0.2.1')
  all.arrive(own, 4)
  await vi.advanceTimersByTimeAsync(5001)
  expect(all.refused).toEqual([
    { principal: own, status: 429 },
    { principal: own, status: 429 },
  ])
  for (const address of [2, 3, 4]) all.arrive(principal('a', `192.0.2.${address}`))
  await vi.advanceTimersByTimeAsync(5001)
  expect(all.refused.slice(2).map(({ status }) => status)).toEqual([503])
  expect(semaphore.waiting).toBe(0)
})

it('removes a client that disconnects from the queue', async () => {
  const semaphore = semaphoreOf(1)
  const all = stage(semaphore)
  let leave = () => {}
  let listening = 0
  const leaving: Principal = {
    ...principal('a', '192.0.2.1'),
    onDisconnect: (work) => {
      leave = work
      listening++
      return () => listening--
    },
  }
  const other = principal('a', '192.0.2.2')
  all.arrive(other)
  all.arrive(leaving)
  all.arrive(other)
  expect(semaphore.waiting).toBe(2)
  leave()
  await vi.advanceTimersByTimeAsync(0)
  expect(semaphore.waiting).toBe(1)
  expect(listening).toBe(0)
  await all.end(other)
  expect(all.count(other)).toBe(2)
  expect(all.count(leaving)).toBe(0)
})

it('grants fewer slots after `slots` is lowered, and more at once after it is raised', async () => {
  const semaphore = semaphoreOf(4)
  const all = stage(semaphore)
  const server = principal('', '')
  all.arrive(server, 6)
  expect(semaphore.running).toBe(4)
  semaphore.slots = 2
  for (let ended = 0; ended < 3; ended++) await all.end(server)
  expect(semaphore.running).toBe(2)
  semaphore.slots = 4
  await vi.advanceTimersByTimeAsync(0)
  expect(semaphore.running).toBe(3)
  expect(semaphore.waiting).toBe(0)
})

it('refuses a principal with a `refusal` when its slot is free, and grants the slot to the next', async () => {
  const semaphore = semaphoreOf(1)
  const all = stage(semaphore)
  let refusal: Error | undefined
  const unwanted: Principal = { ...principal('a', '192.0.2.1'), refusal: () => refusal }
  const [first, next] = [principal('a', '192.0.2.2'), principal('a', '192.0.2.3')]
  all.arrive(first)
  all.arrive(unwanted, 3)
  all.arrive(next)
  refusal = errors.tooManyRequests()
  await all.end(first)
  expect(all.refused).toEqual([{ principal: unwanted, status: 429 }])
  expect(all.count(next)).toBe(1)
  await all.end(next)
  expect(all.refused).toHaveLength(3)
  expect(semaphore).toMatchObject({ running: 0, waiting: 0 })
})
