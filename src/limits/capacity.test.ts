import { afterEach, describe, expect, it } from 'vitest'
import { AppLimits } from './app-limits.ts'
import { Capacity } from './capacity.ts'
import { CapacityShares } from './capacity-shares.ts'
import { limitSettings } from './limit-settings.ts'
import { Limiters } from './limiters.ts'

let now = 1000
let busy = 0
let waiting = 0
const made: Capacity[] = []

function makeCapacity(): Capacity {
  now = 1000
  busy = 0
  waiting = 0
  const capacity = new Capacity({ waiting: () => waiting, busy: () => busy, now: () => now })
  // Measured by the test alone.
  capacity.stop()
  made.push(capacity)
  return capacity
}

afterEach(() => {
  for (const capacity of made.splice(0)) capacity.stop()
})

describe('capacity', () => {
  it('is short while the event loop is busy or statements wait, and for a minute after', () => {
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
  })

  it('is for one as long as no other used it in this second or the one before', () => {
    const capacity = makeCapacity()
    capacity.note('one')
    capacity.note('one')
    expect(capacity.isForOne).toBe(true)
    capacity.note('other')
    expect(capacity.isForOne).toBe(false)
    now += 1000
    capacity.note('one')
    expect(capacity.isForOne).toBe(false)
    now += 1000
    capacity.note('one')
    expect(capacity.isForOne).toBe(true)
  })
})

describe('a limit that protects capacity', () => {
  it('may be exceeded while there is capacity', () => {
    const shares = new CapacityShares(makeCapacity(), () => now)
    shares.note('crowd', 1000)
    shares.note('other', 1)
    expect(shares.mayExceed('crowd', 1000)).toBe(true)
  })

  it('may be exceeded by a principal that is alone', () => {
    const capacity = makeCapacity()
    const shares = new CapacityShares(capacity, () => now)
    busy = 1
    capacity.sample()
    shares.note('crowd', 1000)
    expect(shares.mayExceed('crowd', 1000)).toBe(true)
  })

  it('is exceeded, while capacity is short, up to what all others use', () => {
    const capacity = makeCapacity()
    const shares = new CapacityShares(capacity, () => now)
    busy = 1
    capacity.sample()
    for (let second = 0; second < 2; second++) {
      shares.note('crowd', 1000)
      shares.note('attacker', 5000)
      shares.note('visitor', 10)
      now += 1000
    }
    shares.note('crowd', 1000)
    shares.note('attacker', 5000)
    expect(shares.mayExceed('crowd', 1000)).toBe(true)
    expect(shares.mayExceed('attacker', 1010)).toBe(true)
    expect(shares.mayExceed('attacker', 1011)).toBe(false)
    expect(shares.mayExceed('visitor', 6000)).toBe(true)
    expect(shares.mayExceed('visitor', 6001)).toBe(false)
  })

  it('is the default one of an address, not one that the administrator has set, and not one against abuse', async () => {
    const capacity = makeCapacity()
    const limiters = new Limiters(null, undefined, capacity)
    let settings = limitSettings.parse(undefined)
    const limits = new AppLimits('app', limiters, () => settings)
    const take = async (kind: 'messages' | 'deliveries' | 'signUps', address: string, amount: number) => {
      try {
        await limits.take(kind, { address, userId: null }, amount)
        return 'taken'
      } catch (error) {
        return (error as Error).message
      }
    }
    expect(await take('deliveries', '192.0.2.1', 400_000)).toBe('taken')
    expect(await take('signUps', '192.0.2.1', 201)).toMatch(/The limit is 200 new users/)

    // Another address is there, and there is no capacity left: the limit applies to what is more than its share.
    busy = 1
    capacity.sample()
    expect(await take('deliveries', '192.0.2.2', 1)).toBe('taken')
    expect(await take('deliveries', '192.0.2.1', 400_000)).toMatch(/The limit is 50000 deliveries from one address/)

    settings = limitSettings.parse({ messages: { address: { second: 10 } } })
    now += 120_000
    busy = 0
    capacity.sample()
    expect(await take('messages', '192.0.2.3', 11)).toMatch(/The limit is 10 messages from one address in a second/)
    expect(await take('deliveries', '192.0.2.3', 400_000)).toBe('taken')
  })
})
