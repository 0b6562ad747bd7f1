import { setImmediate as nextIteration } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { DeliveryLine, OrderGate } from './delivery-order.ts'

describe('the order of a conversation', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  function gateWithLog() {
    const gate = new OrderGate()
    const passed: string[] = []
    return {
      passed,
      enter: (before: number, ts: number, convId = 'talk') =>
        gate.enter(convId, before, ts, () => void passed.push(`${convId} ${ts}`)),
    }
  }

  it('passes messages that arrive in order immediately', () => {
    const { enter, passed } = gateWithLog()
    enter(0, 10)
    enter(10, 20)
    enter(20, 30)
    expect(passed).toEqual(['talk 10', 'talk 20', 'talk 30'])
  })

  it('delays a message until its predecessor has passed', () => {
    const { enter, passed } = gateWithLog()
    enter(0, 10)
    enter(30, 40)
    enter(20, 30)
    expect(passed).toEqual(['talk 10'])
    enter(10, 20)
    expect(passed).toEqual(['talk 10', 'talk 20', 'talk 30', 'talk 40'])
  })

  it('orders each conversation independently', () => {
    const { enter, passed } = gateWithLog()
    enter(0, 10)
    enter(20, 30)
    enter(0, 30, 'other')
    expect(passed).toEqual(['talk 10', 'other 30'])
  })

  it('orders the first messages of a conversation, too', () => {
    const { enter, passed } = gateWithLog()
    enter(100, 110)
    enter(0, 100)
    expect(passed).toEqual(['talk 100', 'talk 110'])
  })

  it('does not wait for a predecessor that was sent long before', () => {
    const { enter, passed } = gateWithLog()
    enter(10_000, 15_000)
    enter(20_000, 25_000)
    expect(passed).toEqual(['talk 15000', 'talk 25000'])
  })

  it('passes a message that arrives too late', () => {
    const { enter, passed } = gateWithLog()
    enter(0, 10)
    enter(20, 30)
    vi.advanceTimersByTime(500)
    enter(10, 20)
    enter(30, 40)
    expect(passed).toEqual(['talk 10', 'talk 30', 'talk 20', 'talk 40'])
  })

  it('passes waiting messages after half a second without the missing one, in order', () => {
    const { enter, passed } = gateWithLog()
    enter(0, 10)
    enter(30, 40)
    enter(20, 30)
    vi.advanceTimersByTime(499)
    expect(passed).toEqual(['talk 10'])
    vi.advanceTimersByTime(1)
    expect(passed).toEqual(['talk 10', 'talk 30', 'talk 40'])
    enter(40, 50)
    expect(passed.at(-1)).toBe('talk 50')
  })

  it('passes the waiting messages of an evicted conversation once', () => {
    const { enter, passed } = gateWithLog()
    enter(0, 10)
    enter(20, 30)
    for (let number = 0; number < 50_000; number++) enter(0, 1, `other ${number}`)
    expect(passed.filter((entry) => entry === 'talk 30')).toHaveLength(1)
    vi.advanceTimersByTime(1000)
    expect(passed.filter((entry) => entry === 'talk 30')).toHaveLength(1)
  })

  it('keeps a busy conversation however many others are written to', () => {
    const { enter, passed } = gateWithLog()
    let last = 10
    enter(0, last, 'busy')
    for (let number = 0; number < 100_000; number++) {
      enter(0, 10, `other ${number}`)
      if (number % 10_000 !== 0) continue
      enter(last, last + 1, 'busy')
      expect(passed.at(-1)).toBe(`busy ${++last}`)
    }
  })
})

