import { afterEach, expect, it } from 'vitest'
import { makeMessaging } from '../../../test/support/messaging.ts'
import { sql } from '../../database/sql.ts'
import { createConversation } from '../conversations/create-conversation.ts'
import { createTemporary } from '../conversations/temporary-conversations.ts'
import { memberInfoTable } from '../records/conversation-class.ts'
import { holderOfRole, listRoles } from './role-listing.ts'
import { giveRole, removeRole } from './roles.ts'

const { messaging, connect, database, conversation, configure } = await makeMessaging()
const bare = { members: [], attributes: {}, unique: false } as const

afterEach(() => configure({ memberInfo: true }))

const list = (convId: string, options: { skip?: number; limit?: number; role?: string } = {}) =>
  listRoles(messaging, convId, { skip: 0, limit: 100, ...options })

it('stores each role that is set as an object, also that of a plain member', async () => {
  const id = await conversation(['tom', 'jerry', 'spike'])
  expect(await list(id)).toEqual([])
  const given = await giveRole(messaging, { clientId: 'tom' }, id, 'jerry', 'Manager')
  expect(given).toMatchObject({ clientId: 'jerry', role: 'Manager', updatedAt: expect.stringMatching(/Z$/) })
  expect(await list(id)).toMatchObject([{ objectId: given.infoId, cid: id, clientId: 'jerry', role: 'Manager' }])
  const back = await giveRole(messaging, { clientId: 'tom' }, id, 'jerry', 'Member')
  expect(back.infoId).toBe(given.infoId)
  expect(await list(id)).toMatchObject([{ objectId: given.infoId, role: 'Member' }])
})

it('notifies all members, including the one whose role changes', async () => {
  const id = await conversation(['tom', 'jerry', 'spike'])
  const sessions = [connect('tom'), connect('jerry'), connect('spike')]
  const outsider = connect('tyke')
  const { infoId } = await giveRole(messaging, { clientId: 'tom' }, id, 'jerry', 'Manager')
  for (const session of sessions)
    expect(session.events).toEqual([
      {
        kind: 'conversation',
        news: 'member_info_changed',
        convId: id,
        conversation: 'normal',
        by: 'tom',
        at: expect.any(Number),
        updatedAt: expect.stringMatching(/Z$/),
        info: { clientId: 'jerry', role: 'Manager', infoId },
      },
    ])
  expect(outsider.events).toEqual([])
})

it('lets only the owner set roles among clients, and keeps the ownership', async () => {
  const id = await conversation(['tom', 'jerry', 'spike'])
  await giveRole(messaging, { clientId: 'tom' }, id, 'jerry', 'Manager')
  const unauthorized = { code: 4320, reason: 'CONVERSATION_OPERATION_UNAUTHORIZED' }
  for (const clientId of ['jerry', 'spike'])
    await expect(giveRole(messaging, { clientId }, id, 'spike', 'Manager')).rejects.toMatchObject(unauthorized)
  await expect(giveRole(messaging, { clientId: 'tom' }, id, 'jerry', 'Owner')).rejects.toMatchObject(unauthorized)
  await expect(giveRole(messaging, { clientId: 'tyke' }, id, 'jerry', 'Member')).rejects.toMatchObject({ code: 4317 })
  expect(await list(id)).toHaveLength(1)
  await giveRole(messaging, null, id, 'spike', 'Owner')
  await giveRole(messaging, { clientId: 'spike' }, id, 'jerry', 'Member')
})

it('rejects roles for clients that are not members', async () => {
  const id = await conversation(['tom'])
  for (const caller of [{ clientId: 'tom' }, null])
    await expect(giveRole(messaging, caller, id, 'stranger', 'Manager')).rejects.toMatchObject({ code: 4317 })
})

it('rejects an unknown role with its name', async () => {
  const id = await conversation(['tom', 'jerry'])
  await expect(giveRole(messaging, { clientId: 'tom' }, id, 'jerry', 'King')).rejects.toMatchObject({
    code: 4321,
    message: "UNKNOWN_CONVERSATION_ROLE: The role must be Member, Manager or Owner, not 'King'.",
  })
  await expect(list(id, { role: 'King' })).rejects.toMatchObject({ code: 4321 })
})

