import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { makeMessaging } from '../../test/support/messaging.ts'
import { sql } from '../database/sql.ts'
import { newMessageId } from './message.ts'
import type { NewMessage, StoredMessage } from './message-store.ts'

const { messaging, anotherNode, database } = await makeMessaging()
const { messages, threads } = messaging.tables

function draft(convId: string, changes: Partial<NewMessage> = {}): NewMessage {
  return {
    id: newMessageId(),
    convId,
    threads: [convId],
    sender: 'ann',
    content: 'hello',
    bin: false,
    token: null,
    mentionAll: false,
    mentions: [],
    receipt: false,
    ip: null,
    ...changes,
  }
}

const store = (convId: string, changes: Partial<NewMessage> = {}) => messaging.messages.store(draft(convId, changes))

const rowsOf = (convId: string) =>
  database.query(sql`SELECT * FROM ${messages} WHERE conv_id = ${convId} ORDER BY ts, thread`)

/** Returns the stored messages by conversation, in the order in which they were sent. */
function byConversation<Sent extends { readonly convId: string }>(all: readonly Sent[]): Map<string, Sent[]> {
  const conversations = new Map<string, Sent[]>()
  for (const sent of all) conversations.set(sent.convId, [...(conversations.get(sent.convId) ?? []), sent])
  return conversations
}

it('stores a message unchanged, with the time of the database', async () => {
  const convId = randomUUID()
  const began = Date.now()
  const { id, ts, again } = await store(convId, {
    sender: '安',
    content: '{"_lctype":-1,"_lctext":"\\u4f60 \\"x\\""}',
    token: 'token',
    mentionAll: true,
    mentions: ['bob', 'c,"d\\}'],
    receipt: true,
    ip: '192.0.2.1',
  })
  expect(again).toBe(false)
  expect(Math.abs(ts - began)).toBeLessThan(60_000)
  expect(await rowsOf(convId)).toEqual([
    {
      thread: convId,
      ts,
      id,
      conv_id: convId,
      sender: '安',
      content: '{"_lctype":-1,"_lctext":"\\u4f60 \\"x\\""}',
      bin: false,
      token: 'token',
      mention_all: true,
      mentions: ['bob', 'c,"d\\}'],
      receipt: true,
      type: -1,
      ip: '192.0.2.1',
      patched_at: null,
      recalled: false,
    },
  ])
})

it('returns the time of the preceding message, and 0 for the first', async () => {
  const convId = randomUUID()
  const first = await store(convId)
  const [second, third] = await Promise.all([store(convId), store(convId)])
  expect([first.before, second.before, third.before]).toEqual([0, first.ts, second.ts])
})

it('gives 5000 concurrent messages in 50 conversations increasing times in the order of each sender', async () => {
  const convIds = Array.from({ length: 50 }, () => randomUUID())
  const stored = await Promise.all(
    Array.from({ length: 5000 }, async (_, number) => {
      const convId = convIds[number % 50]!
      const sender = `sender ${(number / 50) & 3}`
      return { convId, sender, content: String(number), ...(await store(convId, { sender, content: String(number) })) }
    }),
  )
  for (const [convId, sent] of byConversation(stored)) {
    const rows = await rowsOf(convId)
    expect(rows.map(({ content }) => content)).toEqual(sent.map(({ content }) => content))
    expect(new Set(rows.map(({ ts }) => ts)).size).toBe(100)
    expect(sent.map(({ before }) => before)).toEqual([0, ...sent.slice(0, -1).map(({ ts }) => ts)])
  }
})

it('keeps one order of each conversation on two nodes, without duplicate times', async () => {
  const nodes = [messaging, anotherNode().messaging]
  const convIds = Array.from({ length: 10 }, () => randomUUID())
  const stored: (StoredMessage & { convId: string; node: number })[] = []
  await Promise.all(
    nodes.flatMap(({ messages: ofNode }, node) =>
      Array.from({ length: 1000 }, async (_, number) => {
        const convId = convIds[number % 10]!
        const sent = await ofNode.store(draft(convId, { sender: `node ${node}`, content: String(number) }))
        stored.push({ ...sent, convId, node })
      }),
    ),
  )
  for (const [convId, sent] of byConversation(stored)) {
    const rows = await rowsOf(convId)
    expect(rows).toHaveLength(200)
    expect(new Set(rows.map(({ ts }) => ts)).size).toBe(200)
    for (const node of [0, 1]) {
      const numbers = rows.filter(({ sender }) => sender === `node ${node}`).map(({ content }) => Number(content))
      expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
    }
    // The predecessors form one chain without a gap.
    const inOrder = sent.toSorted((a, b) => a.ts - b.ts)
    expect(inOrder.map(({ before }) => before)).toEqual([0, ...inOrder.slice(0, -1).map(({ ts }) => ts)])
    const [thread] = await database.query(sql`SELECT last_ts FROM ${threads} WHERE conv_id = ${convId}`)
    expect(thread!.last_ts).toBe(inOrder.at(-1)!.ts)
  }
})

