import { afterEach, expect, it } from 'vitest'
import { makeMessaging } from '../../../test/support/messaging.ts'
import { sql } from '../../database/sql.ts'
import { createConversation } from '../conversations/create-conversation.ts'
import { createTemporary } from '../conversations/temporary-conversations.ts'
import { addMembers } from '../members/add-members.ts'
import { readNotifications } from '../members/notifications.ts'
import { giveRole } from '../members/roles.ts'
import { applyMembershipEvent } from '../members/rooms.ts'
import { countSubscribers } from '../members/subscriptions.ts'
import { blockClients, checkBlocked, listBlocked, unblockClients } from './blacklists.ts'

const { messaging, connect, database, conversation, configure, anotherNode } = await makeMessaging()
const bare = { members: [], attributes: {}, unique: false } as const

afterEach(() => configure({ blacklist: true, memberInfo: true }))

const membersOf = async (id: string) => [...(await messaging.conversations.find(id))!.members]
const many = (count: number) => Array.from({ length: count }, (_, index) => `many${index}`)

it('removes a blocked client, and notifies it and the others of both', async () => {
  const id = await conversation(['tom', 'jerry', 'spike'])
  const [tom, jerry, spike] = [connect('tom'), connect('jerry'), connect('spike')]
  expect(await blockClients(messaging, { clientId: 'tom' }, id, ['jerry'])).toEqual({ allowed: ['jerry'], failed: [] })
  expect(await membersOf(id)).toEqual(['tom', 'spike'])
  const common = {
    convId: id,
    conversation: 'normal',
    by: 'tom',
    at: expect.any(Number),
    updatedAt: expect.any(String),
  }
  expect(jerry.events).toMatchObject([
    { ...common, news: 'blocked' },
    { ...common, news: 'left' },
  ])
  for (const session of [tom, spike])
    expect(session.events).toMatchObject([
      { ...common, news: 'members_blocked', members: ['jerry'] },
      { ...common, news: 'members_left', members: ['jerry'] },
    ])
  const { notifications } = await readNotifications(messaging, 'jerry', 0)
  expect(notifications).toMatchObject([{ event: { news: 'left', convId: id } }])
})

it('blocks a client that is not a member, without a removal', async () => {
  const id = await conversation(['tom'])
  const [tom, outsider] = [connect('tom'), connect('stranger')]
  await blockClients(messaging, { clientId: 'tom' }, id, ['stranger'])
  expect(outsider.events).toMatchObject([{ news: 'blocked' }])
  expect(tom.events).toMatchObject([{ news: 'members_blocked', members: ['stranger'] }])
  tom.clear()
  await blockClients(messaging, { clientId: 'tom' }, id, ['stranger'])
  expect(tom.events).toEqual([])
})

it('lets an unblocked client return, and notifies it', async () => {
  const id = await conversation(['tom', 'jerry'])
  await blockClients(messaging, { clientId: 'tom' }, id, ['jerry'])
  const [tom, jerry] = [connect('tom'), connect('jerry')]
  expect(await unblockClients(messaging, { clientId: 'tom' }, id, ['jerry', 'nobody'])).toEqual({
    allowed: ['jerry', 'nobody'],
    failed: [],
  })
  expect(jerry.events).toMatchObject([{ news: 'unblocked', by: 'tom' }])
  expect(tom.events).toMatchObject([{ news: 'members_unblocked', members: ['jerry'], by: 'tom' }])
  expect(await membersOf(id)).toEqual(['tom'])
  expect(await addMembers(messaging, jerry, id, ['jerry'])).toMatchObject({ changed: ['jerry'] })
})

it('lets managers block plain members, and the owner everyone else', async () => {
  const id = await conversation(['tom', 'jerry', 'spike', 'tyke'])
  await giveRole(messaging, { clientId: 'tom' }, id, 'jerry', 'Manager')
  await giveRole(messaging, { clientId: 'tom' }, id, 'spike', 'Manager')
  for (const act of [blockClients, unblockClients]) {
    await expect(act(messaging, { clientId: 'tyke' }, id, ['nobody'])).rejects.toMatchObject({ code: 4320 })
    await expect(act(messaging, { clientId: 'stranger' }, id, ['nobody'])).rejects.toMatchObject({ code: 4317 })
  }
  expect(await blockClients(messaging, { clientId: 'jerry' }, id, ['tom', 'spike', 'jerry', 'tyke'])).toMatchObject({
    allowed: ['tyke'],
    failed: [{ error: { code: 4320 }, clientIds: ['tom', 'spike', 'jerry'] }],
  })
  expect(await blockClients(messaging, { clientId: 'tom' }, id, ['tom', 'jerry'])).toMatchObject({
    allowed: ['jerry'],
    failed: [{ clientIds: ['tom'] }],
  })
  expect(await membersOf(id)).toEqual(['tom', 'spike'])
})

it('lets managers unblock only the clients that they may block', async () => {
  const id = await conversation(['tom', 'jerry'])
  await giveRole(messaging, { clientId: 'tom' }, id, 'jerry', 'Manager')
  await blockClients(messaging, null, id, ['tom', 'x'])
  expect(await unblockClients(messaging, { clientId: 'jerry' }, id, ['tom', 'x'])).toMatchObject({
    allowed: ['x'],
    failed: [{ error: { code: 4320 }, clientIds: ['tom'] }],
  })
  expect(await checkBlocked(messaging, { clientId: 'jerry' }, id, ['tom', 'x'])).toEqual(['tom'])
})

