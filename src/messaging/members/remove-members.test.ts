import { afterEach, beforeEach, expect, it } from 'vitest'
import { makeMessaging } from '../../../test/support/messaging.ts'
import { sql } from '../../database/sql.ts'
import { createConversation } from '../conversations/create-conversation.ts'
import { muteClients } from '../conversations/mutes.ts'
import { createTemporary } from '../conversations/temporary-conversations.ts'
import { addMembers } from './add-members.ts'
import { readNotifications } from './notifications.ts'
import { removeMembers } from './remove-members.ts'
import { listRoles } from './role-listing.ts'
import { giveRole } from './roles.ts'

const { messaging, connect, hooks, database, conversation, anotherNode, configure } = await makeMessaging()

beforeEach(() => hooks.clear())
afterEach(() => configure({ memberInfo: true }))

const membersOf = async (id: string) => [...(await messaging.conversations.find(id))!.members]

it('lets the owner remove others, and accepts clients that are not members', async () => {
  const id = await conversation(['tom', 'jerry', 'spike'])
  expect(await removeMembers(messaging, connect('tom'), id, ['jerry', 'stranger', 'jerry'])).toEqual({
    allowed: ['jerry', 'stranger'],
    changed: ['jerry'],
    failed: [],
    updatedAt: expect.stringMatching(/Z$/),
  })
  expect(await membersOf(id)).toEqual(['tom', 'spike'])
})

it('notifies the removed clients first, then the remaining members', async () => {
  const id = await conversation(['tom', 'jerry', 'spike'])
  const [tom, jerry, spike] = [connect('tom'), connect('jerry'), connect('spike')]
  const { updatedAt } = await removeMembers(messaging, tom, id, ['jerry'])
  const common = { kind: 'conversation', convId: id, conversation: 'normal', by: 'tom', updatedAt }
  const at = Date.parse(updatedAt!)
  expect(jerry.events).toEqual([{ ...common, at, news: 'left' }])
  const membersLeft = { ...common, at, news: 'members_left', members: ['jerry'] }
  for (const session of [tom, spike]) expect(session.events).toEqual([membersLeft])
  const { notifications } = await readNotifications(messaging, 'jerry', at - 1)
  expect(notifications).toMatchObject([{ ts: at, event: { news: 'left', convId: id, by: 'tom' } }])
})

it('notifies all sessions of a client that leaves', async () => {
  const id = await conversation(['tom', 'jerry'])
  const [first, second, tom] = [connect('jerry'), connect('jerry'), connect('tom')]
  await removeMembers(messaging, first, id, ['jerry'])
  for (const session of [first, second]) expect(session.events).toMatchObject([{ news: 'left', by: 'jerry' }])
  expect(tom.events).toMatchObject([{ news: 'members_left', by: 'jerry', members: ['jerry'] }])
})

it('deletes the cursor, role and mute of a removed member', async () => {
  const id = await conversation(['tom', 'x'])
  await addMembers(messaging, null, id, ['jerry', 'spike'])
  await giveRole(messaging, { clientId: 'tom' }, id, 'jerry', 'Manager')
  await giveRole(messaging, { clientId: 'tom' }, id, 'spike', 'Manager')
  await muteClients(messaging, id, ['jerry', 'spike'], true)
  await removeMembers(messaging, null, id, ['jerry'])
  const cursors = await database.query(sql`SELECT client_id FROM ${messaging.tables.reads} WHERE conv_id = ${id}`)
  expect(cursors).toEqual([{ client_id: 'spike' }])
  expect(await listRoles(messaging, id, { skip: 0, limit: 10 })).toMatchObject([{ clientId: 'spike' }])
  expect([...(await messaging.conversations.find(id))!.muters]).toEqual(['spike'])
})

it('rejects removing and leaving by a client that is not a member', async () => {
  const id = await conversation(['tom', 'jerry'])
  const spike = connect('spike')
  await expect(removeMembers(messaging, spike, id, ['jerry'])).rejects.toMatchObject({ code: 4317 })
  await expect(removeMembers(messaging, spike, id, ['spike'])).rejects.toMatchObject({ code: 4317 })
})

