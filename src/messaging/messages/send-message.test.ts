import { expect, it, onTestFinished, vi } from 'vitest'
import { draftOf, makeMessaging } from '../../../test/support/messaging.ts'
import { sql } from '../../database/sql.ts'
import type { JsonObject } from '../../values/json.ts'
import { readHistory } from './history.ts'
import { sendMessage } from './send-message.ts'

const { messaging, conversation, connect, send, database, anotherNode, hooks } = await makeMessaging()
const { messages, silences, temporary } = messaging.tables

const stored = (id: string) => database.query(sql`SELECT * FROM ${messages} WHERE id = ${id}`)

async function silence(convId: string, clientId: string, until: number | null): Promise<void> {
  await database.query(sql`INSERT INTO ${silences} VALUES (${convId}, ${clientId}, ${until})`)
  await messaging.conversations.forget(convId)
}

it('notifies all sessions of all members on all nodes, except the sending one', async () => {
  const convId = await conversation(['ann', 'bob'])
  const [phone, laptop, bob, eve] = [connect('ann'), anotherNode().connect('ann'), connect('bob'), connect('eve')]
  const { id, ts, changed } = await send(phone, convId, 'hello', { mentions: ['bob'], receipt: true })
  const event = {
    kind: 'message',
    message: {
      id,
      convId,
      ts,
      sender: 'ann',
      content: 'hello',
      bin: false,
      mentionAll: false,
      mentions: ['bob'],
      receipt: true,
      patchedAt: null,
      recalled: false,
      ip: null,
    },
    conversation: 'normal',
    transient: false,
  }
  expect([phone, laptop, bob, eve].map(({ events }) => events)).toEqual([[], [event], [event], []])
  expect(changed).toBe(null)
  expect(await stored(id)).toMatchObject([{ thread: convId, ts, content: 'hello' }])
})

it('delivers concurrent messages of many senders everywhere in one order', async () => {
  const other = anotherNode()
  const convId = await conversation(['ann', 'bob', 'cat'])
  const readers = [connect('cat'), other.connect('cat')]
  const [ann, bob] = [connect('ann'), other.connect('bob')]
  // A message that the database takes long for is not overtaken; delivery-order.test.ts covers how long the others wait.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  await Promise.all(
    Array.from({ length: 200 }, (_, number) =>
      number % 2 ? send(ann, convId, `ann ${number}`) : other.send(bob, convId, `bob ${number}`),
    ),
  )
  const source = { threads: [convId] }
  const query = { source, from: null, to: null, ascending: true, limit: 1000, type: null }
  const order = await readHistory(messaging, query)
  const ids = order.map(({ id }) => id)
  expect(ids).toHaveLength(200)
  for (const reader of readers) expect(reader.of('message').map(({ message }) => message.id)).toEqual(ids)
})

it('neither stores nor delivers a message again, and keeps its id and time', async () => {
  const convId = await conversation(['ann', 'bob'])
  const [ann, bob] = [connect('ann'), connect('bob')]
  const first = await send(ann, convId, 'hello', { token: 'token' })
  const again = await send(ann, convId, 'hello', { token: 'token' })
  expect(again).toMatchObject({ id: first.id, ts: first.ts })
  expect(bob.events).toHaveLength(1)
})

it('delivers a transient message without storing it', async () => {
  const convId = await conversation(['ann', 'bob'])
  const [ann, bob] = [connect('ann'), connect('bob')]
  const { id } = await send(ann, convId, 'typing', { transient: true })
  expect(bob.of('message')).toMatchObject([{ message: { id }, transient: true }])
  expect(await stored(id)).toEqual([])
})

it('notifies the sessions in a chat room, except the sending one', async () => {
  const room = await conversation([], { tr: true })
  const [phone, laptop, bob, outside] = [connect('ann'), connect('ann'), connect('bob'), connect('cat')]
  for (const session of [phone, laptop, bob]) messaging.presence.enterRoom(session, room)
  const { id } = await send(phone, room, 'hello')
  expect([phone, laptop, bob, outside].map(({ events }) => events.length)).toEqual([0, 1, 1, 0])
  expect(bob.events).toMatchObject([{ conversation: 'room' }])
  expect(await stored(id)).toHaveLength(1)
})