describe('the pace of deliveries', () => {
  /** A line in which each receiver takes a quarter of a millisecond, so that 16 of them use up a time slice. */
  function makeLine(onLate: (principal: string) => void = () => {}) {
    const received: (number | string)[] = []
    const clock = { more: 0 }
    const line = new DeliveryLine<number>({ onLate, now: () => received.length / 4 + clock.more })
    const add = (from: number, to: number, queue = '') =>
      line.add({
        queue,
        principal: queue === '' ? '' : 'a',
        length: 100,
        receivers: () => upTo(to).slice(from),
        notify: (one) => received.push(one),
      })
    return { received, add, line, clock }
  }

  const upTo = (end: number) => Array.from({ length: end }, (_, index) => index)

  it('notifies immediately until the time slice is used up, in the order of the calls', async () => {
    const { received, add } = makeLine()
    add(0, 2)
    expect(received).toEqual(upTo(2))
    add(2, 40)
    add(40, 41)
    expect(received).toHaveLength(18)
    await nextIteration()
    // Runs after the waiting deliveries.
    add(41, 42)
    expect(received).toEqual(upTo(received.length))
    expect(received.length).toBeLessThan(42)
    await nextIteration()
    await nextIteration()
    expect(received).toEqual(upTo(42))
    add(42, 43)
    expect(received).toEqual(upTo(43))
  })

  it('notifies at most a thousand receivers in one iteration of the event loop', async () => {
    const line = new DeliveryLine<number>({ now: () => 0 })
    const received: number[] = []
    line.add({
      queue: 'room',
      principal: 'a',
      length: 100,
      receivers: () => upTo(2500),
      notify: (one) => received.push(one),
    })
    expect(received).toHaveLength(1000)
    await nextIteration()
    expect(received).toHaveLength(2000)
    await nextIteration()
    expect(received).toEqual(upTo(2500))
  })

  it('gives each receiver the waiting deliveries of a queue together, in order', async () => {
    const { received, line } = makeLine()
    const add = (name: string) =>
      line.add({
        queue: 'room',
        principal: 'a',
        length: 100,
        receivers: () => upTo(20),
        notify: (one) => received.push(`${name}${one}`),
      })
    for (const name of ['a', 'b', 'c']) add(name)
    for (let iteration = 0; iteration < 10; iteration++) await nextIteration()
    const ofB = received.filter((one) => String(one).startsWith('b'))
    expect(ofB).toEqual(upTo(20).map((one) => `b${one}`))
    // Each of them is followed by the deliveries that were added next.
    for (const one of upTo(20)) expect(received[received.indexOf(`b${one}`) + 1]).toBe(`c${one}`)
    expect(received).toHaveLength(60)
  })

  it('serves the queues of several senders round robin', async () => {
    const { received, line } = makeLine()
    const add = (queue: string, principal: string, members: number) =>
      line.add({ queue, principal, length: 100, receivers: () => upTo(members), notify: () => received.push(queue) })
    for (let room = 0; room < 10; room++) add(`attack ${room}`, 'attacker', 160)
    add('crowd', 'crowd', 160)
    while (received.filter((queue) => queue === 'crowd').length < 160) await nextIteration()
    // As many for the attacker as for the crowd, plus those that had begun before.
    expect(received.length).toBeLessThan(2 * 160 + 64)
  })

  it('reports a sender whose deliveries wait for more than ten seconds', async () => {
    const late: string[] = []
    const { add, clock } = makeLine((principal) => late.push(principal))
    add(0, 40, 'room')
    add(0, 1, 'room')
    add(0, 40)
    add(0, 1)
    expect(late).toEqual([])
    clock.more = 10_500
    for (let iteration = 0; iteration < 20; iteration++) await nextIteration()
    expect(late).toEqual(['a'])
  })

  it('reports a sender whose waiting deliveries are too large, whatever the number of rooms', async () => {
    const late: string[] = []
    const line = new DeliveryLine<number>({ onLate: (principal) => late.push(principal), now: () => 0 })
    const add = (queue: string, principal: string) =>
      line.add({ queue, principal, length: 1024 * 1024, receivers: () => upTo(600), notify: () => {} })
    for (let n = 0; n < 20; n++) add(`room ${n}`, 'attacker')
    add('crowd', 'crowd')
    expect(new Set(late)).toEqual(new Set(['attacker']))
    const before = late.length
    for (let iteration = 0; iteration < 20; iteration++) await nextIteration()
    add('room 0', 'attacker')
    expect(late).toHaveLength(before)
  })

  it('limits the size of deliveries that one receiver gets together', async () => {
    const line = new DeliveryLine<number>({ now: () => 0 })
    const atOnce: number[] = []
    let iteration = 0
    const add = (length: number) =>
      line.add({
        queue: 'room',
        principal: 'a',
        length,
        receivers: () => upTo(1000),
        notify: (one) => one === 0 && atOnce.push(iteration),
      })
    for (let n = 0; n < 9; n++) add(100 * 1024)
    for (iteration = 1; iteration < 10; iteration++) await nextIteration()
    for (const one of new Set(atOnce)) expect(atOnce.filter((other) => other === one).length).toBeLessThanOrEqual(2)
    expect(atOnce).toHaveLength(9)
  })

  it('continues when notifying a receiver adds deliveries', async () => {
    const line = new DeliveryLine<string>()
    const received: string[] = []
    line.add({
      queue: '',
      principal: '',
      length: 0,
      receivers: () => ['a', 'b'],
      notify: (receiver) => {
        received.push(receiver)
        line.add({
          queue: '',
          principal: '',
          length: 0,
          receivers: () => [`${receiver} again`],
          notify: (again) => received.push(again),
        })
      },
    })
    await nextIteration()
    expect(received.toSorted()).toEqual(['a', 'a again', 'b', 'b again'])
  })

  it('charges no time for deliveries without receivers, so that later ones do not wait', () => {
    let now = 0
    // Each reading of the clock advances it by a full time slice.
    const line = new DeliveryLine<string>({ now: () => (now += 4) })
    const received: string[] = []
    const add = (receivers: readonly string[]) =>
      line.add({ queue: '', principal: '', length: 0, receivers: () => receivers, notify: (one) => received.push(one) })
    for (let n = 0; n < 100; n++) add([])
    add(['ann'])
    expect(received).toEqual(['ann'])
  })

  it('ends when deliveries have no receivers', async () => {
    const { received, add } = makeLine()
    for (let n = 0; n < 1000; n++) add(0, 0)
    add(0, 1)
    for (let iteration = 0; iteration < 3; iteration++) await nextIteration()
    expect(received).toEqual([0])
  })
})