it('increases times even after the clock has gone back', async () => {
  const convId = randomUUID()
  const { ts } = await store(convId)
  const future = ts + 60_000
  await database.query(sql`UPDATE ${threads} SET last_ts = ${future}::bigint WHERE conv_id = ${convId}`)
  const [first, second] = await Promise.all([store(convId), store(convId)])
  expect([first.ts, first.before, second.ts]).toEqual([future + 1, future, future + 2])
})

it('returns the original id and time for a message that is sent again, and stores it once', async () => {
  const convId = randomUUID()
  const first = await store(convId, { token: 'token' })
  const again = await store(convId, { token: 'token', content: 'hello again' })
  expect(again).toMatchObject({ id: first.id, ts: first.ts, again: true })
  expect((await rowsOf(convId)).map(({ content }) => content)).toEqual(['hello'])
})

it('stores a message once that is sent many times at once on two nodes', async () => {
  const nodes = [messaging, anotherNode().messaging]
  for (let round = 0; round < 10; round++) {
    const convId = randomUUID()
    const sent = await Promise.all(
      Array.from({ length: 40 }, (_, number) => nodes[number & 1]!.messages.store(draft(convId, { token: 'token' }))),
    )
    expect(new Set(sent.map(({ id, ts }) => `${id} ${ts}`)).size).toBe(1)
    expect(sent.filter(({ again }) => !again)).toHaveLength(1)
    expect(await rowsOf(convId)).toHaveLength(1)
  }
})

it('scopes a token to one sender in one conversation', async () => {
  const [convId, other] = [randomUUID(), randomUUID()]
  const sent = await Promise.all([
    store(convId, { token: 'token' }),
    store(convId, { token: 'token', sender: 'bob' }),
    store(other, { token: 'token' }),
  ])
  expect(new Set(sent.map(({ id }) => id)).size).toBe(3)
})

it('stores a message in several threads with one id and one time, before the next message', async () => {
  const convId = randomUUID()
  const [targeted, next] = await Promise.all([
    store(convId, { threads: [`${convId}:a`, `${convId}:b`] }),
    store(convId),
  ])
  expect((await rowsOf(convId)).map(({ thread, id, ts }) => ({ thread, id, ts }))).toEqual([
    { thread: `${convId}:a`, id: targeted.id, ts: targeted.ts },
    { thread: `${convId}:b`, id: targeted.id, ts: targeted.ts },
    { thread: convId, id: next.id, ts: next.ts },
  ])
  expect(next).toMatchObject({ ts: targeted.ts + 1, before: targeted.ts })
})

it('fails only the message that the database rejects, without a gap in the order', async () => {
  const convId = randomUUID()
  const sent = await Promise.allSettled([store(convId), store(convId, { content: 'a\u0000b' }), store(convId)])
  expect(sent.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  const rows = await rowsOf(convId)
  expect(rows).toHaveLength(2)
  expect((await store(convId)).before).toBe(rows[1]!.ts)
})

it('does not deadlock when two nodes write to conversations in opposite orders', async () => {
  const nodes = [messaging, anotherNode().messaging]
  const convIds = Array.from({ length: 20 }, () => randomUUID())
  for (let round = 0; round < 20; round++) {
    await Promise.all([
      ...convIds.map((convId) => nodes[0]!.messages.store(draft(convId))),
      ...convIds.toReversed().map((convId) => nodes[1]!.messages.store(draft(convId))),
    ])
  }
  const [count] = await database.query(
    sql`SELECT count(*) AS count FROM ${messages} WHERE conv_id = ANY(${convIds}::text[])`,
  )
  expect(Number(count!.count)).toBe(800)
})
