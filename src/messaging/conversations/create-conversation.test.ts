import { createHash } from 'node:crypto'
import { beforeEach, expect, it } from 'vitest'
import { makeMessaging } from '../../../test/support/messaging.ts'
import { sql } from '../../database/sql.ts'
import type { ConversationNotification } from '../events.ts'
import { addMembers } from '../members/add-members.ts'
import { uniqueIdOf } from '../members/member-set.ts'
import { readNotifications } from '../members/notifications.ts'
import { removeMembers } from '../members/remove-members.ts'
import { conversationTable } from '../records/conversation-class.ts'
import { createConversation, type NewConversation } from './create-conversation.ts'

const { messaging, connect, hooks, database, conversation, anotherNode } = await makeMessaging()

let names = 0
/** Clients that are unique to the calling test. */
const fresh = (...ids: string[]) => {
  names++
  return ids.map((id) => `${id}${names}`)
}

const wanted = (members: readonly string[], options: Partial<NewConversation> = {}): NewConversation => ({
  kind: 'normal',
  members,
  attributes: {},
  unique: false,
  ...options,
})

beforeEach(() => hooks.clear())

const notificationsOf = (session: ReturnType<typeof connect>): ConversationNotification[] =>
  session.of('conversation').map(({ news }) => news)

it('stores the attributes, with the creator as creator and member', async () => {
  const [tom, jerry] = fresh('tom', 'jerry')
  const session = connect(tom!)
  const attributes = { name: 'cats', attr: { color: 'grey' }, level: 3, objectId: 'ignored' }
  const { id, record, existing } = await createConversation(messaging, session, wanted([jerry!], { attributes }))
  expect(existing).toBe(false)
  expect(record).toEqual({
    objectId: id,
    createdAt: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
    updatedAt: record.createdAt,
    name: 'cats',
    attr: { color: 'grey' },
    level: 3,
    c: tom,
    m: [jerry, tom],
    unique: false,
  })
  expect(id).toMatch(/^[0-9a-f]{24}$/)
})

it('notifies all sessions of all members including the creator, first of their own joining, then of all joined members', async () => {
  const [tom, jerry] = fresh('tom', 'jerry')
  const sessions = [connect(tom!), connect(tom!), connect(jerry!)]
  const outsider = connect(fresh('spike')[0]!)
  const { id, record } = await createConversation(messaging, sessions[0]!, wanted([tom!, jerry!]))
  for (const session of sessions) {
    expect(session.events).toEqual([
      {
        kind: 'conversation',
        news: 'joined',
        convId: id,
        conversation: 'normal',
        by: tom,
        at: Date.parse(String(record.createdAt)),
        updatedAt: String(record.updatedAt),
      },
      expect.objectContaining({ news: 'members_joined', members: [tom, jerry], by: tom }),
    ])
  }
  expect(outsider.events).toEqual([])
})

it('keeps the notification for offline members', async () => {
  const [tom, jerry] = fresh('tom', 'jerry')
  const { id } = await createConversation(messaging, connect(tom!), wanted([jerry!]))
  const { notifications } = await readNotifications(messaging, jerry!, 0)
  expect(notifications).toMatchObject([{ event: { news: 'joined', convId: id, by: tom } }])
})

it('starts the read cursors of the members at the creation', async () => {
  const [tom, jerry] = fresh('tom', 'jerry')
  const before = Date.now()
  const { id } = await createConversation(messaging, connect(tom!), wanted([jerry!]))
  const rows = await database.query(sql`
    SELECT client_id, read_ts, received_ts FROM ${messaging.tables.reads} WHERE conv_id = ${id} ORDER BY client_id`)
  expect(rows.map((row) => String(row.client_id))).toEqual([jerry, tom])
  for (const row of rows) {
    expect(row.read_ts).toBe(row.received_ts)
    expect(Number(row.read_ts)).toBeGreaterThan(before - 1000)
    expect(Number(row.read_ts)).toBeLessThan(Date.now())
  }
})

