import { beforeEach, expect, it, vi } from 'vitest'
import { makeMessaging } from '../../../test/support/messaging.ts'
import { sql } from '../../database/sql.ts'
import { readNotifications } from '../members/notifications.ts'
import { createTemporary, findTemporary } from './temporary-conversations.ts'

const { messaging, connect, hooks, database, anotherNode } = await makeMessaging()
const { temporary, reads, messages, threads } = messaging.tables

beforeEach(() => hooks.clear())

let names = 0
const fresh = (...ids: string[]) => {
  names++
  return ids.map((id) => `${id}${names}`)
}

/** Makes a conversation expire now. */
const end = (id: string) => database.query(sql`UPDATE ${temporary} SET expires_ts = created_ts - 1 WHERE id = ${id}`)

it('keeps its initial members, including the creator', async () => {
  const [tom, jerry] = fresh('tom', 'jerry')
  const started = await createTemporary(messaging, connect(tom!), { members: [jerry!, jerry!], ttl: 60, unique: false })
  const { conversation } = started
  expect(conversation.id).toMatch(/^_tmp:[0-9a-f]{24}$/)
  expect(started).toMatchObject({ ttl: 60, existing: false, conversation: { members: [jerry, tom], creator: tom } })
  expect(conversation.expiresAt - conversation.createdAt).toBe(60_000)
  expect(await messaging.conversations.find(conversation.id)).toMatchObject({
    kind: 'temporary',
    members: new Set([jerry, tom]),
    expiresAt: conversation.expiresAt,
  })
})

it('notifies all sessions of all members, with the lifetime', async () => {
  const [tom, jerry] = fresh('tom', 'jerry')
  const sessions = [connect(tom!), connect(jerry!)]
  const { conversation } = await createTemporary(messaging, sessions[0]!, { members: [jerry!], ttl: 9, unique: false })
  const common = { convId: conversation.id, conversation: 'temporary', by: tom, ttl: 9, at: conversation.createdAt }
  for (const session of sessions)
    expect(session.events).toMatchObject([
      { news: 'joined', ...common },
      { news: 'members_joined', members: [jerry, tom], ...common },
    ])
  expect((await readNotifications(messaging, jerry!, 0)).notifications).toMatchObject([{ event: common }])
})

it.each([
  [null, 86_400],
  [0, 86_400],
  [-5, 86_400],
  [1, 1],
  [259_200, 259_200],
  [31 * 86_400, 30 * 86_400],
])('limits a lifetime of %j seconds to %i', async (ttl, granted) => {
  const [tom] = fresh('tom')
  expect((await createTemporary(messaging, connect(tom!), { members: [], ttl, unique: false })).ttl).toBe(granted)
})

it('accepts at most 10 members', async () => {
  const members = Array.from({ length: 10 }, (_, index) => `few${index}`)
  await expect(
    createTemporary(messaging, connect('one more'), { members, ttl: null, unique: true }),
  ).rejects.toMatchObject({ code: 4304 })
  const { conversation } = await createTemporary(messaging, connect('few3'), { members, ttl: null, unique: true })
  expect(conversation.members).toHaveLength(10)
})

it('finds the unique one for each of its members, with the remaining lifetime', async () => {
  const [tom, jerry] = fresh('tom', 'jerry')
  const first = await createTemporary(messaging, connect(tom!), { members: [jerry!], ttl: 100, unique: true })
  const session = connect(jerry!)
  const again = await createTemporary(messaging, session, { members: [tom!], ttl: 9, unique: true })
  expect(again).toEqual({ conversation: first.conversation, ttl: expect.any(Number), existing: true })
  expect(again.ttl).toBeGreaterThan(90)
  expect(again.ttl).toBeLessThanOrEqual(100)
  expect(session.events).toEqual([])
  const other = await createTemporary(messaging, session, { members: [tom!], ttl: 9, unique: false })
  expect(other.conversation.id).not.toBe(first.conversation.id)
})

it('creates one of 50 concurrent unique ones', async () => {
  const [tom, jerry] = fresh('tom', 'jerry')
  const nodes = [messaging, anotherNode().messaging]
  const listening = connect(jerry!)
  const started = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      createTemporary(nodes[index % 2]!, listening, { members: [tom!], ttl: 60, unique: true }),
    ),
  )
  expect(new Set(started.map(({ conversation }) => conversation.id)).size).toBe(1)
  expect(listening.events).toHaveLength(2)
})

it('creates a new unique one once when the previous has expired', async () => {
  const [tom, jerry] = fresh('tom', 'jerry')
  const session = connect(tom!)
  const pair = { members: [jerry!], ttl: 60, unique: true }
  const first = await createTemporary(messaging, session, pair)
  await end(first.conversation.id)
  const next = await Promise.all(Array.from({ length: 20 }, () => createTemporary(messaging, session, pair)))
  expect(new Set(next.map(({ conversation }) => conversation.id)).size).toBe(1)
  expect(next[0]!.conversation.id).not.toBe(first.conversation.id)
})

it('does not find expired ones, and deletes them with their messages when new ones are created', async () => {
  const [tom] = fresh('tom')
  const session = connect(tom!)
  const { conversation } = await createTemporary(messaging, session, { members: [], ttl: 60, unique: false })
  await messaging.messages.store({
    id: `message ${tom}`,
    convId: conversation.id,
    threads: [conversation.id],
    sender: tom!,
    content: 'hello',
    bin: false,
    token: null,
    mentionAll: false,
    mentions: [],
    receipt: false,
    ip: null,
  })
  expect(await findTemporary(messaging, [conversation.id, '_tmp:unknown'])).toEqual([conversation])
  await end(conversation.id)
  expect(await findTemporary(messaging, [conversation.id])).toEqual([])
  const traces = async () =>
    (
      await database.query(sql`
        SELECT id FROM ${temporary} WHERE id = ${conversation.id}
        UNION ALL SELECT id FROM ${messages} WHERE conv_id = ${conversation.id}
        UNION ALL SELECT conv_id FROM ${threads} WHERE conv_id = ${conversation.id}
        UNION ALL SELECT client_id FROM ${reads} WHERE conv_id = ${conversation.id}`)
    ).length
  expect(await traces()).toBe(4)
  await vi.waitFor(async () => {
    await createTemporary(messaging, session, { members: [], ttl: 60, unique: false })
    expect(await traces()).toBe(0)
  }, 10_000)
})

it('calls cloud code before and after the creation', async () => {
  const [tom, jerry] = fresh('tom', 'jerry')
  const received: unknown[] = []
  hooks.set('_conversationStart', (input) => {
    expect(input).toEqual({ initBy: tom, members: [jerry, tom], attr: {} })
    return { reject: received.length > 0, code: 1, detail: '' }
  })
  hooks.set('_conversationStarted', (input) => {
    received.push(input)
    return {}
  })
  const wanted = { members: [jerry!], ttl: null, unique: false }
  const { conversation } = await createTemporary(messaging, connect(tom!), wanted)
  expect(received).toEqual([{ convId: conversation.id }])
  await expect(createTemporary(messaging, connect(tom!), wanted)).rejects.toMatchObject({ code: 4305 })
})
