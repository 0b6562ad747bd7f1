import { expect, it } from 'vitest'
import { makeMessaging } from '../../../test/support/messaging.ts'
import { createConversation } from '../conversations/create-conversation.ts'
import { createTemporary } from '../conversations/temporary-conversations.ts'
import { addMembers } from './add-members.ts'
import { countMembers, listMembers, takesPart } from './conversation-members.ts'

const { messaging, connect, conversation } = await makeMessaging()
const bare = { members: [], attributes: {}, unique: false } as const

it('counts the participants of each kind of conversation', async () => {
  const [tom, jerry] = [connect('tom'), connect('jerry')]
  const group = await conversation(['tom', 'jerry', 'spike'])
  const { conversation: made } = await createTemporary(messaging, tom, { members: ['x'], ttl: null, unique: false })
  const { id: room } = await createConversation(messaging, tom, { ...bare, kind: 'room' })
  await addMembers(messaging, jerry, room, ['jerry'])
  const { id: system } = await createConversation(messaging, null, { ...bare, kind: 'system' })
  await addMembers(messaging, tom, system, ['tom'])
  const counts = [group, made.id, room, system].map((id) => countMembers(messaging, null, id))
  expect(await Promise.all(counts)).toEqual([3, 2, 2, 1])
  expect(await listMembers(messaging, group)).toEqual(['tom', 'jerry', 'spike'])
  const unknown = '555555555555555555555555'
  await expect(countMembers(messaging, null, unknown)).rejects.toMatchObject({ code: 4303 })
  await expect(listMembers(messaging, unknown)).rejects.toMatchObject({ code: 4303 })
})

it('returns for many conversations at once whether the client participates', async () => {
  const [caller, other] = [connect('asker'), connect('other')]
  const inGroup = await conversation(['x', 'asker'])
  const notInGroup = await conversation(['x'])
  const { conversation: made } = await createTemporary(messaging, caller, { members: [], ttl: null, unique: false })
  const { id: room } = await createConversation(messaging, caller, { ...bare, kind: 'room' })
  const { id: otherRoom } = await createConversation(messaging, other, { ...bare, kind: 'room' })
  const { id: system } = await createConversation(messaging, null, { ...bare, kind: 'system' })
  const { id: otherSystem } = await createConversation(messaging, null, { ...bare, kind: 'system' })
  await addMembers(messaging, caller, system, ['asker'])
  const yes = [inGroup, made.id, room, system]
  const no = [notInGroup, otherRoom, otherSystem, '555555555555555555555555', '_tmp:x']
  expect(await takesPart(messaging, caller, [...yes, ...no])).toEqual(
    Object.fromEntries([...yes.map((id) => [id, true]), ...no.map((id) => [id, false])]),
  )
})
