import { expect, it } from 'vitest'
import { makeMessaging } from '../../../test/support/messaging.ts'
import { sql } from '../../database/sql.ts'
import type { Unread } from '../events.ts'
import { beginReading } from '../members/begin-reading.ts'
import { sendBroadcast } from '../messages/broadcasts.ts'
import { sendTargeted } from '../messages/targeted-messages.ts'
import { markRead } from './reads.ts'
import { unreadCount } from './unread.ts'

const { messaging, conversation, send, database } = await makeMessaging()
const { messages, threads, reads, temporary, subscriptions } = messaging.tables

let clients = 0

/** A new client id. */
const newClient = () => `client ${clients++}`

async function unreadOf(clientId: string, since: number | null = null): Promise<readonly Unread[]> {
  return (await messaging.missed.unread({ clientId, unreadSince: since })).conversations
}

const readAll = (clientId: string, convId: string) =>
  markRead(messaging, clientId, [{ convId, messageId: null, ts: null }])

/** Moves everything in these conversations into the past. */
async function age(convIds: readonly string[], milliseconds: number): Promise<void> {
  const difference = sql`${milliseconds}::bigint`
  const these = sql`conv_id = ANY(${convIds}::text[])`
  await database.query(sql`UPDATE ${messages} SET ts = ts - ${difference} WHERE ${these}`)
  await database.query(sql`UPDATE ${threads} SET last_ts = last_ts - ${difference} WHERE ${these}`)
  await database.query(sql`
    UPDATE ${reads}
    SET read_ts = read_ts - ${difference}, received_ts = received_ts - ${difference}, changed_at = changed_at - ${difference}
    WHERE ${these}`)
}

async function systemConversation(...subscribers: readonly string[]): Promise<string> {
  const convId = await conversation([], { sys: true })
  await database.query(sql`
    INSERT INTO ${subscriptions} (conv_id, client_id, since_ts)
    SELECT ${convId}, client_id, 0
    FROM unnest(${subscribers}::text[]) AS client_id`)
  return convId
}

const targeted = { fromClient: 'app', bin: false, transient: false, sync: false, pushData: null, ip: null }
const broadcast = { fromClient: 'app', bin: false, ip: null }

it('returns conversations with unread messages, newest first', async () => {
  const ann = newClient()
  const [first, second, silent] = [
    await conversation([ann, 'bob']),
    await conversation(['bob', ann, 'cat']),
    await conversation([ann, 'bob']),
  ]
  await send('bob', first, '1')
  await send('bob', second, '2')
  const last = await send('cat', second, '3')
  await age([first], 1000)
  expect(silent).not.toBe(first)
  expect(await messaging.missed.unread({ clientId: ann, unreadSince: null })).toEqual({
    at: expect.any(Number),
    conversations: [
      {
        convId: second,
        kind: 'normal',
        count: 2,
        mentioned: false,
        last: expect.objectContaining({ id: last.id, ts: last.ts, sender: 'cat', content: '3', convId: second }),
      },
      { convId: first, kind: 'normal', count: 1, mentioned: false, last: expect.objectContaining({ content: '1' }) },
    ],
  })
})

it('returns nothing when nothing is unread', async () => {
  const ann = newClient()
  const convId = await conversation([ann, 'bob'])
  expect(await unreadOf(ann)).toEqual([])
  await send('bob', convId, 'hello')
  await readAll(ann, convId)
  expect(await unreadOf(ann)).toEqual([])
})

it('does not count own messages, but returns them as the last', async () => {
  const ann = newClient()
  const [mine, mixed] = [await conversation([ann, 'bob']), await conversation([ann, 'bob'])]
  await send(ann, mine, 'mine')
  await send('bob', mixed, '1')
  await send(ann, mixed, 'mine')
  expect(await unreadOf(ann)).toMatchObject([{ convId: mixed, count: 1, last: { content: 'mine' } }])
})

it('does not count messages from before the client joined', async () => {
  const ann = newClient()
  const convId = await conversation([ann, 'bob'])
  await send('bob', convId, 'before')
  await beginReading(messaging, database, convId, [ann])
  expect(await unreadOf(ann)).toEqual([])
  await send('bob', convId, 'after')
  expect(await unreadOf(ann)).toMatchObject([{ count: 1 }])
})

it('counts at most 100 messages', async () => {
  const ann = newClient()
  const convId = await conversation([ann, 'bob'])
  await Promise.all(Array.from({ length: 130 }, () => send('bob', convId, 'hello')))
  expect(await unreadOf(ann)).toMatchObject([{ count: 100 }])
  expect(await unreadCount(messaging, ann, convId)).toBe(100)
})

it('returns at most 50 conversations, those with the newest messages', async () => {
  const ann = newClient()
  const convIds = await Promise.all(Array.from({ length: 60 }, () => conversation([ann, 'bob'])))
  for (const convId of convIds) await send('bob', convId, 'hello')
  for (const [index, convId] of convIds.entries()) await age([convId], 1000 * (60 - index))
  const own = await conversation([ann, 'bob'])
  await send(ann, own, 'own messages take no place')
  expect((await unreadOf(ann)).map(({ convId }) => convId)).toEqual(convIds.slice(10).toReversed())
})

