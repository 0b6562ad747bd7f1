import { beforeEach, expect, it, vi } from 'vitest'
import { makeMessaging } from '../../../test/support/messaging.ts'
import { sql, toQuery } from '../../database/sql.ts'
import { createConversation } from '../conversations/create-conversation.ts'
import { deleteConversation } from '../conversations/delete-conversation.ts'
import { blockClients } from '../moderation/blacklists.ts'
import {
  applyMembershipEvent,
  dropRoomMembership,
  enterRoom,
  keepRoomMembership,
  leaveRoom,
  someInRoom,
  takeRoomMembership,
} from './rooms.ts'

const { messaging, connect, conversation, database, anotherNode } = await makeMessaging()
const { presence, tables } = messaging

const room = async () =>
  (await createConversation(messaging, null, { kind: 'room', members: [], attributes: {}, unique: false })).id
const storedMemberships = async () =>
  (await database.query(sql`SELECT client_id FROM ${tables.roomMemberships}`)).map((row) => row.client_id)

beforeEach(() => database.query(sql`DELETE FROM ${tables.roomMemberships}`).then(() => {}))

it('keeps a session in one room at a time, without storing it', async () => {
  const [first, second] = [await room(), await room()]
  const tom = connect('tom')
  await enterRoom(messaging, tom, first)
  await enterRoom(messaging, tom, first)
  expect(presence.roomOf(tom)).toBe(first)
  await enterRoom(messaging, tom, second)
  expect(presence.roomOf(tom)).toBe(second)
  expect([...presence.inRoom(first)]).toEqual([])
  const rows = await database.query(sql`SELECT conv_id FROM ${tables.reads} WHERE conv_id IN (${first}, ${second})`)
  expect([...rows, ...(await storedMemberships())]).toEqual([])
})

it('moves the sessions of one client independently', async () => {
  const id = await room()
  const [phone, desk] = [connect('tom'), connect('tom')]
  await enterRoom(messaging, phone, id)
  await enterRoom(messaging, desk, id)
  leaveRoom(messaging, phone, id)
  expect([...presence.inRoom(id)]).toEqual([desk])
  leaveRoom(messaging, desk, await room())
  expect(presence.roomOf(desk)).toBe(id)
})

it('rejects other kinds of conversations', async () => {
  const tom = connect('tom')
  await expect(enterRoom(messaging, tom, await conversation(['tom']))).rejects.toMatchObject({ code: 4316 })
  await expect(enterRoom(messaging, tom, '555555555555555555555555')).rejects.toMatchObject({ code: 4303 })
})

it('counts sessions of all nodes', async () => {
  const id = await room()
  const other = anotherNode()
  await enterRoom(messaging, connect('tom'), id)
  await enterRoom(other.messaging, other.connect('jerry'), id)
  for (const node of [messaging, other.messaging]) expect(await node.presence.countInRoom(id)).toBe(2)
})

it('returns a random sample of the clients in a room, each once', async () => {
  const id = await room()
  for (let index = 0; index < 20; index++) {
    await enterRoom(messaging, connect(`client${index}`), id)
    await enterRoom(messaging, connect(`client${index}`), id)
  }
  const all = await someInRoom(messaging, id)
  expect(new Set(all).size).toBe(20)
  expect(all).toHaveLength(20)
  const some = await Promise.all(Array.from({ length: 50 }, () => someInRoom(messaging, id, 3)))
  for (const clientIds of some) expect(new Set(clientIds).size).toBe(3)
  expect(new Set(some.map((clientIds) => clientIds.join())).size).toBeGreaterThan(1)
  for (const limit of [0, -1]) expect(await someInRoom(messaging, id, limit)).toEqual([])
  expect(await someInRoom(messaging, await room())).toEqual([])
})

it('returns a sample of the clients in a room on all nodes, each once', async () => {
  const id = await room()
  const other = anotherNode()
  for (const clientId of ['tom', 'ann']) await enterRoom(messaging, connect(clientId), id)
  for (const clientId of ['tom', 'jerry']) await enterRoom(other.messaging, other.connect(clientId), id)
  for (const node of [messaging, other.messaging]) {
    expect((await someInRoom(node, id)).toSorted()).toEqual(['ann', 'jerry', 'tom'])
    expect(await someInRoom(node, id, 2)).toHaveLength(2)
  }
})

it.each([
  [1_000_000, 1000],
  [undefined, 50],
])('limits a sample of %s clients to %i on other nodes', async (limit, requested) => {
  const spy = vi.spyOn(presence, 'someInRoomOnOtherNodes')
  const id = await room()
  await someInRoom(messaging, id, limit)
  expect(spy.mock.calls).toEqual([[id, requested]])
  spy.mockRestore()
})

