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

function turnsOf(slots: number, options: Partial<SemaphoreOptions> = {}): FairSemaphore {
  return new FairSemaphore({ slots, waiting: WAITING, timeoutMs: 5000, ...options })
}

function principal(app: string, address: string, user = ''): Principal {
  return { app, address, user }
}

/** Lets principals acquire slots, and records them in the order in which they acquired one. */
function stage(turns: FairSemaphore) {
  const begun: Principal[] = []
  const refused: { principal: Principal; status: number }[] = []
  return {
    begun,
    refused,
    arrive(who: Principal, times = 1) {
      for (let time = 0; time < times; time++) {
        const wait = turns.acquire(who)
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
      turns.release(who)
      await vi.advanceTimersByTimeAsync(0)
    },
    count: (who: Principal) => begun.filter((other) => other === who).length,
  }
}

it('grants a lone principal all slots but one, and that one to another principal at once', () => {
  const turns = turnsOf(8)
  const all = stage(turns)
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
  expect(turns.running).toBe(8)
})

it('limits an address to half of the slots once another address has arrived, however much of its work completes', async () => {
  const turns = turnsOf(8)
  const all = stage(turns)
  const [attacker, honest] = [principal('a', '192.0.2.1'), principal('a', '192.0.2.2')]
  all.arrive(honest)
  await all.end(honest)
  all.arrive(attacker, 40)
  // Its only user leaves one of these four slots to other users of the address.
  expect(turns.running).toBe(3)
  for (let done = 0; done < 20; done++) {
    await all.end(attacker)
    expect(turns.running).toBe(3)
    all.arrive(honest)
    expect(all.count(honest)).toBe(done + 2)
    await all.end(honest)
  }
})

it('lifts the limit of an address when no other address has arrived for ten seconds', async () => {
  const turns = turnsOf(8, { timeoutMs: 60_000 })
  const all = stage(turns)
  const [attacker, honest] = [principal('a', '192.0.2.1'), principal('a', '192.0.2.2')]
  all.arrive(honest)
  await all.end(honest)
  all.arrive(attacker, 40)
  expect(turns.running).toBe(3)
  await vi.advanceTimersByTimeAsync(10_001)
  await all.end(attacker)
  expect(turns.running).toBe(6)
})

it('limits an app to three quarters of the slots while another app is present', async () => {
  const turns = turnsOf(8)
  const all = stage(turns)
  const other = principal('b', '192.0.2.9')
  all.arrive(other)
  await all.end(other)
  for (let address = 1; address <= 20; address++) all.arrive(principal('a', `192.0.2.${address}`), 4)
  expect(turns.running).toBe(6)
  all.arrive(other)
  expect(all.count(other)).toBe(2)
})

it('counts the slots of a user over all its addresses', () => {
  const turns = turnsOf(8)
  const all = stage(turns)
  for (let address = 1; address <= 20; address++) all.arrive(principal('a', `192.0.2.${address}`, 'mallory'), 2)
  // The first acquire was uncontended. From the second on, an address may hold half of the slots and a user one less.
  expect(turns.running).toBe(3)
})

it('counts anonymous callers of different addresses as different users', () => {
  const turns = turnsOf(8)
  const all = stage(turns)
  for (let address = 1; address <= 20; address++) all.arrive(principal('a', `192.0.2.${address}`))
  expect(turns.running).toBe(8)
})

it('alternates between apps, addresses and users', async () => {
  const turns = turnsOf(1)
  const all = stage(turns)
  const first = principal('z', '192.0.2.100')
  all.arrive(first)
  const many = principal('a', '192.0.2.1', 'u1')
  const neighbour = principal('a', '192.0.2.1', 'u2')
  const elsewhere = principal('a', '192.0.2.2', 'u3')
  const foreign = principal('b', '192.0.2.1', 'u4')
  all.arrive(many, 6)
  all.arrive(neighbour, 2)
  all.arrive(elsewhere, 2)
  all.arrive(foreign, 3)
  let running = first
  const order: Principal[] = []
  for (let turn = 0; turn < 13; turn++) {
    await all.end(running)
    running = all.begun.at(-1)!
    order.push(running)
  }
  expect(order).toEqual([
    ...[many, foreign, elsewhere, foreign, neighbour, foreign],
    ...[elsewhere, many, neighbour, many, many, many, many],
  ])
  expect(turns.waiting).toBe(0)
})

it('grants a single slot to principals in rotation', async () => {
  const turns = turnsOf(1)
  const all = stage(turns)
  const [attacker, honest] = [principal('a', '192.0.2.1'), principal('a', '192.0.2.2')]
  all.arrive(attacker, 40)
  all.arrive(honest, 2)
  for (const expected of [0, 1, 1, 2]) {
    await all.end(all.begun.at(-1)!)
    expect(all.count(honest)).toBe(expected)
  }
})

it('applies no address share to work without an address', () => {
  const turns = turnsOf(8)
  const all = stage(turns)
  all.arrive(principal('a', ''), 8)
  expect(turns.running).toBe(8)
})

it('refuses with 429 when an address or an app has too many waiting, and with 503 when all have', async () => {
  const turns = turnsOf(2)
  const all = stage(turns)
  all.arrive(principal('a', '192.0.2.1'), 60)
  all.arrive(principal('a', '192.0.2.2'), 60)
  all.arrive(principal('b', '192.0.2.3'), 60)
  await vi.advanceTimersByTimeAsync(0)
  expect(turns.running).toBe(2)
  expect(turns.waiting).toBe(100)
  const statuses = (address: string) =>
    new Set(all.refused.filter((one) => one.principal.address === address).map((one) => one.status))
  expect(statuses('192.0.2.1')).toEqual(new Set([429]))
  expect(statuses('192.0.2.2')).toEqual(new Set([429]))
  expect(statuses('192.0.2.3')).toEqual(new Set([503]))
})

it("times out with 429 when the principal's own share is full, and with 503 when all slots are taken", async () => {
  const turns = turnsOf(4)
  const all = stage(turns)
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
  expect(turns.waiting).toBe(0)
})

it('removes a client that disconnects from the queue', async () => {
  const turns = turnsOf(1)
  const all = stage(turns)
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
  expect(turns.waiting).toBe(2)
  leave()
  await vi.advanceTimersByTimeAsync(0)
  expect(turns.waiting).toBe(1)
  expect(listening).toBe(0)
  await all.end(other)
  expect(all.count(other)).toBe(2)
  expect(all.count(leaving)).toBe(0)
})

it('grants fewer slots after `slots` is lowered, and more at once after it is raised', async () => {
  const turns = turnsOf(4)
  const all = stage(turns)
  const server = principal('', '')
  all.arrive(server, 6)
  expect(turns.running).toBe(4)
  turns.slots = 2
  for (let ended = 0; ended < 3; ended++) await all.end(server)
  expect(turns.running).toBe(2)
  turns.slots = 4
  await vi.advanceTimersByTimeAsync(0)
  expect(turns.running).toBe(3)
  expect(turns.waiting).toBe(0)
})

it('refuses a principal with a `refusal` when its slot is free, and grants the slot to the next', async () => {
  const turns = turnsOf(1)
  const all = stage(turns)
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
  expect(turns).toMatchObject({ running: 0, waiting: 0 })
})
