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

  it('messages that come in order pass at once', () => {
    const { enter, passed } = gateWithLog()
    enter(0, 10)
    enter(10, 20)
    enter(20, 30)
    expect(passed).toEqual(['talk 10', 'talk 20', 'talk 30'])
  })

  it('a message waits for the one before it', () => {
    const { enter, passed } = gateWithLog()
    enter(0, 10)
    enter(30, 40)
    enter(20, 30)
    expect(passed).toEqual(['talk 10'])
    enter(10, 20)
    expect(passed).toEqual(['talk 10', 'talk 20', 'talk 30', 'talk 40'])
  })

  it('conversations do not wait for each other', () => {
    const { enter, passed } = gateWithLog()
    enter(0, 10)
    enter(20, 30)
    enter(0, 30, 'other')
    expect(passed).toEqual(['talk 10', 'other 30'])
  })

  it('the first messages that are seen of a conversation wait for each other too', () => {
    const { enter, passed } = gateWithLog()
    enter(100, 110)
    enter(0, 100)
    expect(passed).toEqual(['talk 100', 'talk 110'])
  })

  it('a message does not wait for one that was sent long before it', () => {
    const { enter, passed } = gateWithLog()
    enter(10_000, 15_000)
    enter(20_000, 25_000)
    expect(passed).toEqual(['talk 15000', 'talk 25000'])
  })

  it('a message that comes too late passes all the same', () => {
    const { enter, passed } = gateWithLog()
    enter(0, 10)
    enter(20, 30)
    vi.advanceTimersByTime(500)
    enter(10, 20)
    enter(30, 40)
    expect(passed).toEqual(['talk 10', 'talk 30', 'talk 20', 'talk 40'])
  })

  it('after half a second what waits goes on without the one that is missing, still in order', () => {
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

  it('what waits in a conversation that is forgotten passes once', () => {
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
  /** A line in which each one takes a quarter of a millisecond, so 16 of them the time of a turn. */
  function makeLine() {
    const received: number[] = []
    const line = new DeliveryLine<number>(() => received.length / 4)
    const add = (from: number, to: number) =>
      line.add(Array.from({ length: to - from }, (_, index) => from + index).values(), (one) => received.push(one))
    return { received, add }
  }

  const upTo = (end: number) => Array.from({ length: end }, (_, index) => index)

  it('notifies receivers at once, for a few milliseconds in an iteration of the event loop', async () => {
    const { received, add } = makeLine()
    add(0, 2)
    expect(received).toEqual(upTo(2))
    add(2, 40)
    add(40, 41)
    expect(received).toEqual(upTo(16))
    await nextIteration()
    expect(received).toEqual(upTo(32))
    // Behind what waits.
    add(41, 42)
    expect(received).toEqual(upTo(32))
    await nextIteration()
    expect(received).toEqual(upTo(42))
    await nextIteration()
    add(42, 43)
    expect(received).toEqual(upTo(43))
  })

  it('goes on when notifying one receiver adds deliveries', async () => {
    const line = new DeliveryLine<string>()
    const received: string[] = []
    line.add(['a', 'b'].values(), (receiver) => {
      received.push(receiver)
      line.add([`${receiver} again`].values(), (again) => received.push(again))
    })
    await nextIteration()
    expect(received.toSorted()).toEqual(['a', 'a again', 'b', 'b again'])
  })
})