it('keeps a client in a room for other nodes until its last session there has left', async () => {
  const id = await room()
  const [phone, desk] = [connect('tom'), connect('tom')]
  for (const session of [phone, desk]) await enterRoom(messaging, session, id)
  const other = anotherNode().messaging
  leaveRoom(messaging, phone, id)
  expect(await someInRoom(other, id)).toEqual(['tom'])
  desk.leave()
  expect(await someInRoom(other, id)).toEqual([])
})

it('removes a client that is blocked while it enters', async () => {
  const id = await room()
  const tom = connect('tom')
  const query = database.query.bind(database)
  let hasBlocked = false
  const spy = vi.spyOn(database, 'query').mockImplementation(async (statement) => {
    const rows = await query(statement)
    // The first check has passed; the client is blocked only now.
    if (!hasBlocked && toQuery(statement).text.includes('$client_blocks')) {
      hasBlocked = true
      await blockClients(messaging, null, id, ['tom'])
      for (const event of tom.events) applyMembershipEvent(presence, tom, event)
    }
    return rows
  })
  try {
    await expect(enterRoom(messaging, tom, id)).rejects.toMatchObject({ code: 4548 })
  } finally {
    spy.mockRestore()
  }
  expect(hasBlocked).toBe(true)
  expect(presence.roomOf(tom)).toBeNull()
})

it('empties a room that is deleted', async () => {
  const [id, other] = [await room(), await room()]
  const [tom, jerry] = [connect('tom'), connect('jerry')]
  await enterRoom(messaging, tom, id)
  await enterRoom(messaging, jerry, other)
  await deleteConversation(messaging, id)
  for (const session of [tom, jerry]) for (const event of session.events) applyMembershipEvent(presence, session, event)
  expect(presence.roomOf(tom)).toBeNull()
  expect(presence.roomOf(jerry)).toBe(other)
})

it('keeps clients in their room on other events', async () => {
  const id = await room()
  const tom = connect('tom')
  await enterRoom(messaging, tom, id)
  const common = { kind: 'conversation', conversation: 'room', by: null, at: 1, updatedAt: '' } as const
  applyMembershipEvent(presence, tom, { ...common, convId: id, news: 'members_blocked', members: ['jerry'] })
  applyMembershipEvent(presence, tom, { ...common, convId: await room(), news: 'blocked' })
  applyMembershipEvent(presence, tom, { ...common, convId: id, news: 'updated' })
  expect(presence.roomOf(tom)).toBe(id)
})

it('returns a client to its room once after a lost connection, on any node', async () => {
  const id = await room()
  const lost = connect('tom', { deviceId: 'phone' })
  await enterRoom(messaging, lost, id)
  await keepRoomMembership(messaging, lost)
  lost.leave()
  const other = anotherNode()
  const onOtherNode = other.connect('tom', { deviceId: 'desk' })
  expect(await takeRoomMembership(other.messaging, onOtherNode)).toBeNull()
  const back = other.connect('tom', { deviceId: 'phone' })
  expect(await takeRoomMembership(other.messaging, back)).toBe(id)
  expect(other.messaging.presence.roomOf(back)).toBe(id)
  back.leave()
  const again = connect('tom', { deviceId: 'phone' })
  expect(await takeRoomMembership(messaging, again)).toBeNull()
  expect(presence.roomOf(again)).toBeNull()
})

it('returns a client before its disconnect was detected, and keeps nothing for later', async () => {
  const id = await room()
  const lost = connect('tom', { deviceId: 'phone' })
  await enterRoom(messaging, lost, id)
  expect(await takeRoomMembership(messaging, connect('tom', { deviceId: 'desk' }))).toBeNull()
  const back = connect('tom', { deviceId: 'phone' })
  expect(await takeRoomMembership(messaging, back)).toBe(id)
  await keepRoomMembership(messaging, lost)
  lost.leave()
  expect(await storedMemberships()).toEqual([])
  expect(presence.roomOf(back)).toBe(id)
  back.leave()
})

it('returns a client on another node when the first has died, or has not detected the disconnect', async () => {
  const id = await room()
  const lost = connect('tom', { deviceId: 'phone' })
  await enterRoom(messaging, lost, id)
  await enterRoom(messaging, connect('jerry'), id)
  const other = anotherNode()
  for (const [clientId, deviceId] of [
    ['tom', 'desk'],
    ['jerry', 'phone'],
  ] as const)
    expect(await takeRoomMembership(other.messaging, other.connect(clientId, { deviceId }))).toBeNull()
  expect(await takeRoomMembership(other.messaging, other.connect('jerry'))).toBeNull()
  const back = other.connect('tom', { deviceId: 'phone' })
  expect(await takeRoomMembership(other.messaging, back)).toBe(id)
  expect(other.messaging.presence.roomOf(back)).toBe(id)
  leaveRoom(messaging, lost, id)
  back.leave()
  expect(await takeRoomMembership(anotherNode().messaging, connect('tom', { deviceId: 'phone' }))).toBeNull()
})