it('sends on behalf of a client that is not a member, and notifies the client unless disabled', async () => {
  const convId = await conversation(['bob'])
  const [ann, bob] = [connect('ann'), connect('bob')]
  await send('ann', convId, '1')
  const sender = { clientId: 'ann', session: null, ip: null, sync: false }
  await sendMessage(messaging, sender, draftOf(convId, '2'))
  await sendMessage(messaging, { ...sender, clientId: 'bob' }, draftOf(convId, '3'))
  expect(ann.of('message').map(({ message }) => message.content)).toEqual(['1'])
  expect(bob.of('message').map(({ message }) => message.content)).toEqual(['1', '2'])
})

it('does not notify the client on whose behalf the app sends in a chat room', async () => {
  const room = await conversation([], { tr: true })
  const [ann, bob] = [connect('ann'), connect('bob')]
  for (const session of [ann, bob]) messaging.presence.enterRoom(session, room)
  await send('ann', room, 'hello')
  expect([ann.events.length, bob.events.length]).toEqual([0, 1])
})

it('rejects messages of non-members, and messages to unknown conversations', async () => {
  const ann = connect('ann')
  await expect(send(ann, await conversation(['bob']), 'x')).rejects.toMatchObject({ code: 4401 })
  await expect(send(ann, '555555555555555555555555', 'x')).rejects.toMatchObject({
    code: 4401,
    reason: 'INVALID_MESSAGING_TARGET',
  })
  await expect(send('ann', '555555555555555555555555', 'x')).rejects.toMatchObject({ code: 4401 })
})

it('rejects messages to an expired or unknown temporary conversation, also by the app', async () => {
  await database.query(sql`
    INSERT INTO ${temporary} (id, members, creator, created_ts, expires_ts)
    VALUES ('_tmp:open', ${['ann', 'bob']}, 'ann', 0, ${Date.now() + 60_000}), ('_tmp:over', ${['ann', 'bob']}, 'ann', 0, 1)`)
  const [ann, bob, eve] = [connect('ann'), connect('bob'), connect('eve')]
  await send(ann, '_tmp:open', 'hello')
  expect(bob.events).toMatchObject([{ conversation: 'temporary' }])
  await expect(send(eve, '_tmp:open', 'x')).rejects.toMatchObject({ code: 4401 })
  for (const convId of ['_tmp:over', '_tmp:unknown']) {
    for (const from of [ann, 'ann'])
      await expect(send(from, convId, 'x')).rejects.toMatchObject({ code: 4303, reason: 'CONVERSATION_NOT_FOUND' })
  }
})

it('rejects messages of a silenced client, for a time or until it is lifted, but not of the app on its behalf', async () => {
  const convId = await conversation(['ann', 'bob', 'cat'])
  const [ann, bob, cat] = [connect('ann'), connect('bob'), connect('cat')]
  await silence(convId, 'ann', null)
  await silence(convId, 'bob', Date.now() + 60_000)
  await silence(convId, 'cat', Date.now() - 1)
  await expect(send(ann, convId, 'x')).rejects.toMatchObject({ code: 4563 })
  await expect(send(bob, convId, 'x')).rejects.toMatchObject({ code: 4315 })
  await send(cat, convId, 'x')
  await send('ann', convId, 'x')
})

it('stores messages of clients to a system conversation for the app, without notifying clients', async () => {
  const convId = await conversation([], { sys: true })
  const [ann, laptop] = [connect('ann'), connect('ann')]
  const { id, ts } = await send(ann, convId, 'to the app')
  expect(laptop.events).toEqual([])
  expect(await stored(id)).toEqual([])
  const table = messaging.objects.classes.get('_SysMessage')!.table
  const [row] = await database.query(sql`SELECT data FROM ${table} WHERE data->>'msgId' = ${id}`)
  expect(JSON.parse(String(row!.data))).toMatchObject({ from: 'ann', data: 'to the app', timestamp: ts })
})