it.each([
  ['everyone', { mentionAll: true }, true],
  ['the client', { mentions: ['bob', 'ann, "x"'] }, true],
  ['another client', { mentions: ['bob'] }, false],
])('reports whether messages mention the client: %s', async (_, changes, mentioned) => {
  const ann = 'ann, "x"'
  const convId = await conversation([ann, 'bob', `${mentioned}`])
  await send('bob', convId, 'hello', changes)
  await send('bob', convId, 'and more')
  expect((await unreadOf(ann)).find((state) => state.convId === convId)).toMatchObject({ count: 2, mentioned })
  await readAll(ann, convId)
  expect((await unreadOf(ann)).find((state) => state.convId === convId)).toBe(undefined)
})

it('returns an edited message with its current content', async () => {
  const ann = newClient()
  const convId = await conversation([ann, 'bob'])
  const { id } = await send('bob', convId, 'hello')
  await database.query(sql`UPDATE ${messages} SET content = 'edited', patched_at = ts + 5 WHERE id = ${id}`)
  expect(await unreadOf(ann)).toMatchObject([{ last: { content: 'edited', patchedAt: expect.any(Number) } }])
})

it('counts temporary conversations until they expire, and never chat rooms', async () => {
  const ann = newClient()
  const room = await conversation([ann], { tr: true })
  for (const [id, ends] of [
    [`_tmp:${ann}`, Date.now() + 60_000],
    [`_tmp:ended ${ann}`, Date.now() + 60_000],
  ] as const) {
    await database.query(sql`
      INSERT INTO ${temporary} (id, members, creator, created_ts, expires_ts)
      VALUES (${id}, ${[ann, 'bob']}, 'bob', 0, ${ends})`)
    await send('bob', id, 'hello')
  }
  await send('bob', room, 'hello')
  await database.query(sql`UPDATE ${temporary} SET expires_ts = 1 WHERE id = ${`_tmp:ended ${ann}`}`)
  expect(await unreadOf(ann)).toMatchObject([{ convId: `_tmp:${ann}`, kind: 'temporary', count: 1 }])
})

it('counts broadcasts and the client’s own messages of system conversations', async () => {
  const [ann, bob] = [newClient(), newClient()]
  const convId = await systemConversation(ann, bob)
  await sendBroadcast(messaging, { ...broadcast, convId, content: 'to all' }, 'subscribers')
  await sendTargeted(messaging, { ...targeted, convId, toClients: [ann], content: 'to ann' })
  await sendTargeted(messaging, { ...targeted, convId, toClients: ['other'], content: 'to another' })
  expect(await unreadOf(ann)).toMatchObject([{ convId, kind: 'system', count: 2, last: { content: 'to ann' } }])
  expect(await unreadOf(bob)).toMatchObject([{ convId, kind: 'system', count: 1, last: { content: 'to all' } }])
  await readAll(ann, convId)
  expect(await unreadOf(ann)).toEqual([])
})

it('counts messages of a system conversation after the subscription only', async () => {
  const ann = newClient()
  const convId = await systemConversation(ann)
  const { ts } = await sendBroadcast(messaging, { ...broadcast, convId, content: 'before' }, 'subscribers')
  await database.query(sql`UPDATE ${subscriptions} SET since_ts = ${ts}::bigint WHERE conv_id = ${convId}`)
  expect(await unreadOf(ann)).toEqual([])
  await sendBroadcast(messaging, { ...broadcast, convId, content: 'after' }, 'subscribers')
  expect(await unreadOf(ann)).toMatchObject([{ count: 1 }])
  await database.query(sql`DELETE FROM ${subscriptions} WHERE conv_id = ${convId}`)
  expect(await unreadOf(ann)).toEqual([])
})

it('returns only states that have changed since a time: new messages, and reads on other devices', async () => {
  const ann = newClient()
  const [old, read, grown, changed] = await Promise.all(Array.from({ length: 4 }, () => conversation([ann, 'bob'])))
  for (const convId of [old!, read!, grown!, changed!]) await send('bob', convId, '1')
  await readAll(ann, read!)
  await age([old!, read!, grown!, changed!], 60_000)
  const since = Date.now() - 30_000
  await send('bob', grown!, '2')
  await readAll(ann, changed!)
  expect((await unreadOf(ann, since)).map(({ convId, count }) => [convId, count])).toEqual([
    [grown, 2],
    [changed, 0],
  ])
  expect((await unreadOf(ann)).map(({ convId }) => convId).toSorted()).toEqual([old, grown].toSorted())
})

it('returns a message that was being stored at that time', async () => {
  const ann = newClient()
  const convId = await conversation([ann, 'bob'])
  const { ts } = await send('bob', convId, 'hello')
  expect(await unreadOf(ann, ts + 100)).toMatchObject([{ convId, count: 1 }])
})

it('returns the count of one conversation or of all', async () => {
  const ann = newClient()
  const [first, second] = [await conversation([ann, 'bob']), await conversation([ann, 'bob'])]
  for (const convId of [first, first, second]) await send('bob', convId, 'hello')
  expect(await unreadCount(messaging, ann, first)).toBe(2)
  expect(await unreadCount(messaging, ann, null)).toBe(3)
  expect(await unreadCount(messaging, ann, 'nowhere')).toBe(0)
  expect(await unreadCount(messaging, newClient(), null)).toBe(0)
})
