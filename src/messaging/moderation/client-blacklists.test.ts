import { afterEach, expect, it } from 'vitest'
import { makeMessaging } from '../../../test/support/messaging.ts'
import { createConversation } from '../conversations/create-conversation.ts'
import { createTemporary } from '../conversations/temporary-conversations.ts'
import { addMembers } from '../members/add-members.ts'
import { readNotifications } from '../members/notifications.ts'
import { applyMembershipEvent } from '../members/rooms.ts'
import { countSubscribers } from '../members/subscriptions.ts'
import { blockConversation, listBlockedConversations, unblockConversation } from './client-blacklists.ts'

const { messaging, connect, conversation, configure } = await makeMessaging()
const bare = { members: [], attributes: {}, unique: false } as const

afterEach(() => configure({ blacklist: true }))

const membersOf = async (id: string) => [...(await messaging.conversations.find(id))!.members]

it('removes a client from a group that it blocks, and rejects adding it until it unblocks the group', async () => {
  const id = await conversation(['tom', 'jerry'])
  const [tom, jerry] = [connect('tom'), connect('jerry')]
  await blockConversation(messaging, 'jerry', 'jerry', id)
  expect(await membersOf(id)).toEqual(['tom'])
  expect(jerry.events).toMatchObject([{ news: 'left', by: 'jerry' }])
  expect(tom.events).toMatchObject([{ news: 'members_left', members: ['jerry'], by: 'jerry' }])
  expect((await readNotifications(messaging, 'jerry', 0)).notifications).toMatchObject([{ event: { news: 'left' } }])
  await blockConversation(messaging, 'jerry', 'jerry', id)
  expect(tom.events).toHaveLength(1)
  expect(await addMembers(messaging, tom, id, ['jerry'])).toMatchObject({
    allowed: [],
    failed: [{ error: { code: 4548 }, clientIds: ['jerry'] }],
  })
  await unblockConversation(messaging, 'jerry', id)
  expect(await addMembers(messaging, tom, id, ['jerry'])).toMatchObject({ changed: ['jerry'] })
})

it('does not add a client to a conversation that it is blocking', async () => {
  for (let round = 0; round < 10; round++) {
    const id = await conversation(['tom'])
    await Promise.all([addMembers(messaging, null, id, ['jerry']), blockConversation(messaging, 'jerry', 'jerry', id)])
    expect(await membersOf(id)).toEqual(['tom'])
  }
})

it('lets the app block for a client, even for an owner', async () => {
  const id = await conversation(['tom', 'jerry', 'spike'])
  const jerry = connect('jerry')
  await blockConversation(messaging, null, 'tom', id)
  expect(await membersOf(id)).toEqual(['jerry', 'spike'])
  expect(jerry.events).toMatchObject([{ news: 'members_left', by: null }])
})

it('leaves a blocked chat room, and ends the subscription to a blocked system conversation', async () => {
  const tom = connect('tom')
  const { id: room } = await createConversation(messaging, tom, { ...bare, kind: 'room' })
  await blockConversation(messaging, 'tom', 'tom', room)
  for (const event of tom.events) applyMembershipEvent(messaging.presence, tom, event)
  expect(messaging.presence.roomOf(tom)).toBeNull()
  await expect(addMembers(messaging, tom, room, ['tom'])).rejects.toMatchObject({ code: 4548 })

  const { id: system } = await createConversation(messaging, null, { ...bare, kind: 'system' })
  await addMembers(messaging, tom, system, ['tom'])
  await blockConversation(messaging, 'tom', 'tom', system)
  expect(await countSubscribers(messaging, system)).toBe(0)
  await expect(addMembers(messaging, tom, system, ['tom'])).rejects.toMatchObject({ code: 4548 })
})

it('lists the blocked conversations in pages', async () => {
  const ids = [await conversation(['x']), await conversation(['x']), await conversation(['x'])].sort()
  for (const id of ids) await blockConversation(messaging, 'lister', 'lister', id)
  const first = await listBlockedConversations(messaging, 'lister', { limit: 2 })
  expect(first).toEqual({ convIds: ids.slice(0, 2), next: '2' })
  const second = await listBlockedConversations(messaging, 'lister', { limit: 2, next: first.next! })
  expect(second).toEqual({ convIds: ids.slice(2), next: null })
  expect(await listBlockedConversations(messaging, 'nobody', {})).toEqual({ convIds: [], next: null })
})

it('rejects temporary and unknown conversations, and all in an app without blacklists', async () => {
  const tom = connect('tom')
  const { conversation: made } = await createTemporary(messaging, tom, { members: [], ttl: null, unique: false })
  await expect(blockConversation(messaging, 'tom', 'tom', made.id)).rejects.toMatchObject({ code: 4307 })
  await expect(blockConversation(messaging, 'tom', 'tom', '555555555555555555555555')).rejects.toMatchObject({
    code: 4303,
  })
  configure({ blacklist: false })
  const id = await conversation(['tom'])
  await expect(blockConversation(messaging, 'tom', 'tom', id)).rejects.toMatchObject({ code: 4544 })
  await expect(unblockConversation(messaging, 'tom', id)).rejects.toMatchObject({ code: 4544 })
  await expect(listBlockedConversations(messaging, 'tom', {})).rejects.toMatchObject({ code: 4544 })
})
