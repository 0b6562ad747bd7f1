import type { Message } from 'leancloud-realtime'
import { describe, expect, it } from 'vitest'
import { type Conversation, type Device, type IMClient, nextEvent } from '../../../support/realtime.ts'
import type { SuiteEnvironment } from './environment.ts'

interface Principal {
  readonly device: Device
  readonly client: IMClient
  readonly conversation: Conversation
}

const text = ({ device }: Pick<Principal, 'device'>, words: string) => new device.sdk.TextMessage(words)
const nextMessage = ({ client }: Pick<Principal, 'client'>) =>
  nextEvent<[Message & { text?: string; type?: number }, Conversation]>(client, 'message')

interface Inside {
  readonly _connection: { disconnect(): void }
}
const loseConnection = ({ client }: Pick<Principal, 'client'>) => (client as object as Inside)._connection.disconnect()

/** Declares the tests of messages with the official client, from sending to reading, changing and querying. */
export function messages({ app, newDevice, logIn }: SuiteEnvironment): void {
  let count = 0

  /** Creates two clients on separate devices and their conversation. */
  async function makePair(): Promise<{ tom: Principal; jerry: Principal }> {
    const [first, second] = [newDevice(), newDevice()]
    const number = ++count
    const tom = await first.logIn(`tom ${number}`)
    const jerry = await second.logIn(`jerry ${number}`)
    const { id } = await tom.createConversation({ members: [jerry.id] })
    const of = async (device: Device, client: IMClient): Promise<Principal> => ({
      device,
      client,
      conversation: (await client.getConversation(id)) as Conversation,
    })
    return { tom: await of(first, tom), jerry: await of(second, jerry) }
  }

  /** Waits until a client has received everything it missed before its login. */
  const isWelcomed = (id: string) =>
    expect
      .poll(async () => (await app.sql('SELECT FROM "$daily_clients" WHERE client_id = $1', [id])).rowCount)
      .toBeGreaterThan(0)

  describe('a message', () => {
    it('reaches the other client unchanged, and counts as unread', async () => {
      const { tom, jerry } = await makePair()
      // Otherwise the unread count at its login can include the message, and the package adds both.
      await isWelcomed(jerry.client.id)
      const arriving = nextMessage(jerry)
      const sent = await tom.conversation.send(text(tom, 'hello'))
      const [message, conversation] = await arriving
      expect(message).toMatchObject({ id: sent.id, from: tom.client.id, text: 'hello', cid: conversation.id })
      expect(message.timestamp).toEqual(sent.timestamp)
      expect(message.updatedAt).toEqual(message.timestamp)
      expect(conversation.id).toBe(tom.conversation.id)
      expect(jerry.conversation.unreadMessagesCount).toBe(1)
    })

    it('of plain text, of bytes or with attributes keeps its form', async () => {
      const { tom, jerry } = await makePair()
      const { Message: Plain, BinaryMessage } = tom.device.sdk
      let arriving = nextMessage(jerry)
      await tom.conversation.send(new Plain('plain') as never)
      expect((await arriving)[0]).toMatchObject({ content: 'plain' })

      arriving = nextMessage(jerry)
      const bytes = Uint8Array.from([0, 255, 1, 128, 2, 127, 3, 10, 13, 0])
      await tom.conversation.send(new BinaryMessage(bytes.buffer))
      const [{ buffer }] = (await arriving) as [Message & { buffer: ArrayBuffer }, Conversation]
      expect(new Uint8Array(buffer)).toEqual(bytes)

      arriving = nextMessage(jerry)
      await tom.conversation.send(text(tom, 'typed').setAttributes({ a: [1, { b: 2 }] }) as never)
      expect((await arriving)[0]).toMatchObject({ type: -1, attributes: { a: [1, { b: 2 }] } })
    })

    it('is acknowledged when transient, and not stored', async () => {
      const { tom, jerry } = await makePair()
      const arriving = nextMessage(jerry)
      const sent = await tom.conversation.send(text(tom, 'typing'), { transient: true })
      expect(sent.id).toEqual(expect.any(String))
      expect((await arriving)[0].id).toBe(sent.id)
      expect(await jerry.conversation.queryMessages({})).toEqual([])
    })

    it('carries its mentions', async () => {
      const { tom, jerry } = await makePair()
      const arriving = nextMessage(jerry)
      const message = text(tom, 'you')
      message.setMentionList([jerry.client.id]).mentionAll()
      await tom.conversation.send(message)
      expect((await arriving)[0]).toMatchObject({ mentionList: [jerry.client.id], mentionedAll: true, mentioned: true })
    })

    it('accepts a priority and push data in any place', async () => {
      const { tom, jerry } = await makePair()
      const arriving = nextMessage(jerry)
      const { HIGH } = tom.device.sdk.MessagePriority
      await tom.conversation.send(text(tom, 'now'), { priority: HIGH, pushData: { alert: 'hey' } })
      expect((await arriving)[0].text).toBe('now')
    })

    it('reaches the other devices of its sender', async () => {
      const { jerry } = await makePair()
      const elsewhere = { client: await logIn(jerry.client.id) }
      const arriving = nextMessage(elsewhere)
      const { id } = await jerry.conversation.send(text(jerry, 'synced'))
      expect((await arriving)[0].id).toBe(id)
    })

    it('to a conversation the sender is not in is rejected by name', async () => {
      const { jerry } = await makePair()
      const device = newDevice()
      const stranger = await device.logIn('stranger')
      const conversation = await stranger.getConversation(jerry.conversation.id)
      await expect(conversation.send(text({ device }, 'let me in'))).rejects.toMatchObject({
        code: 4401,
        name: 'INVALID_MESSAGING_TARGET',
      })
    })

    it('that is too long is rejected', async () => {
      const { tom } = await makePair()
      await expect(tom.conversation.send(text(tom, 'x'.repeat(5121)))).rejects.toMatchObject({ code: 4109 })
    })

    it('in a chat room reaches all clients but the sender', async () => {
      const [first, second] = [newDevice(), newDevice()]
      const sender = await first.logIn('in room')
      const room = await sender.createChatRoom({ name: 'lobby' })
      const neighbour = { client: await first.logIn('same device'), device: first }
      const guest = { client: await second.logIn('other device'), device: second }
      for (const { client } of [neighbour, guest])
        await ((await client.getConversation(room.id)) as Conversation).join()
      expect(await room.count()).toBe(3)
      let echoes = 0
      sender.on('message', () => echoes++)
      const arriving = [neighbour, guest].map(nextMessage)
      await room.send(text({ device: first }, 'hello room'))
      for (const [message] of await Promise.all(arriving)) expect(message.text).toBe('hello room')
      const back = nextEvent(sender, 'message')
      await ((await guest.client.getConversation(room.id)) as Conversation).send(text(guest, 'hello you'))
      await back
      expect(echoes).toBe(1)
    })
  })

  describe('receipts', () => {
    it('report when a message has been received and read', async () => {
      const { tom, jerry } = await makePair()
      const arriving = nextMessage(jerry)
      const delivered = nextEvent(tom.conversation, 'lastdeliveredatupdate')
      const message = await tom.conversation.send(text(tom, 'seen?'), { receipt: true })
      await delivered
      expect(message.deliveredAt!.getTime()).toBeGreaterThanOrEqual(message.timestamp.getTime())

      await arriving
      const read = nextEvent(tom.conversation, 'lastreadatupdate')
      await jerry.conversation.read()
      await read
      const { lastReadAt } = tom.conversation
      expect(lastReadAt!.getTime()).toBeGreaterThanOrEqual(message.timestamp.getTime())

      const other = (await (
        await newDevice().logIn(tom.client.id)
      ).getConversation(tom.conversation.id)) as Conversation
      await other.fetchReceiptTimestamps()
      expect(other.lastReadAt!.getTime()).toBeGreaterThanOrEqual(message.timestamp.getTime())
      expect(other.lastDeliveredAt!.getTime()).toBeGreaterThanOrEqual(message.timestamp.getTime())
    })
  })

  describe('editing and recalling', () => {
    it('sends the new content and mentions to the other client', async () => {
      const { tom, jerry } = await makePair()
      const arriving = nextMessage(jerry)
      const sent = await tom.conversation.send(text(tom, 'helo'))
      await arriving
      const editing = nextEvent<[Message & { text: string }]>(jerry.client, 'messageupdate')
      const better = text(tom, 'hello')
      better.setMentionList([jerry.client.id])
      await tom.conversation.update(sent, better)
      const [message] = await editing
      expect(message).toMatchObject({ id: sent.id, text: 'hello', mentionList: [jerry.client.id] })
      expect(message.updatedAt.getTime()).toBeGreaterThan(message.timestamp.getTime())
      const [stored] = await jerry.conversation.queryMessages({})
      expect(stored).toMatchObject({ id: sent.id, text: 'hello' })
    })

    it('keeps a recalled message in its position', async () => {
      const { tom, jerry } = await makePair()
      const sent = await tom.conversation.send(text(tom, 'oops'))
      const recalling = nextEvent<[Message & { type: number }]>(jerry.client, 'messagerecall')
      const recalled = await tom.conversation.recall(sent)
      expect(recalled).toBeInstanceOf(tom.device.sdk.RecalledMessage)
      const [message] = await recalling
      expect(message).toMatchObject({ id: sent.id, type: -127 })
      expect(message).toBeInstanceOf(jerry.device.sdk.RecalledMessage)
    })

    it('is rejected for messages of other clients', async () => {
      const { tom, jerry } = await makePair()
      const sent = await tom.conversation.send(text(tom, 'mine'))
      await expect(jerry.conversation.recall(sent)).rejects.toMatchObject({ code: 4403 })
    })

    it('is sent to a client that was away', async () => {
      const { tom, jerry } = await makePair()
      const sent = await tom.conversation.send(text(tom, 'first'))
      const editing = nextEvent<[Message & { text: string }]>(jerry.client, 'messageupdate')
      loseConnection(jerry)
      await tom.conversation.update(sent, text(tom, 'second'))
      expect((await editing)[0]).toMatchObject({ id: sent.id, text: 'second' })
    })
  })

  describe('history', () => {
    it('is queried by time and type, in either direction', async () => {
      const { tom, jerry } = await makePair()
      const sent: Message[] = []
      for (const words of ['one', 'two', 'three', 'four']) sent.push(await tom.conversation.send(text(tom, words)))
      const { OLD_TO_NEW } = jerry.device.sdk.MessageQueryDirection
      const ask = async (options: Parameters<Conversation['queryMessages']>[0]) =>
        (await jerry.conversation.queryMessages(options)).map((message) => (message as Message & { text: string }).text)
      const past = new Date(1)
      const future = new Date(Date.now() + 1e12)
      expect(await ask({})).toEqual(['one', 'two', 'three', 'four'])
      expect(await ask({ limit: 2 })).toEqual(['three', 'four'])
      expect(await ask({ limit: 0 })).toEqual([])
      expect(await ask({ type: 1000 })).toEqual([])
      expect(await ask({ type: -1, limit: 1 })).toEqual(['four'])
      expect(await ask({ startTime: past })).toEqual([])
      expect(await ask({ endTime: future, startTime: new Date() })).toEqual([])
      expect(await ask({ startTime: future, direction: OLD_TO_NEW })).toEqual([])
      expect(await ask({ startTime: past, direction: OLD_TO_NEW, limit: 2 })).toEqual(['one', 'two'])
      const [, second, third] = sent
      const start = { startTime: second!.timestamp, startMessageId: second!.id }
      const end = { endTime: third!.timestamp, endMessageId: third!.id }
      expect(await ask({ ...start, direction: OLD_TO_NEW })).toEqual(['three', 'four'])
      expect(await ask({ ...start, startClosed: true, ...end, endClosed: true, direction: OLD_TO_NEW })).toEqual([
        'two',
        'three',
      ])
    })

    it('is paged from new to old, each page from old to new', async () => {
      const { tom, jerry } = await makePair()
      for (const words of ['one', 'two', 'three']) await tom.conversation.send(text(tom, words))
      const pages = jerry.conversation.createMessagesIterator({ limit: 2 })
      const texts = async () =>
        ((await pages.next()).value as (Message & { text: string })[]).map((message) => message.text)
      expect(await texts()).toEqual(['two', 'three'])
      expect(await texts()).toEqual(['one'])
      expect((await pages.next()).done).toBe(true)
    })

    it('is restricted to members', async () => {
      const { tom } = await makePair()
      const stranger = await newDevice().logIn('outsider')
      const conversation = await stranger.getConversation(tom.conversation.id)
      await expect(conversation.queryMessages({})).rejects.toMatchObject({ code: 4312 })
    })
  })

  describe('unread counts', () => {
    it('are sent at login, on every device, and when a device has read', async () => {
      const { tom, jerry } = await makePair()
      await jerry.client.close()
      let last: Message | undefined
      for (const words of ['one', 'two', 'three']) {
        const message = text(tom, words)
        message.setMentionList([jerry.client.id])
        last = await tom.conversation.send(message)
      }
      const unreadOn = async () => {
        const client = await newDevice().logIn(jerry.client.id)
        const [[conversation]] = await nextEvent<[Conversation[]]>(client, 'unreadmessagescountupdate')
        expect(conversation).toMatchObject({
          id: tom.conversation.id,
          unreadMessagesCount: 3,
          unreadMessagesMentioned: true,
        })
        expect(conversation!.lastMessage!.id).toBe(last!.id)
        return { client, conversation: conversation! }
      }
      const first = await unreadOn()
      const second = await unreadOn()
      const isRead = nextEvent<[Conversation[]]>(first.client, 'unreadmessagescountupdate')
      await second.conversation.read()
      await isRead
      expect(first.conversation).toMatchObject({ unreadMessagesCount: 0, unreadMessagesMentioned: false })
      expect(first.conversation.lastMessage!.id).toBe(last!.id)
    })
  })

  describe('a temporary conversation', () => {
    it('is the same for the same members, and delivers messages', async () => {
      const { tom, jerry } = await makePair()
      const invited = nextEvent<[object, Conversation]>(jerry.client, 'invited', (_, { id }) => id.startsWith('_tmp:'))
      const made = await tom.client.createTemporaryConversation({ members: [jerry.client.id], ttl: 600 })
      await invited
      const arriving = nextMessage(jerry)
      await made.send(text(tom, 'for now'))
      expect((await arriving)[0].text).toBe('for now')
      const found = await jerry.client.createTemporaryConversation({ members: [tom.client.id] })
      expect(found.id).toBe(made.id)
      for (const { expiredAt } of [made, found]) expect(expiredAt.getTime()).toBeGreaterThan(Date.now())
    })

    it('that has expired accepts no messages', async () => {
      const { tom, jerry } = await makePair()
      const made = await tom.client.createTemporaryConversation({ members: [jerry.client.id], ttl: 600 })
      await app.sql('UPDATE "$temporary" SET expires_ts = 1 WHERE id = $1', [made.id])
      // Nodes have cached its old expiry.
      await app.request('POST', '/1.1/classes/_Conversation', { master: true, body: { name: 'forget the others' } })
      await expect(made.send(text(tom, 'too late'))).rejects.toMatchObject({ code: 4323 })
    })
  })
}