it('lets the app create conversations of any clients, without being a member', async () => {
  const [tom] = fresh('tom')
  const session = connect(tom!)
  const { record } = await createConversation(messaging, null, wanted([tom!]))
  expect(record.m).toEqual([tom])
  expect(record).not.toHaveProperty('c')
  expect(session.of('conversation')[0]).toMatchObject({ news: 'joined', by: null })
  const empty = await createConversation(messaging, null, wanted([], { unique: true }))
  expect(empty.record).toMatchObject({ m: [], unique: false })
})

it('finds a unique conversation by its members in any order, unchanged', async () => {
  const [tom, jerry] = fresh('tom', 'jerry')
  const session = connect(tom!)
  const unique = { unique: true, attributes: { name: 'first' } }
  const first = await createConversation(messaging, session, wanted([jerry!, tom!], unique))
  expect(first.record.uniqueId).toBe(
    createHash('md5')
      .update(JSON.stringify([jerry, tom]))
      .digest('hex'),
  )
  session.clear()
  const again = await createConversation(
    messaging,
    connect(jerry!),
    wanted([tom!], { unique: true, attributes: { name: 'second' } }),
  )
  expect(again).toEqual({ id: first.id, existing: true, record: first.record })
  expect(session.events).toEqual([])
  const other = await createConversation(messaging, session, wanted([jerry!]))
  expect(other.id).not.toBe(first.id)
})

it('creates one unique conversation on 50 nodes at once, and notifies once', async () => {
  const [tom, jerry] = fresh('tom', 'jerry')
  const listening = connect(jerry!)
  const nodes = [messaging, anotherNode().messaging]
  const started = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      createConversation(nodes[index % 2]!, null, wanted([tom!, jerry!], { unique: true })),
    ),
  )
  expect(new Set(started.map(({ id }) => id)).size).toBe(1)
  expect(started.filter(({ existing }) => !existing)).toHaveLength(1)
  expect(notificationsOf(listening)).toEqual(['joined', 'members_joined'])
})

it('finds an imported unique conversation with its own id by its members', async () => {
  const [tom, jerry] = fresh('tom', 'jerry')
  const imported = await conversation([tom!, jerry!], { unique: true, uniqueId: '0123456789abcdef0123456789abcdef' })
  await conversation([tom!, jerry!, 'x'], { unique: true, uniqueId: '1123456789abcdef0123456789abcdef' })
  expect(await createConversation(messaging, connect(jerry!), wanted([tom!], { unique: true }))).toMatchObject({
    id: imported,
    existing: true,
  })
})

it('treats a unique conversation as that of its current members, not of its initial ones', async () => {
  const [tom, jerry, spike] = fresh('tom', 'jerry', 'spike')
  const session = connect(tom!)
  const start = (...others: string[]) => createConversation(messaging, session, wanted(others, { unique: true }))
  const pair = await start(jerry!)
  await addMembers(messaging, session, pair.id, [spike!])
  const newPair = await start(jerry!)
  expect(newPair.existing).toBe(false)
  const three = await start(jerry!, spike!)
  expect(three.id).toBe(pair.id)
  expect(three.record.uniqueId).toBe(uniqueIdOf([tom!, jerry!, spike!]))
  // Now there are two of the pair; the one that became unique first remains unique.
  await removeMembers(messaging, null, pair.id, [spike!])
  expect((await start(jerry!)).id).toBe(newPair.id)
  expect((await start(jerry!, spike!)).existing).toBe(false)
})

it('keeps one unique conversation when several get the same members at once', async () => {
  const [tom, jerry] = fresh('tom', 'jerry')
  const others = Array.from({ length: 10 }, (_, index) => `other${index}`)
  const session = connect(tom!)
  const made = await Promise.all(
    others.map((other) => createConversation(messaging, session, wanted([jerry!, other], { unique: true }))),
  )
  await Promise.all(made.map(({ id }, index) => removeMembers(messaging, null, id, [others[index]!])))
  const rows = await database.query(sql`
    SELECT data->>'uniqueId' AS unique_id
    FROM ${conversationTable(messaging)}
    WHERE data->>'c' = ${tom!} AND data ? 'uniqueId'`)
  expect(rows).toEqual([{ unique_id: uniqueIdOf([tom!, jerry!]) }])
})

