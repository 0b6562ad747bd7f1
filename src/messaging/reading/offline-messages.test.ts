import { expect, it, onTestFinished, vi } from 'vitest'
import { type FakeSession, makeMessaging } from '../../../test/support/messaging.ts'
import { sql } from '../../database/sql.ts'
import { sendBroadcast } from '../messages/broadcasts.ts'
import { sendTargeted } from '../messages/targeted-messages.ts'
import { OfflineMessages } from './offline-messages.ts'
import { acknowledge } from './reads.ts'

const { messaging, conversation, connect, send, database } = await makeMessaging()

/** Reconnects a session of version 1. Returns the session with the events that it is sent for its absence. */
async function comeBack(clientId: string): Promise<{ session: FakeSession; offline: OfflineMessages }> {
  const session = connect(clientId, { version: 1 })
  const offline = new OfflineMessages(messaging, session, async () => true)
  await offline.begin()
  return { session, offline }
}

const contents = (session: FakeSession) => session.of('message').map(({ message }) => message.content)

async function sendNumbers(convId: string, from: number, to: number) {
  const sent = []
  for (let number = from; number <= to; number++) sent.push(await send('bob', convId, String(number)))
  return sent
}

const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => String(from + index))

it('sends messages from the absence oldest first, marked as offline', async () => {
  const convId = await conversation(['a1', 'bob'])
  const [first, second] = await sendNumbers(convId, 1, 2)
  const { session } = await comeBack('a1')
  expect(session.events).toEqual([
    {
      kind: 'message',
      message: expect.objectContaining({ id: first!.id, ts: first!.ts, content: '1' }),
      conversation: 'normal',
      transient: false,
      offline: true,
      hasMore: false,
    },
    expect.objectContaining({ message: expect.objectContaining({ id: second!.id }), hasMore: false }),
  ])
})

it('sends neither received messages nor the client’s own again', async () => {
  const convId = await conversation(['a2', 'bob'])
  const [first] = await sendNumbers(convId, 1, 1)
  await acknowledge(messaging, 'a2', { convId, messageId: first!.id })
  await send('a2', convId, 'mine')
  await sendNumbers(convId, 2, 2)
  expect(contents((await comeBack('a2')).session)).toEqual(['2'])
  expect(contents((await comeBack('a2')).session)).toEqual(['2'])
})

it('sends pages of 20 messages of a conversation, the next one after the acknowledgement', async () => {
  const [long, short] = [await conversation(['a3', 'bob']), await conversation(['a3', 'bob'])]
  const sent = await sendNumbers(long, 1, 45)
  await sendNumbers(short, 1, 20)
  const { session, offline } = await comeBack('a3')
  const pageOf = (convId: string) => session.of('message').filter(({ message }) => message.convId === convId)
  expect(pageOf(long).map(({ message }) => message.content)).toEqual(numbers(1, 20))
  expect(pageOf(long).every(({ hasMore }) => hasMore)).toBe(true)
  expect(pageOf(short).map(({ hasMore }) => hasMore)).toEqual(Array(20).fill(false))
  session.clear()
  await offline.acknowledge({ convId: long, messageId: sent[5]!.id })
  expect(session.events).toEqual([])
  await offline.acknowledge({ convId: long, from: sent[6]!.ts, to: sent[19]!.ts })
  expect(contents(session)).toEqual(numbers(21, 40))
  session.clear()
  for (const { id } of sent.slice(20, 40)) await offline.acknowledge({ convId: long, messageId: id })
  expect(contents(session)).toEqual(numbers(41, 45))
  expect(session.of('message').every(({ hasMore }) => hasMore === false)).toBe(true)
  session.clear()
  await offline.acknowledge({ convId: long, messageId: sent[44]!.id })
  expect(session.events).toEqual([])
  expect(contents((await comeBack('a3')).session)).toEqual(numbers(1, 20))
})

