import { afterEach, describe, expect, it } from 'vitest'
import { AppLimits } from './app-limits.ts'
import { Capacity } from './capacity.ts'
import { CapacityShares } from './capacity-shares.ts'
import { type LimitKind, limitSettings } from './limit-settings.ts'
import { Limiters } from './limiters.ts'

let now = 1000
let busy = 0
let waiting = 0
let pictures = 0
let isDiskShort = false
const made: Capacity[] = []

function makeCapacity(): Capacity {
  now = 1000
  busy = 0
  waiting = 0
  pictures = 0
  isDiskShort = false
  const capacity = new Capacity({
    waiting: () => waiting,
    picturesWaiting: () => pictures,
    isDiskShort: () => isDiskShort,
    busy: () => busy,
    now: () => now,
  })
  // Only the test takes samples.
  capacity.stop()
  made.push(capacity)
  return capacity
}

afterEach(() => {
  for (const capacity of made.splice(0)) capacity.stop()
})

describe('capacity', () => {
  it('is short while the event loop is busy, or statements or pictures wait, and for a minute after', () => {
    const capacity = makeCapacity()
    capacity.sample()
    expect(capacity.isShort).toBe(false)
    busy = 0.95
    capacity.sample()
    expect(capacity.isShort).toBe(true)
    busy = 0
    now += 59_999
    capacity.sample()
    expect(capacity.isShort).toBe(true)
    now += 1
    expect(capacity.isShort).toBe(false)
    waiting = 51
    capacity.sample()
    expect(capacity.isShort).toBe(true)
    waiting = 0
    now += 60_000
    expect(capacity.isShort).toBe(false)
    pictures = 17
    capacity.sample()
    expect(capacity.isShort).toBe(true)
  })
})

describe('shares of capacity', () => {
  function makeShares() {
    const capacity = makeCapacity()
    return { capacity, shares: new CapacityShares(capacity) }
  }

  /** Lets principals request load second by second, as much as they may use. @returns the load of each in the last second */
  function run(loads: Record<string, number>, seconds: number, overloadedFrom: number) {
    const { capacity, shares } = makeShares()
    let got: Record<string, number> = {}
    for (let second = 0; second < seconds; second++) {
      now += 1000
      got = {}
      for (let part = 0; part < 100; part++) {
        for (const [who, load] of Object.entries(loads)) {
          shares.note(who, load / 100)
          // Load within one limit per second is never rejected.
          if ((got[who] ?? 0) < 1 || shares.mayExceed(who, 'processor')) got[who] = (got[who] ?? 0) + load / 100
          else shares.noteRefused(load / 100)
        }
      }
      const all = Object.values(got).reduce((sum, load) => sum + load, 0)
      busy = all > overloadedFrom ? 1 : 0
      capacity.sample()
    }
    return got
  }

  it('let all principals exceed limits while there is capacity', () => {
    expect(run({ crowd: 8, other: 3 }, 20, 12)).toEqual({
      crowd: expect.closeTo(8, 5),
      other: expect.closeTo(3, 5),
    })
  })

  it('let a lone principal exceed limits', () => {
    expect(run({ crowd: 30 }, 20, 10)).toEqual({ crowd: expect.closeTo(30, 5) })
  })

  it('cut the principal with the most load first, and none of the others', () => {
    const got = run({ crowd: 4, visitor: 0.01, attacker: 60 }, 20, 10)
    expect(got.crowd).toBeCloseTo(4, 5)
    expect(got.visitor).toBeCloseTo(0.01, 5)
    expect(got.attacker).toBeLessThan(7)
    expect(got.attacker).toBeGreaterThan(3)
  })

  it('leave a crowd its share when another address requests as much or more', () => {
    const got = run({ crowd: 20, attacker: 60 }, 40, 10)
    expect(got.crowd).toBeGreaterThan(2.5)
    expect(got.attacker! / got.crowd!).toBeLessThan(1.3)
  })

  it('leave a crowd all load that an attacker below its share does not use', () => {
    // The attacker stays below all limits, so none of its load can be rejected.
    const got = run({ crowd: 12, attacker: 0.9 }, 40, 10)
    expect(got.crowd).toBeGreaterThan(7)
    expect(got.attacker).toBeCloseTo(0.9, 5)
  })

  it('let an address exceed limits of deliveries unless its own are late', () => {
    const { shares } = makeShares()
    shares.noteLateDeliveries('attacker')
    expect([shares.mayExceed('crowd', 'deliveries'), shares.mayExceed('attacker', 'deliveries')]).toEqual([true, false])
    now += 10_000
    expect(shares.mayExceed('attacker', 'deliveries')).toBe(true)
  })

  it('let no principal exceed limits of the disk while the disk is short', () => {
    const { shares } = makeShares()
    expect(shares.mayExceed('crowd', 'disk')).toBe(true)
    isDiskShort = true
    expect(shares.mayExceed('crowd', 'disk')).toBe(false)
  })
})

describe('limits that protect capacity', () => {
  /** Counts for an app with settings, while all capacity is short and another address is active. */
  function makeLimits(settings: unknown = undefined) {
    const capacity = makeCapacity()
    const shares = new CapacityShares(capacity)
    const limits = new AppLimits('app', new Limiters(null, undefined, shares), () => limitSettings.parse(settings))
    const take = async (kind: LimitKind, amount: number, address = '192.0.2.1') => {
      try {
        await limits.take(kind, { address, userId: null }, amount)
        return 'taken'
      } catch (error) {
        return (error as Error).message
      }
    }
    const beShort = async () => {
      busy = 1
      isDiskShort = true
      capacity.sample()
      shares.noteLateDeliveries('192.0.2.1')
      await take('commands', 1, '192.0.2.2')
      await take('commands', 1, '192.0.2.3')
    }
    return { take, beShort }
  }

  /** The default limits of an address that apply only while capacity is short; all others always apply. */
  const SOFT: readonly LimitKind[] = [
    'requests',
    'queries',
    'writes',
    'functions',
    'uploads',
    'uploadMegabytes',
    'pictureMegapixels',
    'subscriptions',
    'messages',
    'deliveries',
    'commands',
  ]
  const defaults = limitSettings.parse(undefined)
  const limited = (Object.keys(defaults) as (LimitKind | 'master')[]).filter((kind): kind is LimitKind => {
    const limit: unknown = defaults[kind]
    if (typeof limit !== 'object' || limit === null || !('address' in limit)) return false
    const { second, hour } = limit.address as { second: number; hour: number }
    return second > 0 || hour > 0
  })
  const maxOf = (kind: LimitKind) => Math.max(defaults[kind].address.second, defaults[kind].address.hour)

  it('are all tested', () => {
    expect(limited).toEqual(expect.arrayContaining([...SOFT]))
  })

  it.each(limited.map((kind) => [kind, SOFT.includes(kind)] as const))(
    'of %s: the default limit of an address applies only while capacity is short: %s',
    async (kind, isSoft) => {
      const refusal = expect.stringMatching(/The limit is /)
      expect(await makeLimits().take(kind, maxOf(kind) + 1)).toEqual(isSoft ? 'taken' : refusal)
      const { take, beShort } = makeLimits()
      await beShort()
      // Requests below the limit are never rejected.
      expect(await take(kind, 1)).toBe('taken')
      expect(await take(kind, maxOf(kind))).toEqual(refusal)
    },
  )

  it('always apply when the administrator has set them', async () => {
    const { take } = makeLimits({ messages: { address: { second: 10 } } })
    expect(await take('messages', 11)).toMatch(/The limit is 10 messages from one address in a second/)
    expect(await take('deliveries', 400_000)).toBe('taken')
  })
})
