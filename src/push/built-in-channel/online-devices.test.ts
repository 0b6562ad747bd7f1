import { pino } from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import type { Bus } from '../../bus/bus.ts'
import { localBus } from '../../bus/local-bus.ts'
import { type OnlineDevice, OnlineDevices } from './online-devices.ts'

const log = pino({ level: 'silent' })

/** Returns a node. Nodes with the same bus form a cluster. */
function node(bus: Bus, appId = 'app'): OnlineDevices {
  const online = new OnlineDevices({ appId, bus, alone: false, log })
  onTestFinished(() => online.stop())
  return online
}

/** Returns a device that records its calls. */
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

/** Returns a bus that can be disconnected. */
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

it('delivers a message once to its devices on all nodes', () => {
  const bus = localBus()
  const [here, there, otherApp] = [node(bus), node(bus), node(bus, 'another app')]
  const [one, two, other, ofOtherApp] = [device('one'), device('two'), device('other'), device('one')]
  here.add(one)
  there.add(two)
  there.add(other)
  otherApp.add(ofOtherApp)
  here.deliver(message('news'), ['one', 'two', 'nobody'])
  expect([one.received, two.received, other.received, ofOtherApp.received]).toEqual([['news'], ['news'], [], []])
})

it('delivers a message for a full page of devices to another node', () => {
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

it('delivers nothing to a removed device, and forgets it', () => {
  const online = node(localBus())
  const one = device()
  online.add(one)
  expect(online.size).toBe(1)
  online.remove(one)
  online.remove(one)
  online.deliver(message('late'), ['phone'])
  expect([online.size, one.received]).toEqual([0, []])
})

it('keeps the later of two connections of an installation on a node', () => {
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
] as const)('keeps the connection with the later login on two nodes: the earlier %s', (_, order) => {
  const bus = localBus()
  const [here, there] = [node(bus), node(bus)]
  const [old, fresh] = [device(), device()]
  here.add(old)
  there.add(fresh)
  for (const login of order) login === 1 ? here.loggedIn(old, 1) : there.loggedIn(fresh, 2)
  expect([old.received, fresh.received]).toEqual([['displaced'], []])
  expect([here.size, there.size]).toEqual([0, 1])
})

it('displaces no connection by a login whose connection has been removed meanwhile', () => {
  const bus = localBus()
  const [here, there] = [node(bus), node(bus)]
  const [stays, removed] = [device(), device()]
  here.add(stays)
  here.loggedIn(stays, 1)
  there.add(removed)
  there.remove(removed)
  there.loggedIn(removed, 2)
  expect(stays.received).toEqual([])
})

it('lets devices read missed messages when the bus is back', () => {
  const { bus, breakOff, mend } = breakableBus()
  const online = node(bus)
  const one = device()
  online.add(one)
  breakOff()
  expect(one.received).toEqual([])
  mend()
  expect(one.received).toEqual(['catch up'])
})

it('makes other nodes read missed messages after a failed publication', async () => {
  const { bus, breakOff, mend } = breakableBus()
  const unbroken = { ...bus, onGap: () => () => {} }
  const [here, there] = [node(bus), node(unbroken)]
  const one = device()
  there.add(one)
  breakOff()
  here.deliver(message('lost'), ['phone'])
  await Promise.resolve()
  mend()
  mend()
  expect(one.received).toEqual(['catch up'])
})

it('receives nothing on a stopped node', () => {
  const bus = localBus()
  const [here, there] = [node(bus), node(bus)]
  const one = device()
  there.add(one)
  there.stop()
  here.deliver(message('news'), ['phone'])
  expect(one.received).toEqual([])
})
