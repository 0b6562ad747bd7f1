import { randomUUID } from 'node:crypto'
import { expect, it, onTestFinished, vi } from 'vitest'
import { makeMessaging } from '../../../test/support/messaging.ts'
import type { SessionEvent } from '../events.ts'
import { newMessageId } from '../message.ts'
import type { ClientSession } from '../presence.ts'
import { markRead } from './reads.ts'
import { unreadCount } from './unread.ts'
import { UnreadAtLogin } from './unread-at-login.ts'

const { messaging, conversation, send, connect } = await makeMessaging()
const { presence, missed } = messaging

/** A client that counts like official clients: it takes the count that it receives, and adds one for each later message. */
function logIn(clientId: string) {
  const counts = new Map<string, number>()
  const events: SessionEvent[] = []
  const session: ClientSession = {
    id: randomUUID(),
    clientId,
    tag: null,
    deviceId: null,
    openedAt: Date.now(),
    version: 3,
    push(event) {
      events.push(event)
      if (event.kind === 'unread') for (const { convId, count } of event.conversations) counts.set(convId, count)
      else if (event.kind === 'message' && event.message.sender !== clientId)
        counts.set(event.message.convId, (counts.get(event.message.convId) ?? 0) + 1)
      unread.observe(event)
    },
    end: () => {},
  }
  const unread = new UnreadAtLogin(messaging, session)
  presence.add(session)
  onTestFinished(() => presence.remove(session))
  return { session, unread, counts, events, of: (kind: string) => events.filter((event) => event.kind === kind) }
}

/** Stores a message without notifying clients. @returns a function that notifies them */
async function stored(convId: string, sender: string, content = 'on its way') {
  const written = { convId, sender, content, bin: false, mentionAll: false, mentions: [], receipt: false, ip: null }
  const { id, ts } = await messaging.messages.store({ ...written, id: newMessageId(), threads: [convId], token: null })
  const message = { ...written, id, ts, patchedAt: null, recalled: false }
  return (session: ClientSession) =>
    session.push({ kind: 'message', message, conversation: 'normal', transient: false })
}

/** Runs a function after the counts have been read and before they are sent. */
function whenCounted(happens: () => Promise<unknown>): void {
  const { unread } = missed
  const spy = vi.spyOn(missed, 'unread').mockImplementationOnce(async (absence) => {
    const states = await unread(absence)
    await happens()
    return states
  })
  onTestFinished(() => spy.mockRestore())
}

it('counts a message once that was counted and is delivered later', async () => {
  const ann = randomUUID()
  const convId = await conversation([ann, 'bob'])
  const notify = await stored(convId, 'bob')
  const client = logIn(ann)
  await client.unread.begin(null)
  expect(client.counts).toEqual(new Map([[convId, 1]]))
  notify(client.session)
  expect(client.of('message')).toHaveLength(1)
  await expect.poll(() => client.of('unread').length).toBe(2)
  expect(client.counts).toEqual(new Map([[convId, 1]]))
  await send('bob', convId, 'the next')
  await expect.poll(() => client.counts).toEqual(new Map([[convId, 2]]))
})

it('counts a message once that was counted and is overtaken by a later one', async () => {
  const ann = randomUUID()
  const convId = await conversation([ann, 'bob', 'cat'])
  const notify = await stored(convId, 'bob')
  const client = logIn(ann)
  await client.unread.begin(null)
  await send('cat', convId, 'the next')
  notify(client.session)
  await expect.poll(() => client.of('unread').length).toBe(2)
  expect(client.counts).toEqual(new Map([[convId, 2]]))
})

it('counts messages of two counted conversations once each when they arrive together', async () => {
  const ann = randomUUID()
  const convIds = [await conversation([ann, 'bob']), await conversation([ann, 'bob'])]
  const notify = [await stored(convIds[0]!, 'bob'), await stored(convIds[1]!, 'bob')]
  const client = logIn(ann)
  await client.unread.begin(null)
  // The second arrives while the first conversation is counted again.
  for (const tell of notify) tell(client.session)
  await expect.poll(() => client.of('unread').length).toBe(3)
  expect(client.counts).toEqual(new Map(convIds.map((convId) => [convId, 1])))
})

