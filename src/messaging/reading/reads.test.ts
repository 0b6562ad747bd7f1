import { expect, it } from 'vitest'
import { makeMessaging } from '../../../test/support/messaging.ts'
import { sql } from '../../database/sql.ts'
import { acknowledge, markRead } from './reads.ts'

const { messaging, conversation, connect, send, database, anotherNode } = await makeMessaging()
const { reads, notifications, temporary } = messaging.tables

async function cursorOf(clientId: string, convId: string) {
  const [row] = await database.query(
    sql`SELECT read_ts, received_ts FROM ${reads} WHERE client_id = ${clientId} AND conv_id = ${convId}`,
  )
  return row ? { read: row.read_ts, received: row.received_ts } : null
}

const receipt = { receipt: true }

it('moves the cursor forward by a message, a range or a time, never backwards', async () => {
  const convId = await conversation(['ann', 'bob'])
  const sent = []
  for (const content of ['1', '2', '3']) sent.push(await send('ann', convId, content))
  const [first, second, third] = sent.map(({ id, ts }) => ({ id, ts }))
  await acknowledge(messaging, 'bob', { convId, messageId: second!.id })
  expect(await cursorOf('bob', convId)).toEqual({ read: 0, received: second!.ts })
  await acknowledge(messaging, 'bob', { convId, messageId: first!.id })
  await acknowledge(messaging, 'bob', { convId, from: 1, to: first!.ts })
  expect(await cursorOf('bob', convId)).toEqual({ read: 0, received: second!.ts })
  await acknowledge(messaging, 'bob', { convId, from: third!.ts, to: third!.ts })
  expect(await cursorOf('bob', convId)).toEqual({ read: 0, received: third!.ts })
})

it('does not mark messages of the future as received or read', async () => {
  const convId = await conversation(['ann', 'bob'])
  const { ts } = await send('ann', convId, 'hello')
  await acknowledge(messaging, 'bob', { convId, from: null, to: ts + 1e9 })
  await markRead(messaging, 'bob', [{ convId, messageId: null, ts: ts + 1e9 }])
  expect(await cursorOf('bob', convId)).toEqual({ read: ts, received: ts })
})

it.each([Number.NaN, Infinity, 2 ** 63, 1.5, -1])('clamps a time of %s without harming other cursors', async (to) => {
  const convId = await conversation(['ann', 'bob'])
  const { ts } = await send('ann', convId, 'hello')
  await Promise.all([
    acknowledge(messaging, 'bob', { convId, from: to, to }),
    acknowledge(messaging, 'bob', { convId, messageId: 'a\u0000' }),
    acknowledge(messaging, 'ann', { convId, from: null, to: ts }),
  ])
  expect(await cursorOf('ann', convId)).toEqual({ read: 0, received: ts })
})

it('marks read messages as received', async () => {
  const convId = await conversation(['ann', 'bob'])
  const { ts } = await send('ann', convId, 'hello')
  await markRead(messaging, 'bob', [{ convId, messageId: null, ts: null }])
  expect(await cursorOf('bob', convId)).toEqual({ read: ts, received: ts })
})

it('ignores marks in empty conversations, in rooms, and by clients that do not participate', async () => {
  const [empty, strange] = [await conversation(['ann', 'bob']), await conversation(['ann', 'cat'])]
  const room = await conversation([], { tr: true })
  for (const convId of [strange, room]) await send('ann', convId, 'hello')
  for (const convId of [empty, strange, room, 'nowhere']) {
    expect(await acknowledge(messaging, 'bob', { convId, from: null, to: Date.now() })).toBe(null)
    await markRead(messaging, 'bob', [{ convId, messageId: null, ts: null }])
    expect(await cursorOf('bob', convId)).toBe(null)
  }
})

