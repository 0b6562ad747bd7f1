import { beforeEach, expect, it } from 'vitest'
import { makeMessaging } from '../../../test/support/messaging.ts'
import { sql } from '../../database/sql.ts'
import { createConversation } from '../conversations/create-conversation.ts'
import { createTemporary } from '../conversations/temporary-conversations.ts'
import { blockClients } from '../moderation/blacklists.ts'
import { blockConversation } from '../moderation/client-blacklists.ts'
import { addMembers } from './add-members.ts'
import { readNotifications } from './notifications.ts'

const { messaging, connect, hooks, database, conversation, anotherNode, configure } = await makeMessaging()

beforeEach(() => hooks.clear())

const membersOf = async (id: string) => [...(await messaging.conversations.find(id))!.members]
const many = (count: number) => Array.from({ length: count }, (_, index) => `many${index}`)

it('lets a member add others, and accepts existing members', async () => {
  const id = await conversation(['tom', 'jerry'])
  const added = await addMembers(messaging, connect('tom'), id, ['spike', 'jerry', 'tyke', 'spike'])
  expect(added).toEqual({
    allowed: ['spike', 'jerry', 'tyke'],
    changed: ['spike', 'tyke'],
    failed: [],
    updatedAt: expect.stringMatching(/Z$/),
  })
  expect(await membersOf(id)).toEqual(['tom', 'jerry', 'spike', 'tyke'])
})

it('notifies the added clients first, then all members including the new ones and the operator', async () => {
  const id = await conversation(['tom', 'jerry'])
  const [tom, jerry, spike] = [connect('tom'), connect('jerry'), connect('spike')]
  const { updatedAt } = await addMembers(messaging, tom, id, ['spike', 'tyke'])
  const common = { kind: 'conversation', convId: id, conversation: 'normal', by: 'tom', updatedAt }
  const at = Date.parse(updatedAt!)
  const joined = { ...common, at, news: 'joined' }
  const membersJoined = { ...common, at, news: 'members_joined', members: ['spike', 'tyke'] }
  expect(spike.events).toEqual([joined, membersJoined])
  for (const session of [tom, jerry]) expect(session.events).toEqual([membersJoined])
  const [object] = await database.query(sql`
    SELECT to_char(updated_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS at
    FROM ${messaging.objects.classes.get('_Conversation')!.table}
    WHERE id = ${id}`)
  expect(object!.at).toBe(updatedAt)
})

it('keeps the notification for the added client, with the time of the event', async () => {
  const id = await conversation(['tom'])
  const { updatedAt } = await addMembers(messaging, connect('tom'), id, ['away'])
  const { notifications } = await readNotifications(messaging, 'away', 0)
  expect(notifications).toMatchObject([
    { ts: Date.parse(updatedAt!), event: { news: 'joined', convId: id, by: 'tom' } },
  ])
})

it('does not report earlier messages as unread to an added client', async () => {
  const id = await conversation(['tom'])
  const { ts } = await messaging.messages.store({
    id: 'message',
    convId: id,
    threads: [id],
    sender: 'tom',
    content: 'hello',
    bin: false,
    token: null,
    mentionAll: false,
    mentions: [],
    receipt: false,
    ip: null,
  })
  // Many concurrent messages have times in the future.
  const ahead = ts + 60_000
  await database.query(sql`UPDATE ${messaging.tables.threads} SET last_ts = ${ahead}::bigint WHERE conv_id = ${id}`)
  await addMembers(messaging, connect('tom'), id, ['newcomer'])
  const [cursor] = await database.query(sql`
    SELECT read_ts, received_ts, has_read FROM ${messaging.tables.reads} WHERE conv_id = ${id} AND client_id = 'newcomer'`)
  expect(cursor!.read_ts).toBe(ahead)
  expect(cursor!.received_ts).toBe(cursor!.read_ts)
  expect(cursor!.has_read).toBe(false)
})