it('lets plain members remove only themselves', async () => {
  const id = await conversation(['tom', 'jerry', 'spike'])
  const jerry = connect('jerry')
  for (const clientIds of [['spike'], ['jerry', 'spike'], ['tom'], ['stranger']])
    await expect(removeMembers(messaging, jerry, id, clientIds)).rejects.toMatchObject({
      code: 4320,
      reason: 'CONVERSATION_OPERATION_UNAUTHORIZED',
    })
  expect(await removeMembers(messaging, jerry, id, ['jerry'])).toMatchObject({ changed: ['jerry'] })
})

it('lets managers remove plain members, but neither managers nor the owner', async () => {
  const id = await conversation(['tom', 'jerry', 'spike', 'tyke'])
  await giveRole(messaging, { clientId: 'tom' }, id, 'jerry', 'Manager')
  await giveRole(messaging, { clientId: 'tom' }, id, 'spike', 'Manager')
  expect(await removeMembers(messaging, connect('jerry'), id, ['tom', 'spike', 'tyke'])).toMatchObject({
    allowed: ['tyke'],
    changed: ['tyke'],
    failed: [
      { error: { code: 4324, reason: 'CONVERSATION_NEED_OWNER' }, clientIds: ['tom'] },
      { error: { code: 4320 }, clientIds: ['spike'] },
    ],
  })
})

it('keeps the owner while there are more than two members', async () => {
  const id = await conversation(['tom', 'jerry', 'spike', 'tyke'])
  const tom = connect('tom')
  await expect(removeMembers(messaging, tom, id, ['tom'])).rejects.toMatchObject({
    code: 4324,
    reason: 'CONVERSATION_NEED_OWNER',
  })
  expect(await removeMembers(messaging, tom, id, ['tom', 'jerry'])).toMatchObject({
    allowed: ['jerry'],
    failed: [{ error: { code: 4324 }, clientIds: ['tom'] }],
  })
  await expect(removeMembers(messaging, tom, id, ['tom'])).rejects.toMatchObject({ code: 4324 })
  await removeMembers(messaging, tom, id, ['spike'])
  expect(await removeMembers(messaging, tom, id, ['tom'])).toMatchObject({ changed: ['tom'] })
  expect(await membersOf(id)).toEqual(['tyke'])
})

it('lets every member remove others in an app without roles, and the owner leave', async () => {
  configure({ memberInfo: false })
  const id = await conversation(['tom', 'jerry', 'spike', 'tyke'])
  expect(await removeMembers(messaging, connect('jerry'), id, ['spike'])).toMatchObject({ changed: ['spike'] })
  expect(await removeMembers(messaging, connect('tom'), id, ['tom'])).toMatchObject({ changed: ['tom'] })
  expect(await removeMembers(messaging, connect('jerry'), id, ['tyke', 'jerry'])).toMatchObject({
    changed: ['tyke', 'jerry'],
  })
  expect(await membersOf(id)).toEqual([])
})

it('lets the app remove any client, including the owner', async () => {
  const id = await conversation(['tom', 'jerry', 'spike'])
  const jerry = connect('jerry')
  expect(await removeMembers(messaging, null, id, ['tom'])).toMatchObject({ changed: ['tom'] })
  expect(jerry.events).toMatchObject([{ news: 'members_left', by: null }])
})

it('applies all concurrent additions and removals on all nodes', async () => {
  const going = Array.from({ length: 15 }, (_, index) => `going${index}`)
  const coming = Array.from({ length: 15 }, (_, index) => `coming${index}`)
  const id = await conversation(['tom', ...going])
  const nodes = [messaging, anotherNode().messaging]
  await Promise.all([
    ...going.map((clientId, index) => removeMembers(nodes[index % 2]!, null, id, [clientId])),
    ...coming.map((clientId, index) => addMembers(nodes[index % 2]!, null, id, [clientId])),
  ])
  expect((await membersOf(id)).sort()).toEqual(['tom', ...coming].sort())
})