it('sends receipts to the sender in conversations of two, on any node', async () => {
  const convId = await conversation(['ann', 'bob'])
  const [phone, laptop] = [connect('ann'), anotherNode().connect('ann')]
  const wanted = await send(phone, convId, 'with a receipt', receipt)
  await send(phone, convId, 'without')
  const last = await send(phone, convId, 'with a receipt', receipt)
  await acknowledge(messaging, 'bob', { convId, from: wanted.ts, to: last.ts })
  const receipts = [wanted, last].map(({ id }) => ({
    kind: 'receipt',
    convId,
    messageId: id,
    at: expect.any(Number),
    read: false,
    from: 'bob',
  }))
  for (const session of [phone, laptop]) {
    expect(session.of('receipt')).toEqual(receipts)
    const [first, second] = session.of('receipt')
    expect([first!.at >= wanted.ts, second!.at >= last.ts]).toEqual([true, true])
  }
})

it('sends no second receipt for a message', async () => {
  const convId = await conversation(['ann', 'bob'])
  const ann = connect('ann')
  const { id, ts } = await send(ann, convId, 'hello', receipt)
  await acknowledge(messaging, 'bob', { convId, messageId: id })
  await acknowledge(messaging, 'bob', { convId, messageId: id })
  await acknowledge(messaging, 'bob', { convId, from: ts, to: ts })
  expect(ann.of('receipt')).toHaveLength(1)
})

it('marks a single message without the ones before it', async () => {
  const convId = await conversation(['ann', 'bob'])
  const ann = connect('ann')
  await send(ann, convId, '1', receipt)
  const { id } = await send(ann, convId, '2', receipt)
  await acknowledge(messaging, 'bob', { convId, messageId: id })
  expect(ann.of('receipt').map(({ messageId }) => messageId)).toEqual([id])
})

it('marks a range from its beginning, although earlier messages are unreceived', async () => {
  const convId = await conversation(['ann', 'bob'])
  const ann = connect('ann')
  await send(ann, convId, '1', receipt)
  const { id, ts } = await send(ann, convId, '2', receipt)
  await acknowledge(messaging, 'bob', { convId, from: ts, to: ts })
  expect(ann.of('receipt').map(({ messageId }) => messageId)).toEqual([id])
})

it('sends the read receipt of the last message that was read', async () => {
  const convId = await conversation(['ann', 'bob'])
  const ann = connect('ann')
  await send(ann, convId, '1', receipt)
  const { id, ts } = await send(ann, convId, '2', receipt)
  await send(ann, convId, 'without')
  await markRead(messaging, 'bob', [{ convId, messageId: null, ts: null }])
  await markRead(messaging, 'bob', [{ convId, messageId: null, ts: null }])
  expect(ann.of('receipt')).toMatchObject([{ messageId: id, read: true, from: 'bob' }])
  expect(ann.of('receipt')[0]!.at).toBeGreaterThanOrEqual(ts)
})

it('sends no receipt for a client’s own messages', async () => {
  const convId = await conversation(['ann', 'bob'])
  const ann = connect('ann')
  const { id } = await send(ann, convId, 'hello', receipt)
  await acknowledge(messaging, 'ann', { convId, messageId: id })
  await markRead(messaging, 'ann', [{ convId, messageId: null, ts: null }])
  expect(ann.of('receipt')).toEqual([])
})

it('sends no receipts in groups, but moves the cursor', async () => {
  const convId = await conversation(['ann', 'bob', 'cat'])
  const ann = connect('ann')
  const { id, ts } = await send(ann, convId, 'hello', receipt)
  await acknowledge(messaging, 'bob', { convId, messageId: id })
  await markRead(messaging, 'bob', [{ convId, messageId: null, ts: null }])
  expect(ann.of('receipt')).toEqual([])
  expect(await cursorOf('bob', convId)).toEqual({ read: ts, received: ts })
})

it('sends receipts in temporary conversations', async () => {
  await database.query(sql`
    INSERT INTO ${temporary} (id, members, creator, created_ts, expires_ts)
    VALUES ('_tmp:talk', ${['ann', 'bob']}, 'ann', 0, ${Date.now() + 60_000})`)
  const ann = connect('ann')
  const { id } = await send(ann, '_tmp:talk', 'hello', receipt)
  await acknowledge(messaging, 'bob', { convId: '_tmp:talk', messageId: id })
  expect(ann.of('receipt')).toMatchObject([{ messageId: id }])
})