it('returns no room for a client that was in none', async () => {
  const tom = connect('tom')
  await keepRoomMembership(messaging, tom)
  expect(await storedMemberships()).toEqual([])
  expect(await takeRoomMembership(messaging, tom)).toBeNull()
})

it('keeps the last room', async () => {
  const [first, second] = [await room(), await room()]
  for (const id of [first, second]) {
    const tom = connect('tom')
    await enterRoom(messaging, tom, id)
    await keepRoomMembership(messaging, tom)
    tom.leave()
  }
  expect(await storedMemberships()).toEqual(['tom'])
  expect(await takeRoomMembership(messaging, connect('tom'))).toBe(second)
})

it('keeps the membership for 30 minutes, and deletes one that was dropped', async () => {
  const id = await room()
  const tom = connect('tom')
  await enterRoom(messaging, tom, id)
  const before = Date.now()
  await keepRoomMembership(messaging, tom)
  const [stored] = await database.query(sql`SELECT until_ts FROM ${tables.roomMemberships}`)
  expect(Math.abs(Number(stored!.until_ts) - before - 30 * 60_000)).toBeLessThan(60_000)
  expect(await dropRoomMembership(messaging, tom)).toBe(id)
  expect(await dropRoomMembership(messaging, tom)).toBeNull()
  await keepRoomMembership(messaging, tom)
  await database.query(sql`UPDATE ${tables.roomMemberships} SET until_ts = until_ts - 31 * 60000`)
  expect(await takeRoomMembership(messaging, connect('tom'))).toBeNull()
})

it('runs the operations of a session in order, whatever their delays', async () => {
  const id = await room()
  const tom = connect('tom')
  await enterRoom(messaging, tom, id)
  // A new session drops the membership of the previous one, and is lost before that has completed.
  const [given, , again] = await Promise.all([
    dropRoomMembership(messaging, tom),
    keepRoomMembership(messaging, tom),
    dropRoomMembership(messaging, tom),
    keepRoomMembership(messaging, tom),
  ])
  expect([given, again]).toEqual([null, id])
  expect(await storedMemberships()).toEqual(['tom'])
})

it('returns each of many clients that are lost and reconnect at once to its own room', async () => {
  const rooms = await Promise.all([1, 2, 3].map(room))
  const sessions = Array.from({ length: 30 }, (_, index) =>
    connect(`client ${index % 10}`, { deviceId: `device ${Math.floor(index / 10)}` }),
  )
  await Promise.all(sessions.map((session, index) => enterRoom(messaging, session, rooms[index % 3]!)))
  await Promise.all(sessions.map((session) => keepRoomMembership(messaging, session)))
  for (const session of sessions) session.leave()
  const back = sessions.map(({ clientId, deviceId }) => connect(clientId, { deviceId: deviceId! }))
  const twice = back.map(({ clientId, deviceId }) => connect(clientId, { deviceId: deviceId! }))
  expect(await Promise.all(back.map((session) => takeRoomMembership(messaging, session)))).toEqual(
    sessions.map((_, index) => rooms[index % 3]),
  )
  expect(await Promise.all(twice.map((session) => dropRoomMembership(messaging, session)))).toEqual(
    twice.map(() => null),
  )
  expect(await storedMemberships()).toEqual([])
})

it('keeps a client in a room that it has entered meanwhile', async () => {
  const [old, other] = [await room(), await room()]
  const tom = connect('tom')
  await enterRoom(messaging, tom, old)
  await keepRoomMembership(messaging, tom)
  tom.leave()
  const back = connect('tom')
  await Promise.all([takeRoomMembership(messaging, back), enterRoom(messaging, back, other)])
  expect(presence.roomOf(back)).toBe(other)
  expect([...presence.inRoom(old)]).toEqual([])
})

it('deletes expired memberships when new ones are stored', async () => {
  const id = await room()
  for (const clientId of ['tom', 'jerry']) {
    const session = connect(clientId)
    await enterRoom(messaging, session, id)
    await keepRoomMembership(messaging, session)
    await database.query(sql`UPDATE ${tables.roomMemberships} SET until_ts = 1 WHERE client_id = 'tom'`)
  }
  expect(await storedMemberships()).toEqual(['jerry'])
})

it('returns no client to a deleted room, or one that it is blocked from', async () => {
  const [deleted, closed] = [await room(), await room()]
  const [tom, jerry] = [connect('tom'), connect('jerry')]
  await enterRoom(messaging, tom, deleted)
  await enterRoom(messaging, jerry, closed)
  await keepRoomMembership(messaging, tom)
  await keepRoomMembership(messaging, jerry)
  await deleteConversation(messaging, deleted)
  await blockClients(messaging, null, closed, ['jerry'])
  expect(await takeRoomMembership(messaging, connect('tom'))).toBeNull()
  expect(await takeRoomMembership(messaging, connect('jerry'))).toBeNull()
})