it('counts a message once that arrives while others are counted', async () => {
  const ann = randomUUID()
  const [convId, other] = [await conversation([ann, 'bob']), await conversation([ann, 'bob'])]
  await send('bob', convId, 'missed')
  const client = logIn(ann)
  whenCounted(async () => {
    await send('bob', convId, 'right now')
    await send('bob', other, 'and here')
  })
  await client.unread.begin(null)
  expect(client.counts).toEqual(
    new Map([
      [convId, 2],
      [other, 1],
    ]),
  )
  expect(client.of('message')).toHaveLength(2)
})

it('includes what is read on another device during the count', async () => {
  const ann = randomUUID()
  const convId = await conversation([ann, 'bob'])
  await send('bob', convId, 'missed')
  const client = logIn(ann)
  whenCounted(() => markRead(messaging, ann, [{ convId, messageId: null, ts: null }]))
  await client.unread.begin(null)
  expect(client.counts).toEqual(new Map([[convId, 0]]))
})

it('ignores own messages, messages of rooms and unstored ones', async () => {
  const ann = randomUUID()
  const convId = await conversation([ann, 'bob'])
  await send('bob', convId, 'missed')
  const notifyOwn = await stored(convId, ann, 'mine')
  const client = logIn(ann)
  await client.unread.begin(null)
  notifyOwn(client.session)
  await send('bob', convId, 'typing', { transient: true })
  await markRead(messaging, ann, [])
  expect(client.of('unread')).toHaveLength(1)
  expect(client.of('unread')[0]).toMatchObject({ conversations: [{ convId, count: 1, last: { content: 'mine' } }] })
})

it('remembers nothing when nothing is unread', async () => {
  const ann = randomUUID()
  const convId = await conversation([ann, 'bob'])
  const client = logIn(ann)
  client.unread.end()
  const notify = await stored(convId, 'bob')
  notify(client.session)
  expect(client.counts).toEqual(new Map([[convId, 1]]))
  expect(client.of('unread')).toEqual([])
})

it('corrects a count later when messages arrive faster than the conversation is counted', async () => {
  const ann = randomUUID()
  const convId = await conversation([ann, 'bob'])
  await send('bob', convId, 'missed')
  const client = logIn(ann)
  // A message is delivered after each count, and before that is sent, more often than counts are repeated.
  let [sent, isSending] = [1, false]
  const afterCount = async () => {
    if (isSending || sent === 10) return
    isSending = true
    await send('bob', convId, `${++sent}`)
    isSending = false
  }
  whenCounted(afterCount)
  const { database } = messaging
  const search = database.search.bind(database)
  const spy = vi.spyOn(database, 'search').mockImplementation(async (...parameters) => {
    const found = await search(...parameters)
    await afterCount()
    return found
  })
  onTestFinished(() => spy.mockRestore())
  await client.unread.begin(null)
  expect(sent).toBeGreaterThan(2)
  while (sent < 10) await afterCount()
  await expect.poll(() => client.counts).toEqual(new Map([[convId, 10]]))
})

it('ends with the counts of the server for clients that log in while many clients write', async () => {
  const ids = Array.from({ length: 8 }, () => randomUUID())
  const convIds = await Promise.all([1, 2, 3].map(() => conversation([...ids, 'bob', 'cat'])))
  const writers = ['bob', 'cat'].map((clientId) => connect(clientId))
  const writing = convIds.flatMap((convId) =>
    writers.map(async (writer) => {
      for (let number = 0; number < 10; number++) await send(writer, convId, `${number}`)
    }),
  )
  const clients = ids.map(async (clientId, index) => {
    for (let wait = 0; wait < index; wait++) await send('bob', convIds[index % 3]!, 'between')
    const client = logIn(clientId)
    await client.unread.begin(null)
    return { clientId, ...client }
  })
  const [all] = await Promise.all([Promise.all(clients), Promise.all(writing)])
  for (const { clientId, counts } of all) {
    for (const convId of convIds)
      await expect.poll(() => counts.get(convId)).toBe(await unreadCount(messaging, clientId, convId))
  }
})