it('lets the creator of a unique pair leave it and return to it', async () => {
  const [tom, jerry] = fresh('tom', 'jerry')
  const session = connect(tom!)
  const { id } = await createConversation(messaging, session, wanted([jerry!], { unique: true }))
  await removeMembers(messaging, session, id, [tom!])
  await addMembers(messaging, session, id, [tom!])
  expect((await createConversation(messaging, session, wanted([jerry!], { unique: true }))).id).toBe(id)
})

it('creates a chat room without members or notifications, with its creator in it', async () => {
  const [tom, jerry] = fresh('tom', 'jerry')
  const session = connect(tom!)
  const room = wanted([jerry!], { kind: 'room', unique: true, attributes: { name: 'room' } })
  const { id, record } = await createConversation(messaging, session, room)
  expect(record).toMatchObject({ name: 'room', tr: true, c: tom })
  expect(record).not.toHaveProperty('m')
  expect(record).not.toHaveProperty('uniqueId')
  expect(session.events).toEqual([])
  expect(messaging.presence.roomOf(session)).toBe(id)
  expect((await createConversation(messaging, null, room)).record).not.toHaveProperty('c')
})

it('accepts system conversations of the app only', async () => {
  const system = wanted([], { kind: 'system', attributes: { name: 'news' } })
  expect((await createConversation(messaging, null, system)).record).toMatchObject({ name: 'news', sys: true })
  await expect(createConversation(messaging, connect('tom'), system)).rejects.toMatchObject({ code: 4308 })
})

it('accepts at most 500 members, including the creator', async () => {
  const members = Array.from({ length: 500 }, (_, index) => `many${index}`)
  await expect(createConversation(messaging, connect('one more'), wanted(members))).rejects.toMatchObject({
    code: 4304,
    reason: 'CONVERSATION_FULL',
  })
  const { record } = await createConversation(messaging, connect('many7'), wanted(members))
  expect(record.m).toHaveLength(500)
})

it('rejects values for built-in columns', async () => {
  for (const column of ['m', 'mu', 'c', 'lm', 'tr', 'sys', 'unique', 'uniqueId', 'ACL']) {
    const attributes = { [column]: true }
    await expect(createConversation(messaging, connect('tom'), wanted([], { attributes }))).rejects.toMatchObject({
      code: 117,
    })
  }
})

it('rejects an attribute of another type than the column, without creating anything', async () => {
  const [tom] = fresh('tom')
  const attributes = { name: 7 }
  await expect(createConversation(messaging, connect(tom!), wanted([], { attributes }))).rejects.toMatchObject({
    code: 111,
  })
  const rows = await database.query(sql`SELECT id FROM ${conversationTable(messaging)} WHERE data->>'c' = ${tom!}`)
  expect(rows).toEqual([])
})

it('creates many conversations with new columns at once without deadlock', async () => {
  const started = await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      createConversation(messaging, connect(`new${index}`), wanted([], { attributes: { [`column${index}`]: index } })),
    ),
  )
  expect(started.map(({ record }, index) => record[`column${index}`])).toEqual(started.map((_, index) => index))
})

it('calls cloud code before and after the creation', async () => {
  const [tom, jerry] = fresh('tom', 'jerry')
  const calls: unknown[] = []
  const received: unknown[] = []
  hooks.set('_conversationStart', (input) => {
    calls.push(input)
    return {}
  })
  hooks.set('_conversationStarted', (input) => {
    received.push(input)
    return {}
  })
  const session = connect(tom!)
  const pair = wanted([jerry!], { unique: true, attributes: { name: 'x' } })
  const { id } = await createConversation(messaging, session, pair)
  expect(calls).toEqual([{ initBy: tom, members: [jerry, tom], attr: { name: 'x' } }])
  expect(received).toEqual([{ convId: id }])
  await createConversation(messaging, session, pair)
  expect(calls).toHaveLength(1)
  expect(received).toHaveLength(1)
})

it('lets cloud code reject the creation with a code and a text', async () => {
  const [tom] = fresh('tom')
  const session = connect(tom!)
  hooks.set('_conversationStart', () => ({ reject: true, code: 9, detail: 'not today' }))
  await expect(createConversation(messaging, session, wanted([]))).rejects.toMatchObject({
    code: 4305,
    app: { code: 9, message: 'not today' },
  })
  expect(session.events).toEqual([])
  await expect(createConversation(messaging, null, wanted([tom!]))).resolves.toBeDefined()
})
