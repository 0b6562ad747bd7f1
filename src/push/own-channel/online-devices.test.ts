import { pino } from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import type { Bus } from '../../bus/bus.ts'
import { localBus } from '../../bus/local-bus.ts'
import { type OnlineDevice, OnlineDevices } from './online-devices.ts'

const log = pino({ level: 'silent' })

/** A node; those with the same bus belong together. */
function node(bus: Bus, appId = 'app'): OnlineDevices {
  const online = new OnlineDevices({ appId, bus, alone: false, log })
  onTestFinished(() => online.stop())
  return online
}

/** A device that remembers what happened to it. */
function device(installationId = 'phone'): OnlineDevice & { readonly received: string[] } {
  const received: string[] = []
  return {
    installationId,
    received,
    deliver: ({ id }) => void received.push(id),
    catchUp: () => void received.push('catch up'),
    displace: () => void received.push('displaced'),
  }
}

const message = (id: string) => ({ id, text: '{}' })

/** A bus that can be cut off. */
function breakableBus() {
  const bus = localBus()
  const gaps: (() => void)[] = []
  let connected = true
  const breakable: Bus = {
    ...bus,
    get connected() {
      return connected
    },
    publish: (topic, text) => (connected ? bus.publish(topic, text) : Promise.reject(new Error('cut off'))),
    onGap: (listener) => {
      gaps.push(listener)
      return () => void gaps.splice(gaps.indexOf(listener), 1)
    },
  }
  const set = (value: boolean) => {
    connected = value
    for (const gap of gaps) gap()
  }
  return { bus: breakable, breakOff: () => set(false), mend: () => set(true) }
}

it('a message is told to those it is for, on all nodes, once', () => {
  const bus = localBus()
  const [here, there, elsewhere] = [node(bus), node(bus), node(bus, 'another app')]
  const [one, two, other, stranger] = [device('one'), device('two'), device('other'), device('one')]
  here.add(one)
  there.add(two)
  there.add(other)
  elsewhere.add(stranger)
  here.deliver(message('news'), ['one', 'two', 'nobody'])
  expect([one.received, two.received, other.received, stranger.received]).toEqual([['news'], ['news'], [], []])
})

it('a message for as many devices as a page has reaches another node', () => {
  const bus = localBus()
  const [here, there] = [node(bus), node(bus)]
  const devices = Array.from({ length: 1000 }, (_, index) => device(`device ${index} ${'é'.repeat(20)}`))
  for (const one of devices) there.add(one)
  const text = JSON.stringify({ alert: '早'.repeat(1000) })
  here.deliver(
    { id: 'long', text },
    devices.map(({ installationId }) => installationId),
  )
  expect(devices.every(({ received }) => received.length === 1)).toBe(true)
})

it('who has gone is told nothing and forgotten', () => {
  const online = node(localBus())
  const one = device()
  online.add(one)
  expect(online.size).toBe(1)
  online.remove(one)
  online.remove(one)
  online.deliver(message('late'), ['phone'])
  expect([online.size, one.received]).toEqual([0, []])
})

it('of two connections of an installation on a node the later one remains', () => {
  const online = node(localBus())
  const [old, fresh] = [device(), device()]
  online.add(old)
  online.loggedIn(old, 1)
  online.add(fresh)
  online.remove(old)
  online.loggedIn(fresh, 2)
  online.deliver(message('news'), ['phone'])
  expect([old.received, fresh.received]).toEqual([['displaced'], ['news']])
})

it.each([
  ['known first', [1, 2]],
  ['known last', [2, 1]],
] as const)('on two nodes the one with the later login remains: the earlier %s', (_, order) => {
  const bus = localBus()
  const [here, there] = [node(bus), node(bus)]
  const [old, fresh] = [device(), device()]
  here.add(old)
  there.add(fresh)
  for (const login of order) login === 1 ? here.loggedIn(old, 1) : there.loggedIn(fresh, 2)
  expect([old.received, fresh.received]).toEqual([['displaced'], []])
  expect([here.size, there.size]).toEqual([0, 1])
})

it('a login whose connection has gone meanwhile displaces nobody', () => {
  const bus = localBus()
  const [here, there] = [node(bus), node(bus)]
  const [stays, gone] = [device(), device()]
  here.add(stays)
  here.loggedIn(stays, 1)
  there.add(gone)
  there.remove(gone)
  there.loggedIn(gone, 2)
  expect(stays.received).toEqual([])
})

it('when the bus is back, devices look for what they have missed', () => {
  const { bus, breakOff, mend } = breakableBus()
  const online = node(bus)
  const one = device()
  online.add(one)
  breakOff()
  expect(one.received).toEqual([])
  mend()
  expect(one.received).toEqual(['catch up'])
})

it('a node that could not tell the others lets them look when it can', async () => {
  const { bus, breakOff, mend } = breakableBus()
  const whole = { ...bus, onGap: () => () => {} }
  const [here, there] = [node(bus), node(whole)]
  const one = device()
  there.add(one)
  breakOff()
  here.deliver(message('lost'), ['phone'])
  await Promise.resolve()
  mend()
  mend()
  expect(one.received).toEqual(['catch up'])
})

it('a node that has stopped hears nothing', () => {
  const bus = localBus()
  const [here, there] = [node(bus), node(bus)]
  const one = device()
  there.add(one)
  there.stop()
  here.deliver(message('news'), ['phone'])
  expect(one.received).toEqual([])
})
