import { pino } from 'pino'
import { expect, it } from 'vitest'
import { localBus } from '../bus/local-bus.ts'
import { OnlineDevices } from '../push/built-in-channel/online-devices.ts'
import { PENDING_PAGE } from '../push/built-in-channel/pending-messages.ts'
import type { DeviceMessage } from '../push/device-message.ts'
import type { GenericCommand } from '../realtime-protocol/schema.ts'
import type { SharedCommand } from '../realtime-protocol/shared-command.ts'
import { Device } from './device.ts'

const log = pino({ level: 'silent' })

/** A device, on a connection that records what was sent on it, with messages in memory. */
function makeDevice({ kept = 0, noteLogin = async () => 1 }: { kept?: number; noteLogin?: () => Promise<number> }) {
  const sent: GenericCommand[] = []
  const shared: SharedCommand[] = []
  const closed: number[] = []
  let waiting: DeviceMessage[] = Array.from({ length: kept }, (_, index) => ({ id: `${index}`, text: '{}' }))
  const online = new OnlineDevices({ appId: 'app', bus: localBus(), alone: true, log })
  const device = new Device({
    installationId: 'phone',
    connection: {
      send: (command) => void sent.push(command),
      sendShared: (command) => void shared.push(command),
      close: (code) => void closed.push(code),
    },
    devices: {
      online,
      noteLogin,
      messages: {
        oldest: async () => waiting.slice(0, PENDING_PAGE),
        acknowledge: async ({ ids }) => {
          waiting = waiting.filter(({ id }) => !ids.includes(id))
          return null
        },
      },
    },
    displaced: () => {},
    log,
  })
  const delivered = () => sent.flatMap(({ dataMessage }) => dataMessage?.ids ?? [])
  return { device, online, sent, shared, closed, delivered }
}

const nextIteration = () => new Promise((resolve) => setImmediate(resolve))

it('sends missed messages in commands of a few, and waits for the acknowledgement after each page', async () => {
  const { device, sent, delivered } = makeDevice({ kept: 2 * PENDING_PAGE + 5 })
  device.begin(() => {})
  await nextIteration()
  expect(sent.map(({ dataMessage }) => dataMessage!.ids!.length)).toEqual([10, 10, 10, 10, 10])
  const [first, ...others] = delivered()
  device.acknowledge(others)
  await nextIteration()
  expect(sent).toHaveLength(5)
  device.acknowledge([first!])
  await nextIteration()
  expect(sent).toHaveLength(10)
  device.acknowledge(delivered())
  await nextIteration()
  expect(delivered()).toHaveLength(2 * PENDING_PAGE + 5)
  expect(new Set(delivered()).size).toBe(2 * PENDING_PAGE + 5)
})

it('sends nothing before the login has been recorded, and its response sent', async () => {
  let note = (_: number) => {}
  const noted = new Promise<number>((resolve) => {
    note = resolve
  })
  const { device, online, shared, delivered } = makeDevice({ kept: 1, noteLogin: () => noted })
  const deliveredAtAnswer: string[][] = []
  device.begin(() => void deliveredAtAnswer.push(delivered()))
  await nextIteration()
  // It is stored, and thus among the messages that the device has missed.
  online.deliver({ id: '0', text: '{}' }, ['phone'])
  expect([delivered(), shared, deliveredAtAnswer]).toEqual([[], [], []])
  note(1)
  await nextIteration()
  expect([delivered(), shared, deliveredAtAnswer]).toEqual([['0'], [], [[]]])
})

it('responds to a device that another login has displaced', async () => {
  const { device, online } = makeDevice({ noteLogin: () => new Promise(() => {}) })
  let answers = 0
  device.begin(() => answers++)
  const other = makeDevice({}).device
  online.add(other)
  expect(answers).toBe(1)
})

it('sends a message that is pushed during the login once, whatever arrives first', async () => {
  const { device, online, shared, delivered } = makeDevice({ kept: 2 })
  // Between the response and the missed messages.
  device.begin(() => queueMicrotask(() => online.deliver({ id: '0', text: '{}' }, ['phone'])))
  await nextIteration()
  online.deliver({ id: '1', text: '{}' }, ['phone'])
  device.catchUp()
  await nextIteration()
  expect(delivered().filter((id) => id === '1')).toHaveLength(1)
  expect([shared.length, delivered()[0]]).toEqual([1, '1'])
})

it('encodes a message for many devices once', () => {
  const [one, two] = [makeDevice({}), makeDevice({})]
  const message = { id: 'news', text: '{}' }
  for (const { device } of [one, two]) device.deliver(message)
  expect(one.shared[0]).toBe(two.shared[0])
})

it('closes the connection of a device that cannot be served, so that it reconnects', async () => {
  const { device, closed } = makeDevice({ noteLogin: () => Promise.reject(new Error('the database is away')) })
  device.begin(() => {})
  await nextIteration()
  expect(closed).toEqual([4200])
})

it('sends nothing to a device that has left, and ends its pending work first', async () => {
  let note = (_: number) => {}
  const noted = new Promise<number>((resolve) => {
    note = resolve
  })
  const { device, online, shared, delivered } = makeDevice({ kept: 1, noteLogin: () => noted })
  device.begin(() => {})
  let ended = false
  const end = device.end().then(() => {
    ended = true
  })
  await nextIteration()
  expect([online.size, ended]).toEqual([0, false])
  online.deliver({ id: 'new', text: '{}' }, ['phone'])
  note(1)
  await end
  expect([delivered(), shared]).toEqual([[], []])
})