it('lets the creator block in an app without roles', async () => {
  configure({ memberInfo: false })
  const id = await conversation(['tom', 'jerry'])
  await expect(blockClients(messaging, { clientId: 'jerry' }, id, ['x'])).rejects.toMatchObject({ code: 4320 })
  expect(await blockClients(messaging, { clientId: 'tom' }, id, ['jerry'])).toMatchObject({ allowed: ['jerry'] })
})

it('lets the app block any client, including the owner', async () => {
  const id = await conversation(['tom', 'jerry', 'spike'])
  expect(await blockClients(messaging, null, id, ['tom'])).toEqual({ allowed: ['tom'], failed: [] })
  expect(await membersOf(id)).toEqual(['jerry', 'spike'])
})

it('lists the blocked clients for members, in pages', async () => {
  const id = await conversation(['tom', 'jerry'])
  await blockClients(messaging, { clientId: 'tom' }, id, ['c', 'a', 'b'])
  expect(await listBlocked(messaging, { clientId: 'jerry' }, id, { limit: 2 })).toEqual({
    clientIds: ['a', 'b'],
    next: '2',
  })
  expect(await listBlocked(messaging, null, id, { limit: 2, next: '2' })).toEqual({ clientIds: ['c'], next: null })
  expect(await checkBlocked(messaging, { clientId: 'jerry' }, id, ['b', 'jerry', 'a'])).toEqual(['a', 'b'])
  await expect(listBlocked(messaging, { clientId: 'a' }, id, {})).rejects.toMatchObject({ code: 4317 })
  await expect(checkBlocked(messaging, { clientId: 'a' }, id, ['a'])).rejects.toMatchObject({ code: 4317 })
})

it('blocks at most 500 clients in a group, also concurrently, not counting duplicates', async () => {
  const id = await conversation(['tom'])
  await blockClients(messaging, null, id, many(495))
  const outcomes = await Promise.all(
    Array.from({ length: 10 }, (_, index) => blockClients(messaging, { clientId: 'tom' }, id, ['many0', `x${index}`])),
  )
  const failed = outcomes.flatMap((outcome) => outcome.failed)
  expect(failed).toHaveLength(5)
  for (const failure of failed)
    expect(failure).toMatchObject({
      error: { code: 4543, reason: 'BLACKLIST_FULL' },
      clientIds: [expect.stringMatching(/^x/)],
    })
  const [row] = await database.query(
    sql`SELECT count(*) AS count FROM ${messaging.tables.blocks} WHERE conv_id = ${id}`,
  )
  expect(row).toEqual({ count: 500 })
})

it('blocks at most 10 000 clients in a chat room or system conversation', async () => {
  for (const kind of ['room', 'system'] as const) {
    const { id } = await createConversation(messaging, null, { ...bare, kind })
    await blockClients(messaging, null, id, many(9999))
    expect(await blockClients(messaging, null, id, ['x', 'y'])).toMatchObject({
      allowed: ['x'],
      failed: [{ error: { code: 4543 }, clientIds: ['y'] }],
    })
  }
})

it('removes a blocked client from a chat room on any node, and rejects its return', async () => {
  const tom = connect('tom')
  const { id } = await createConversation(messaging, tom, { ...bare, kind: 'room' })
  const other = anotherNode()
  const jerry = other.connect('jerry')
  await addMembers(other.messaging, jerry, id, ['jerry'])
  await blockClients(messaging, { clientId: 'tom' }, id, ['jerry'])
  expect(jerry.events[0]).toMatchObject({ news: 'blocked', conversation: 'room' })
  for (const event of jerry.events) applyMembershipEvent(other.messaging.presence, jerry, event)
  expect(other.messaging.presence.roomOf(jerry)).toBeNull()
  expect(tom.events).toMatchObject([{ news: 'members_blocked', members: ['jerry'] }])
  await expect(addMembers(other.messaging, jerry, id, ['jerry'])).rejects.toMatchObject({ code: 4548 })
})

it('ends the subscription of a blocked client', async () => {
  const { id } = await createConversation(messaging, null, { ...bare, kind: 'system' })
  await addMembers(messaging, null, id, ['jerry', 'spike'])
  const spike = connect('spike')
  await blockClients(messaging, null, id, ['jerry'])
  expect(await countSubscribers(messaging, id)).toBe(1)
  expect(spike.events).toEqual([])
  await expect(addMembers(messaging, connect('jerry'), id, ['jerry'])).rejects.toMatchObject({ code: 4548 })
})

it('does not subscribe a client that is being blocked', async () => {
  for (let round = 0; round < 10; round++) {
    const { id } = await createConversation(messaging, null, { ...bare, kind: 'system' })
    await Promise.allSettled([addMembers(messaging, null, id, ['jerry']), blockClients(messaging, null, id, ['jerry'])])
    expect(await countSubscribers(messaging, id)).toBe(0)
  }
})

it('rejects temporary conversations, and all in an app without blacklists', async () => {
  const tom = connect('tom')
  const { conversation: made } = await createTemporary(messaging, tom, { members: ['x'], ttl: null, unique: false })
  await expect(blockClients(messaging, { clientId: 'tom' }, made.id, ['x'])).rejects.toMatchObject({ code: 4307 })
  await expect(blockClients(messaging, { clientId: 'tom' }, '555555555555555555555555', ['x'])).rejects.toMatchObject({
    code: 4303,
  })
  configure({ blacklist: false })
  const id = await conversation(['tom', 'x'])
  const off = { code: 4544, reason: 'BLACKLIST_FEATURE_DISABLED' }
  for (const act of [blockClients, unblockClients, checkBlocked])
    await expect(act(messaging, { clientId: 'tom' }, id, ['x'])).rejects.toMatchObject(off)
  await expect(listBlocked(messaging, { clientId: 'tom' }, id, {})).rejects.toMatchObject(off)
})