it('changes and notifies nothing when the clients are members already', async () => {
  const id = await conversation(['tom', 'jerry'])
  const tom = connect('tom')
  const first = await addMembers(messaging, tom, id, ['jerry'])
  expect(first).toMatchObject({ allowed: ['jerry'], changed: [] })
  expect(await addMembers(messaging, tom, id, ['jerry'])).toEqual(first)
  expect(tom.events).toEqual([])
})

it('lets clients join without membership, but add others only as members', async () => {
  const id = await conversation(['tom'])
  const spike = connect('spike')
  await expect(addMembers(messaging, spike, id, ['tyke'])).rejects.toMatchObject({ code: 4317 })
  await expect(addMembers(messaging, spike, id, ['spike', 'tyke'])).rejects.toMatchObject({ code: 4317 })
  expect(await addMembers(messaging, spike, id, ['spike'])).toMatchObject({ changed: ['spike'] })
  expect(spike.of('conversation')[0]).toMatchObject({ news: 'joined', by: 'spike' })
})

it('lets the app add any client', async () => {
  const id = await conversation(['tom'])
  const tom = connect('tom')
  expect(await addMembers(messaging, null, id, ['jerry'])).toMatchObject({ changed: ['jerry'] })
  expect(tom.of('conversation')).toMatchObject([{ news: 'members_joined', by: null }])
})

it('keeps all concurrent additions on all nodes', async () => {
  const id = await conversation(['tom'])
  const nodes = [messaging, anotherNode().messaging]
  const tom = connect('tom')
  await Promise.all(many(40).map((clientId, index) => addMembers(nodes[index % 2]!, null, id, [clientId])))
  for (const node of nodes)
    expect([...(await node.conversations.find(id))!.members].sort()).toEqual(['tom', ...many(40)].sort())
  expect(tom.of('conversation').flatMap(({ members }) => members)).toHaveLength(40)
})

it('accepts at most 500 members, and rejects each further client, also concurrently', async () => {
  const id = await conversation(['tom', ...many(496)])
  const tom = connect('tom')
  const partly = await addMembers(messaging, tom, id, ['x1', 'many0', 'x2', 'x3', 'x4'])
  expect(partly).toMatchObject({
    allowed: ['x1', 'many0', 'x2', 'x3'],
    failed: [{ error: { code: 4304, reason: 'CONVERSATION_FULL' }, clientIds: ['x4'] }],
  })
  const other = await conversation(['tom', ...many(490)])
  const outcomes = await Promise.all(
    Array.from({ length: 20 }, (_, index) => addMembers(messaging, tom, other, [`y${index}`])),
  )
  expect(outcomes.filter(({ changed }) => changed.length === 1)).toHaveLength(9)
  expect(await membersOf(other)).toHaveLength(500)
  await expect(addMembers(messaging, connect('joiner'), other, ['joiner'])).rejects.toMatchObject({ code: 4304 })
})

it('rejects clients that are blocked, or have blocked the conversation', async () => {
  const id = await conversation(['tom'])
  await blockClients(messaging, { clientId: 'tom' }, id, ['out'])
  await blockConversation(messaging, 'shy', 'shy', id)
  expect(await addMembers(messaging, connect('tom'), id, ['out', 'jerry', 'shy'])).toMatchObject({
    allowed: ['jerry'],
    failed: [{ error: { code: 4548, reason: 'BLOCKED_BY_CONV' }, clientIds: ['out', 'shy'] }],
  })
  await expect(addMembers(messaging, connect('out'), id, ['out'])).rejects.toMatchObject({ code: 4548 })
  expect(await addMembers(messaging, null, id, ['out'])).toMatchObject({ allowed: [], changed: [] })
})

it('does not add a client that is being blocked', async () => {
  for (let round = 0; round < 10; round++) {
    const id = await conversation(['tom'])
    await Promise.all([
      addMembers(messaging, connect('tom'), id, ['jerry']),
      blockClients(messaging, { clientId: 'tom' }, id, ['jerry']),
    ])
    expect(await membersOf(id)).toEqual(['tom'])
  }
})

