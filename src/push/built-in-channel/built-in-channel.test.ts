import { pino } from 'pino'
import { expect, it } from 'vitest'
import { makeMessaging } from '../../../test/support/messaging.ts'
import { schemaOf } from '../../apps/apps.ts'
import { localBus } from '../../bus/local-bus.ts'
import { openDevices } from '../../running-app/app-push.ts'
import type { DeviceMessage } from '../device-message.ts'
import { pushTables } from '../push.ts'
import { builtInChannel } from './built-in-channel.ts'

const { database, messaging } = await makeMessaging()
const log = pino({ level: 'silent' })
const devices = openDevices(
  { database, bus: localBus(), log },
  pushTables(schemaOf(messaging.appId)),
  messaging.objects,
)
const own = builtInChannel(devices)

const notification = { content: { alert: 'Lunch' }, expiresAt: null, prod: 'prod', channel: null } as const

function connect(installationId: string): DeviceMessage[] {
  const received: DeviceMessage[] = []
  const device = { installationId, deliver: (message: DeviceMessage) => void received.push(message) }
  devices.online.add({ ...device, catchUp: () => {}, displace: () => {} })
  return received
}

it('stores a push for all its devices, and delivers it to the connected ones', async () => {
  const received = connect('here')
  await own.send({ ...notification, id: 'lunch', channel: 'news' }, ['here', 'away'])
  expect(received).toMatchObject([{ id: 'lunch news', text: expect.stringContaining('"_channel":"news"') }])
  for (const device of ['here', 'away']) expect(await devices.messages.oldest(device)).toEqual(received)
})

it('delivers the same message again to devices that have not acknowledged it when a page is repeated', async () => {
  const [quick, slow] = [connect('quick'), connect('slow')]
  await own.send({ ...notification, id: 'again' }, ['quick', 'slow'])
  await own.send({ ...notification, id: 'again' }, ['quick', 'slow'])
  expect(await devices.messages.oldest('slow')).toHaveLength(1)
  expect([...quick, ...slow].map(({ id }) => id)).toEqual(Array(4).fill('again'))
})

it('delivers to a device that logs in while a push is sent', async () => {
  const seen: string[][] = []
  for (let round = 0; round < 30; round++) {
    const [id, device] = [`round ${round}`, `device ${round}`]
    const sent = own.send({ ...notification, id }, [device])
    // At a different moment each time. The login has the order of a connection: the device is added, then it reads.
    for (let iteration = 0; iteration < round; iteration++) await new Promise((resolve) => setImmediate(resolve))
    const received = connect(device)
    const stored = await devices.messages.oldest(device)
    await sent
    seen.push([...new Set([...received, ...stored].map((message) => message.id))])
  }
  expect(seen).toEqual(seen.map((_, round) => [`round ${round}`]))
})
