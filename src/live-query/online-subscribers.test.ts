import { pino } from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import { breakableBus } from '../../test/support/breakable-bus.ts'
import type { Bus } from '../bus/bus.ts'
import { localBus } from '../bus/local-bus.ts'
import type { LiveEvent } from './live-event.ts'
import { OnlineSubscribers, type Subscriber } from './online-subscribers.ts'

const log = pino({ level: 'silent' })

function node(bus: Bus, appId = 'app'): OnlineSubscribers {
  const online = new OnlineSubscribers({ appId, bus, alone: false, log })
  onTestFinished(() => online.stop())
  return online
}

/** A subscriber that records its events. */
function subscriber(id: string): Subscriber & { readonly received: string[] } {
  const received: string[] = []
  return {
    id,
    received,
    notify: (event, queryIds) => void received.push(`${event.id} ${queryIds}`),
    displace: () => void received.push('displaced'),
  }
}

const event = (id: string, object = '{}'): LiveEvent => ({ id, op: 'create', object, updatedKeys: null })
const to = (...ids: string[]) => new Map(ids.map((id) => [id, [{ id: `query of ${id}`, proof: null }]]))

it('sends an event to its receivers on all nodes, once', () => {
  const bus = localBus()
  const [here, there, otherApp] = [node(bus), node(bus), node(bus, 'another app')]
  const [one, two, other, ofOtherApp] = [subscriber('one'), subscriber('two'), subscriber('other'), subscriber('two')]
  here.add(one, 1)
  there.add(two, 2)
  there.add(other, 3)
  otherApp.add(ofOtherApp, 1)
  here.notify(event('e'), to('one', 'two', 'nobody'))
  expect([one.received, two.received, other.received, ofOtherApp.received]).toEqual([
    ['e query of one'],
    ['e query of two'],
    [],
    [],
  ])
})

it('sends a long event for many receivers to another node, in parts and in order', () => {
  const bus = localBus()
  const [here, there] = [node(bus), node(bus)]
  const many = Array.from({ length: 1000 }, (_, n) => subscriber(`subscriber ${n} ${'é'.repeat(20)}`))
  for (const [login, one] of many.entries()) there.add(one, login)
  const ids = many.map(({ id }) => id)
  here.notify(event('first', JSON.stringify({ text: '早'.repeat(9000) })), to(...ids))
  here.notify(event('second'), to(...ids))
  for (const { id, received } of many) expect(received).toEqual([`first query of ${id}`, `second query of ${id}`])
})

it('keeps the latest login on any node, whatever the order of notifications', () => {
  const bus = localBus()
  const [here, there] = [node(bus), node(bus)]
  const [first, second, third, late] = [subscriber('s'), subscriber('s'), subscriber('s'), subscriber('s')]
  here.add(first, 1)
  here.add(second, 2)
  there.add(third, 4)
  expect([first.received, second.received, third.received]).toEqual([['displaced'], ['displaced'], []])
  there.add(late, 3)
  expect(late.received).toEqual(['displaced'])
  here.notify(event('e'), to('s'))
  expect(third.received).toEqual(['e query of s'])
  expect([here.remove(second), there.remove(late), there.remove(third)]).toEqual([false, false, true])
})

it('publishes a login again that another node has missed during an outage', () => {
  const { bus, breakOff, restore: mend } = breakableBus()
  const [here, there] = [node(bus), node(bus)]
  const [old, fresh] = [subscriber('s'), subscriber('s')]
  here.add(old, 1)
  breakOff()
  there.add(fresh, 2)
  expect(old.received).toEqual([])
  mend()
  expect(old.received).toEqual(['displaced'])
  here.notify(event('e'), to('s'))
  expect(fresh.received).toEqual(['e query of s'])
})

it('sends events of a user’s query to logins from before the proof of the user, on any node', () => {
  const bus = localBus()
  const [here, there] = [node(bus), node(bus)]
  const one = subscriber('s')
  there.add(one, 5)
  const about = (...proofs: (number | null)[]) => new Map([['s', proofs.map((proof) => ({ id: `${proof}`, proof }))]])
  for (const node of [here, there]) {
    node.notify(event('both'), about(6, null))
    node.notify(event('some'), about(4, null, 7))
    node.notify(event('none'), about(4, 0))
  }
  expect(one.received).toEqual(['both 6,null', 'some null,7', 'both 6,null', 'some null,7'])
})

it('displaces a login that is added after a later one', () => {
  const bus = localBus()
  const [here, there] = [node(bus), node(bus)]
  const [late, latest] = [subscriber('s'), subscriber('s')]
  here.add(latest, 2)
  there.add(late, 1)
  expect([late.received, latest.received]).toEqual([['displaced'], []])
})