it('sends the remaining messages even if a new one arrives meanwhile', async () => {
  const convId = await conversation(['a4', 'bob'])
  const sent = await sendNumbers(convId, 1, 25)
  const { session, offline } = await comeBack('a4')
  const live = await send('bob', convId, '26')
  expect(contents(session).at(-1)).toBe('26')
  await offline.acknowledge({ convId, messageId: live.id })
  expect(contents(session).slice(21)).toEqual(numbers(21, 26))
  await offline.acknowledge({ convId, messageId: sent[20]!.id })
  expect(contents((await comeBack('a4')).session)).toEqual(numbers(22, 26))
})

it('sends one page for two concurrent acknowledgements of a page', async () => {
  const convId = await conversation(['a5', 'bob'])
  const sent = await sendNumbers(convId, 1, 70)
  const { session, offline } = await comeBack('a5')
  session.clear()
  const received = { convId, messageId: sent[19]!.id }
  await Promise.all([offline.acknowledge(received), offline.acknowledge(received)])
  expect(contents(session)).toEqual(numbers(21, 40))
})

it('sends no page for an acknowledgement that is recorded after the next page was sent for another one', async () => {
  const convId = await conversation(['a8', 'bob'])
  const sent = await sendNumbers(convId, 1, 70)
  const { session, offline } = await comeBack('a8')
  session.clear()
  const received = { convId, messageId: sent[19]!.id }
  const move = messaging.readCursors.move.bind(messaging.readCursors)
  let proceed = () => {}
  const held = new Promise<void>((resolve) => {
    proceed = resolve
  })
  const spy = vi.spyOn(messaging.readCursors, 'move').mockImplementationOnce((cursor) => held.then(() => move(cursor)))
  onTestFinished(() => spy.mockRestore())
  const late = offline.acknowledge(received)
  await offline.acknowledge(received)
  proceed()
  await late
  expect(contents(session)).toEqual(numbers(21, 40))
})

it('sends broadcasts and the client’s own messages of system conversations in one order', async () => {
  const convId = await conversation([], { sys: true })
  await database.query(sql`INSERT INTO ${messaging.tables.subscriptions} VALUES (${convId}, 'a6', 0)`)
  const targeted = { convId, fromClient: 'app', bin: false, transient: false, sync: false, pushData: null, ip: null }
  const broadcast = { convId, fromClient: 'app', bin: false, ip: null }
  await sendTargeted(messaging, { ...targeted, toClients: ['a6', 'other'], content: '1' })
  await sendBroadcast(messaging, { ...broadcast, content: '2' }, 'subscribers')
  await sendTargeted(messaging, { ...targeted, toClients: ['other'], content: 'not mine' })
  const watcher = connect('watcher')
  const last = await sendTargeted(messaging, { ...targeted, toClients: ['a6', 'watcher'], content: '3' })
  // The event for connected clients follows the broadcasts. Before it, a reconnecting client would receive these, too.
  await expect.poll(() => contents(watcher)).toEqual(['3'])
  const { session } = await comeBack('a6')
  expect(contents(session)).toEqual(['1', '2', '3'])
  await acknowledge(messaging, 'a6', { convId, messageId: last.id })
  expect(contents((await comeBack('a6')).session)).toEqual([])
})

it('sends all conversations of a client that is in more than one batch', async () => {
  const convIds = await Promise.all(Array.from({ length: 60 }, () => conversation(['a7', 'bob'])))
  await Promise.all(convIds.map((convId) => send('bob', convId, 'hello')))
  const { session } = await comeBack('a7')
  expect(
    session
      .of('message')
      .map(({ message }) => message.convId)
      .toSorted(),
  ).toEqual(convIds.toSorted())
})

it('sends as fast as the client reads, and stops when it disconnects', async () => {
  for (let n = 0; n < 35; n++) await sendNumbers(await conversation(['slow', 'bob']), 1, 1)
  const session = connect('slow', { version: 1 })
  const sent: number[] = []
  await new OfflineMessages(messaging, session, async () => {
    sent.push(contents(session).length)
    return sent.length < 3
  }).begin()
  expect(sent).toEqual([0, 10, 20])
  expect(contents(session)).toHaveLength(20)
})