it('stores concurrent roles of one member as one object', async () => {
  const id = await conversation(['tom', 'jerry'])
  const roles = Array.from({ length: 20 }, (_, index) => (index % 2 ? 'Manager' : 'Member'))
  const given = await Promise.all(roles.map((role) => giveRole(messaging, { clientId: 'tom' }, id, 'jerry', role)))
  expect(new Set(given.map(({ infoId }) => infoId)).size).toBe(1)
  expect(await list(id)).toHaveLength(1)
})

it('rejects roles in an app without roles', async () => {
  configure({ memberInfo: false })
  const id = await conversation(['tom', 'jerry'])
  const off = { code: 4325, reason: 'CONVERSATION_MEMBER_INFO_FEATURE_DISABLED' }
  await expect(giveRole(messaging, { clientId: 'tom' }, id, 'jerry', 'Manager')).rejects.toMatchObject(off)
  await expect(removeRole(messaging, id, 'x')).rejects.toMatchObject(off)
})

it('accepts roles of any client in chat rooms, and rejects them in system and temporary conversations', async () => {
  const tom = connect('tom')
  const room = await createConversation(messaging, tom, { ...bare, kind: 'room' })
  await giveRole(messaging, { clientId: 'tom' }, room.id, 'jerry', 'Manager')
  expect(tom.events).toMatchObject([{ news: 'member_info_changed', conversation: 'room' }])
  const system = await createConversation(messaging, null, { ...bare, kind: 'system' })
  await expect(giveRole(messaging, null, system.id, 'x', 'Manager')).rejects.toMatchObject({ code: 4314 })
  const { conversation: made } = await createTemporary(messaging, tom, { members: [], ttl: null, unique: false })
  await expect(giveRole(messaging, { clientId: 'tom' }, made.id, 'tom', 'Manager')).rejects.toMatchObject({
    code: 4314,
  })
  await expect(giveRole(messaging, null, '555555555555555555555555', 'x', 'Manager')).rejects.toMatchObject({
    code: 4303,
  })
})

it('accepts at most 10 000 roles in a conversation', async () => {
  const room = await createConversation(messaging, connect('tom'), { ...bare, kind: 'room' })
  await database.query(sql`
    INSERT INTO ${memberInfoTable(messaging)} (id, created_at, updated_at, data)
    SELECT 'info' || n, now(), now(), jsonb_build_object('cid', ${room.id}::text, 'clientId', 'c' || n, 'role', 'Member')
    FROM generate_series(1, 9999) AS n`)
  await giveRole(messaging, null, room.id, 'last', 'Manager')
  await giveRole(messaging, null, room.id, 'c1', 'Manager')
  await expect(giveRole(messaging, null, room.id, 'too many', 'Manager')).rejects.toMatchObject({ code: 4322 })
})

it('deletes a role with its object, and notifies the members', async () => {
  const id = await conversation(['tom', 'jerry'])
  const { infoId } = await giveRole(messaging, { clientId: 'tom' }, id, 'jerry', 'Manager')
  const jerry = connect('jerry')
  expect(await holderOfRole(messaging, id, infoId)).toEqual({ clientId: 'jerry', role: 'Manager' })
  expect(await removeRole(messaging, await conversation(['x']), infoId)).toBe(false)
  expect(await removeRole(messaging, id, infoId)).toBe(true)
  expect(jerry.events).toMatchObject([{ by: null, info: { clientId: 'jerry', role: 'Member', infoId } }])
  expect(await removeRole(messaging, id, infoId)).toBe(false)
  expect(await holderOfRole(messaging, id, infoId)).toBeNull()
  expect(await list(id)).toEqual([])
})

it('lists roles in pages, optionally of one kind', async () => {
  const id = await conversation(['tom', 'a', 'b', 'c'])
  await giveRole(messaging, { clientId: 'tom' }, id, 'a', 'Manager')
  await giveRole(messaging, { clientId: 'tom' }, id, 'b', 'Member')
  await giveRole(messaging, { clientId: 'tom' }, id, 'c', 'Manager')
  const clientsOf = async (options: Parameters<typeof list>[1]) =>
    (await list(id, options)).map(({ clientId }) => clientId)
  expect(await clientsOf({ role: 'Manager' })).toEqual(['a', 'c'])
  expect(await clientsOf({ skip: 1, limit: 1 })).toEqual(['b'])
})
