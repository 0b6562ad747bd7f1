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

/** Has principals begin turns, and notes who has one in the order of their beginning. */
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
    /** Ends the turn of a principal that has one. */
    async end(who: Principal) {
      turns.release(who)
      await vi.advanceTimersByTimeAsync(0)
    },
    count: (who: Principal) => begun.filter((other) => other === who).length,
  }
}

it('grants a lone principal all slots but one, and that one to others at once', () => {
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

it('once others are there an address has half, however much of its work is done', async () => {
  const turns = turnsOf(8)
  const all = stage(turns)
  const [attacker, honest] = [principal('a', '192.0.2.1'), principal('a', '192.0.2.2')]
  all.arrive(honest)
  await all.end(honest)
  all.arrive(attacker, 40)
  // As a user it leaves one of these four to its neighbours.
  expect(turns.running).toBe(3)
  for (let done = 0; done < 20; done++) {
    await all.end(attacker)
    expect(turns.running).toBe(3)
    all.arrive(honest)
    expect(all.count(honest)).toBe(done + 2)
    await all.end(honest)
  }
})

it('an address is alone again when no other has come for ten seconds', async () => {
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

it('an app has three quarters while other apps are there', async () => {
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

it('a user has no more by being in many slots', () => {
  const turns = turnsOf(8)
  const all = stage(turns)
  for (let address = 1; address <= 20; address++) all.arrive(principal('a', `192.0.2.${address}`, 'mallory'), 2)
  // The first began alone; by the second, an address has half and a user one less.
  expect(turns.running).toBe(3)
})

it('those without a name are not one user everywhere', () => {
  const turns = turnsOf(8)
  const all = stage(turns)
  for (let address = 1; address <= 20; address++) all.arrive(principal('a', `192.0.2.${address}`))
  expect(turns.running).toBe(8)
})

it('turns go round between apps, addresses and users', async () => {
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

it('a server of one place lends it to everybody in turn', async () => {
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

it('work for no address in particular has no share of an address', () => {
  const turns = turnsOf(8)
  const all = stage(turns)
  all.arrive(principal('a', ''), 8)
  expect(turns.running).toBe(8)
})

it('too many at one address are refused with 429, as are too many of an app, and all others with 503', async () => {
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

it('who waits too long is told 429 where its own share is full, and 503 where the server is', async () => {
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

it('whoever goes away leaves its row', async () => {
  const turns = turnsOf(1)
  const all = stage(turns)
  let leave = () => {}
  let listening = 0
  const leaving: Principal = {
    ...principal('a', '192.0.2.1'),
    whenGone: (work) => {
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

it('fewer slots are lent from then on, and more at once', async () => {
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

it('a principal for which nothing is to be begun any more is refused when its turn has come, and the next has it', async () => {
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