it('decides about an owner that leaves concurrently with another member as if they left in sequence', async () => {
  for (let round = 0; round < 10; round++) {
    const id = await conversation(['tom', 'jerry', 'spike'])
    const outcomes = await Promise.allSettled([
      removeMembers(messaging, connect('tom'), id, ['tom']),
      removeMembers(messaging, connect('jerry'), id, ['jerry']),
    ])
    expect(outcomes[1].status).toBe('fulfilled')
    const expected = outcomes[0].status === 'fulfilled' ? ['spike'] : ['tom', 'spike']
    expect(await membersOf(id)).toEqual(expected)
  }
})

it('rejects an unknown conversation, and changes of a temporary one', async () => {
  const tom = connect('tom')
  await expect(removeMembers(messaging, tom, '555555555555555555555555', ['tom'])).rejects.toMatchObject({ code: 4303 })
  const { conversation: made } = await createTemporary(messaging, tom, { members: ['x'], ttl: null, unique: false })
  await expect(removeMembers(messaging, tom, made.id, ['x'])).rejects.toMatchObject({ code: 4307 })
})

it('lets a client leave a chat room itself only, without notifications', async () => {
  const tom = connect('tom')
  const room = { kind: 'room', members: [], attributes: {}, unique: false } as const
  const { id } = await createConversation(messaging, tom, room)
  const { id: other } = await createConversation(messaging, null, room)
  await removeMembers(messaging, tom, other, ['tom'])
  expect(messaging.presence.roomOf(tom)).toBe(id)
  expect(await removeMembers(messaging, tom, id, ['tom'])).toMatchObject({ allowed: ['tom'], updatedAt: null })
  expect(messaging.presence.roomOf(tom)).toBeNull()
  await expect(removeMembers(messaging, tom, id, ['jerry'])).rejects.toMatchObject({ code: 4314 })
  expect(tom.events).toEqual([])
})

it('lets a client or the app end a subscription', async () => {
  const system = { kind: 'system', members: [], attributes: {}, unique: false } as const
  const { id } = await createConversation(messaging, null, system)
  await addMembers(messaging, null, id, ['tom', 'jerry'])
  const tom = connect('tom')
  await expect(removeMembers(messaging, tom, id, ['jerry'])).rejects.toMatchObject({ code: 4314 })
  expect(await removeMembers(messaging, tom, id, ['tom'])).toMatchObject({ allowed: ['tom'], changed: ['tom'] })
  expect(await removeMembers(messaging, null, id, ['tom', 'jerry'])).toMatchObject({ changed: ['jerry'] })
})

it('calls cloud code before others are removed, and after every removal', async () => {
  const id = await conversation(['tom', 'jerry', 'spike'])
  const calls: unknown[] = []
  const received: unknown[] = []
  hooks.set('_conversationRemove', (input) => {
    calls.push(input)
    return {}
  })
  hooks.set('_conversationRemoved', (input) => {
    received.push(input)
    return {}
  })
  await expect(removeMembers(messaging, connect('jerry'), id, ['spike'])).rejects.toMatchObject({ code: 4320 })
  expect(calls).toEqual([])
  await removeMembers(messaging, connect('tom'), id, ['spike', 'nobody'])
  expect(calls).toEqual([{ initBy: 'tom', members: ['spike', 'nobody'], convId: id }])
  await removeMembers(messaging, connect('jerry'), id, ['jerry'])
  expect(calls).toHaveLength(1)
  expect(received).toEqual([
    { initBy: 'tom', members: ['spike'], convId: id },
    { initBy: 'jerry', members: ['jerry'], convId: id },
  ])
})

it('lets cloud code reject removals', async () => {
  const id = await conversation(['tom', 'jerry'])
  hooks.set('_conversationRemove', () => ({ reject: true, code: 3, detail: 'no' }))
  await expect(removeMembers(messaging, connect('tom'), id, ['jerry'])).rejects.toMatchObject({
    code: 4305,
    app: { code: 3, message: 'no' },
  })
  expect(await membersOf(id)).toEqual(['tom', 'jerry'])
})