it('rejects an unknown conversation', async () => {
  for (const id of ['555555555555555555555555', '_tmp:555555555555555555555555', 'not an id', ''])
    await expect(addMembers(messaging, connect('tom'), id, ['tom'])).rejects.toMatchObject({ code: 4303 })
})

it('rejects changes of the members of a temporary conversation', async () => {
  const tom = connect('tom')
  const { conversation: made } = await createTemporary(messaging, tom, { members: [], ttl: null, unique: false })
  await expect(addMembers(messaging, tom, made.id, ['jerry'])).rejects.toMatchObject({ code: 4307 })
})

it('lets a client enter a chat room itself only, without notifications', async () => {
  const { id } = await createConversation(messaging, null, { kind: 'room', members: [], attributes: {}, unique: false })
  const [tom, jerry] = [connect('tom'), connect('jerry')]
  expect(await addMembers(messaging, tom, id, ['tom'])).toEqual({
    allowed: ['tom'],
    changed: ['tom'],
    failed: [],
    updatedAt: null,
  })
  expect(messaging.presence.roomOf(tom)).toBe(id)
  for (const [by, clientIds] of [
    [tom, ['jerry']],
    [tom, ['tom', 'jerry']],
    [null, ['jerry']],
  ] as const)
    await expect(addMembers(messaging, by, id, clientIds)).rejects.toMatchObject({ code: 4314 })
  expect([...tom.events, ...jerry.events]).toEqual([])
})

it('lets a client subscribe itself, or the app subscribe others, without notifications', async () => {
  const news = { kind: 'system', members: [], attributes: {}, unique: false } as const
  const { id } = await createConversation(messaging, null, news)
  const tom = connect('tom')
  expect(await addMembers(messaging, tom, id, ['tom'])).toMatchObject({ allowed: ['tom'], changed: ['tom'] })
  await expect(addMembers(messaging, tom, id, ['jerry'])).rejects.toMatchObject({ code: 4314 })
  expect(await addMembers(messaging, null, id, ['jerry', 'tom'])).toMatchObject({ changed: ['jerry'] })
  expect(tom.events).toEqual([])
})

it('calls cloud code for valid additions, and after them', async () => {
  const id = await conversation(['tom', 'jerry'])
  const calls: unknown[] = []
  const received: unknown[] = []
  hooks.set('_conversationAdd', (input) => {
    calls.push(input)
    return {}
  })
  hooks.set('_conversationAdded', (input) => {
    received.push(input)
    return {}
  })
  await expect(addMembers(messaging, connect('spike'), id, ['tyke'])).rejects.toMatchObject({ code: 4317 })
  expect(calls).toEqual([])
  await addMembers(messaging, connect('tom'), id, ['jerry', 'spike'])
  expect(calls).toEqual([{ initBy: 'tom', members: ['jerry', 'spike'], convId: id }])
  expect(received).toEqual([{ initBy: 'tom', members: ['spike'], convId: id }])
  await addMembers(messaging, null, id, ['tyke'])
  expect(calls).toHaveLength(1)
  expect(received).toHaveLength(2)
})

it('lets cloud code reject additions', async () => {
  const id = await conversation(['tom'])
  hooks.set('_conversationAdd', () => ({ reject: true, code: 3, detail: 'no' }))
  await expect(addMembers(messaging, connect('tom'), id, ['spike'])).rejects.toMatchObject({
    code: 4305,
    app: { code: 3, message: 'no' },
  })
  expect(await membersOf(id)).toEqual(['tom'])
})

it('ignores roles when members are added', async () => {
  configure({ memberInfo: false })
  const id = await conversation(['tom', 'jerry'])
  expect(await addMembers(messaging, connect('jerry'), id, ['spike'])).toMatchObject({ changed: ['spike'] })
  configure({ memberInfo: true })
})
