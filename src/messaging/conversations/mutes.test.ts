import { beforeEach, expect, it } from 'vitest'
import { makeMessaging } from '../../../test/support/messaging.ts'
import { addMembers } from '../members/add-members.ts'
import { createConversation } from './create-conversation.ts'
import { listMuters, muteClients, setMuted } from './mutes.ts'
import { createTemporary } from './temporary-conversations.ts'

const { messaging, connect, hooks, conversation } = await makeMessaging()

beforeEach(() => hooks.clear())

it('mutes and unmutes a conversation for a member', async () => {
  const id = await conversation(['tom', 'jerry'])
  const [tom, jerry] = [connect('tom'), connect('jerry')]
  const { updatedAt } = await setMuted(messaging, tom, id, true)
  expect(updatedAt).toMatch(/Z$/)
  await setMuted(messaging, tom, id, true)
  expect(await listMuters(messaging, id)).toEqual(['tom'])
  await setMuted(messaging, tom, id, false)
  expect(await listMuters(messaging, id)).toEqual([])
  expect([...tom.events, ...jerry.events]).toEqual([])
})

it('keeps all concurrent mutes', async () => {
  const members = Array.from({ length: 20 }, (_, index) => `member${index}`)
  const id = await conversation(members)
  await Promise.all(members.map((clientId) => setMuted(messaging, connect(clientId), id, true)))
  expect((await listMuters(messaging, id)).sort()).toEqual([...members].sort())
})

it('accepts mutes of participants only', async () => {
  const system = { kind: 'system', members: [], attributes: {}, unique: false } as const
  const tom = connect('tom')
  const group = await conversation(['jerry'])
  const { id: news } = await createConversation(messaging, null, system)
  const { id: room } = await createConversation(messaging, null, { ...system, kind: 'room' })
  for (const id of [group, news, room])
    await expect(setMuted(messaging, tom, id, true)).rejects.toMatchObject({ code: 4309 })
  for (const id of [group, news, room]) {
    await addMembers(messaging, tom, id, ['tom'])
    await setMuted(messaging, tom, id, true)
    expect(await listMuters(messaging, id)).toEqual(['tom'])
  }
})

it('rejects a temporary conversation and an unknown one', async () => {
  const tom = connect('tom')
  const { conversation: made } = await createTemporary(messaging, tom, { members: [], ttl: null, unique: false })
  await expect(setMuted(messaging, tom, made.id, true)).rejects.toMatchObject({ code: 4307 })
  await expect(setMuted(messaging, tom, '555555555555555555555555', true)).rejects.toMatchObject({ code: 4303 })
})

it('lets the app mute for clients', async () => {
  const id = await conversation(['tom', 'jerry', 'spike'])
  await muteClients(messaging, id, ['tom', 'jerry'], true)
  expect((await muteClients(messaging, id, ['tom'], false)).updatedAt).toMatch(/Z$/)
  expect(await listMuters(messaging, id)).toEqual(['jerry'])
})

it('lets cloud code decide', async () => {
  const id = await conversation(['tom'])
  const tom = connect('tom')
  hooks.set('_conversationUpdate', (input) => {
    expect(input).toEqual({ initBy: 'tom', convId: id, mute: true })
    return { mute: false }
  })
  await setMuted(messaging, tom, id, true)
  expect(await listMuters(messaging, id)).toEqual([])
  hooks.set('_conversationUpdate', () => ({ reject: true }))
  await expect(setMuted(messaging, tom, id, true)).rejects.toMatchObject({ code: 4305 })
})
