import type { Message } from 'leancloud-realtime'
import initPlugin from 'leancloud-realtime-plugin-typed-messages'
import AV from 'leancloud-storage'
import { beforeAll, expect, it } from 'vitest'
import { type Conversation, nextEvent } from '../../../support/realtime.ts'
import { initSdk } from '../../../support/sdk.ts'
import type { SuiteEnvironment } from './environment.ts'

/** Declares the tests of plug-in messages with files and locations. */
export function typedMessages({ app, newDevice }: SuiteEnvironment): void {
  let tom: Awaited<ReturnType<typeof logIn>>
  let jerry: Awaited<ReturnType<typeof logIn>>
  let conversation: Conversation

  /** Logs a client in on a device that supports the plug-in messages. */
  async function logIn(id: string) {
    const device = newDevice()
    const plugin = initPlugin(AV, device.sdk)
    device.realtime.register(plugin.TypedMessagesPlugin.messageClasses!)
    return { plugin, client: await device.logIn(id) }
  }

  beforeAll(async () => {
    await initSdk(app)
    tom = await logIn('tom')
    jerry = await logIn('jerry')
    conversation = (await tom.client.createConversation({ members: ['jerry'] })) as Conversation
  })

  async function sendAndReceive(message: object) {
    const arriving = nextEvent<[Message]>(jerry.client, 'message')
    await conversation.send(message as Message)
    return (await arriving)[0]
  }

  it('a message with a file keeps it and its metadata', async () => {
    const file = AV.File.withURL('cat.png', 'https://files.example.com/cat.png')
    file.metaData('width', 10)
    await file.save()
    const received = await sendAndReceive(new tom.plugin.ImageMessage(file))
    expect(received).toBeInstanceOf(jerry.plugin.ImageMessage)
    const { getFile } = received as InstanceType<typeof jerry.plugin.ImageMessage>
    const arrived = getFile.call(received)
    expect([arrived.id, arrived.url(), arrived.metaData('width')]).toEqual([file.id, file.url(), 10])
  })

  it('a message with a location keeps it', async () => {
    const received = await sendAndReceive(new tom.plugin.LocationMessage(new AV.GeoPoint(31.5, 120.25)))
    expect(received).toBeInstanceOf(jerry.plugin.LocationMessage)
    const { getLocation } = received as InstanceType<typeof jerry.plugin.LocationMessage>
    expect(getLocation.call(received).toJSON()).toMatchObject({ latitude: 31.5, longitude: 120.25 })
  })
}