it('stores receipts for an offline sender, not as permanent', async () => {
  const convId = await conversation(['away', 'bob'])
  const { id } = await send('away', convId, 'hello', receipt)
  await acknowledge(messaging, 'bob', { convId, messageId: id })
  await markRead(messaging, 'bob', [{ convId, messageId: null, ts: null }])
  const rows = await database.query(sql`
    SELECT ts, permanent, body FROM ${notifications} WHERE client_id = 'away' ORDER BY ts, body->>'read'`)
  const events = rows.map(({ body }) => JSON.parse(String(body)))
  expect(events).toEqual([
    { kind: 'receipt', convId, messageId: id, at: rows[0]!.ts, read: false, from: 'bob' },
    { kind: 'receipt', convId, messageId: id, at: rows[1]!.ts, read: true, from: 'bob' },
  ])
  expect(rows.map(({ permanent }) => permanent)).toEqual([false, false])
})

it('finds a message far after the cursor, and one far before the latest', async () => {
  const convId = await conversation(['ann', 'bob'])
  const sent = await Promise.all(Array.from({ length: 1500 }, (_, number) => send('ann', convId, String(number))))
  await acknowledge(messaging, 'bob', { convId, messageId: sent[300]!.id })
  expect(await cursorOf('bob', convId)).toMatchObject({ received: sent[300]!.ts })
  await acknowledge(messaging, 'bob', { convId, messageId: sent[1200]!.id })
  expect(await cursorOf('bob', convId)).toMatchObject({ received: sent[1200]!.ts })
})

it('sends the unread counts to all sessions of version 3 of the reader, on all nodes', async () => {
  const convId = await conversation(['ann', 'bob'])
  const [phone, laptop, old] = [connect('bob'), anotherNode().connect('bob'), connect('bob', { version: 1 })]
  await send('ann', convId, 'hello', { mentionAll: true })
  await markRead(messaging, 'bob', [{ convId, messageId: null, ts: null }])
  const state = { convId, kind: 'normal', count: 0, mentioned: false, last: null }
  for (const session of [phone, laptop])
    expect(session.of('unread')).toEqual([{ kind: 'unread', at: expect.any(Number), conversations: [state] }])
  expect(old.of('unread')).toEqual([])
})

it('counts messages of others after the cursor only', async () => {
  const convId = await conversation(['ann', 'bob', 'cat'])
  const bob = connect('bob')
  const first = await send('ann', convId, '1', { mentions: ['bob'] })
  await send('bob', convId, 'mine')
  await send('cat', convId, '2')
  await send('ann', convId, '3', { mentions: ['bob'] })
  await markRead(messaging, 'bob', [{ convId, messageId: first.id, ts: null }])
  expect(bob.of('unread')[0]!.conversations).toMatchObject([
    { convId, count: 2, mentioned: true, last: { content: '3' } },
  ])
})

it('marks many conversations at once', async () => {
  const dan = connect('dan')
  const convIds = await Promise.all(Array.from({ length: 60 }, () => conversation(['ann', 'dan'])))
  await Promise.all(convIds.flatMap((convId) => [send('ann', convId, '1'), send('ann', convId, '2')]))
  await markRead(
    messaging,
    'dan',
    [...convIds, 'nowhere', convIds[0]!].map((convId) => ({ convId, messageId: null, ts: null })),
  )
  // After all these messages, of which one iteration of the event loop delivers a limited number.
  await expect.poll(() => dan.of('unread')).toHaveLength(1)
  expect(
    dan
      .of('unread')[0]!
      .conversations.map(({ convId }) => convId)
      .toSorted(),
  ).toEqual(convIds.toSorted())
  const rows = await database.query(sql`SELECT FROM ${reads} WHERE client_id = 'dan' AND has_read`)
  expect(rows).toHaveLength(60)
})