it.each<[what: string, changes: Parameters<typeof draftOf>[2], content: string, code: number]>([
  ['more than 5 KB', {}, '你'.repeat(1707), 1],
  ['more than 5 KB with its push data', { pushData: '{}' }, 'x'.repeat(5119), 1],
  ['more than 5 KB of bytes', { bin: true }, Buffer.alloc(5121).toString('base64'), 1],
  ['more than 20 mentions', { mentions: Array(21).fill('bob') }, 'x', 1],
  ['a very long token', { token: 'x'.repeat(257) }, 'x', 1],
  ['a character that cannot be stored', {}, 'a\u0000b', 107],
  ['one in its token', { token: '\u0000' }, 'x', 107],
  ['one in a mention', { mentions: ['\u0000'] }, 'x', 107],
])('rejects a message with %s', async (_, changes, content, code) => {
  const convId = await conversation(['ann', 'bob'])
  await expect(send('ann', convId, content, changes)).rejects.toMatchObject({ code })
})

it('accepts 5 KB of text including push data, or of bytes', async () => {
  const convId = await conversation(['ann', 'bob'])
  await send('ann', convId, 'x'.repeat(5118), { pushData: '{}' })
  await send('ann', convId, Buffer.alloc(5120).toString('base64'), { bin: true })
})

it('lets _messageReceived drop a message, and returns its reason to the sender', async () => {
  const convId = await conversation(['ann', 'bob'])
  const [ann, bob] = [connect('ann'), connect('bob')]
  const calls: JsonObject[] = []
  hooks.set('_messageReceived', (input) => {
    calls.push(input)
    return { drop: true, code: 7, detail: 'no' }
  })
  await expect(
    sendMessage(messaging, { clientId: 'ann', session: ann, ip: '192.0.2.1', sync: true }, draftOf(convId, 'damn')),
  ).rejects.toMatchObject({ code: 4402, app: { code: 7, message: 'no' } })
  hooks.clear()
  expect(bob.events).toEqual([])
  expect(calls).toEqual([
    {
      fromPeer: 'ann',
      convId,
      toPeers: ['bob'],
      transient: false,
      bin: false,
      content: 'damn',
      receipt: false,
      timestamp: expect.any(Number),
      system: false,
      sourceIP: '192.0.2.1',
    },
  ])
})

it('lets _messageReceived change the stored and delivered content, and the receivers', async () => {
  const convId = await conversation(['ann', 'bob', 'cat'])
  const [ann, laptop, bob, cat] = [connect('ann'), connect('ann'), connect('bob'), connect('cat')]
  hooks.set('_messageReceived', () => ({ content: '***', toPeers: ['bob', 'bob'], code: 9, detail: 'language' }))
  const sent = await send(ann, convId, 'damn')
  hooks.clear()
  expect(sent.changed).toMatchObject({ message: { id: sent.id, content: '***' }, code: 9, reason: 'language' })
  expect([ann, laptop, bob, cat].map(({ events }) => events.length)).toEqual([0, 1, 1, 0])
  expect(bob.events).toMatchObject([{ message: { content: '***' } }])
  expect(await stored(sent.id)).toMatchObject([{ content: '***' }])
})

it('passes the online receivers to _messageSent', async () => {
  const convId = await conversation(['ann', 'away', 'dan'])
  const ann = connect('ann')
  connect('away').leave()
  anotherNode().connect('dan')
  const received = vi.fn(() => ({}))
  hooks.set('_messageSent', received)
  const { id, ts } = await send(ann, convId, 'hello')
  await vi.waitFor(() => expect(received).toHaveBeenCalled(), 10_000)
  hooks.clear()
  expect(received).toHaveBeenCalledWith({
    fromPeer: 'ann',
    convId,
    msgId: id,
    onlinePeers: ['dan'],
    offlinePeers: ['away'],
    transient: false,
    system: false,
    bin: false,
    content: 'hello',
    receipt: false,
    timestamp: ts,
    sourceIP: '',
  })
})
