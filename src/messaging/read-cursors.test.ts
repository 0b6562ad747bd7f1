import { expect, it, vi } from 'vitest'
import { makeMessaging } from '../../test/support/messaging.ts'
import { sql } from '../database/sql.ts'
import type { ReadCursor } from './read-cursors.ts'

const { messaging, anotherNode, conversation, send, database } = await makeMessaging()
const { reads } = messaging.tables

const cursor = (
  clientId: string,
  convId: string,
  upTo: number | null,
  changes: Partial<ReadCursor> = {},
): ReadCursor => ({
  clientId,
  convId,
  read: false,
  messageId: null,
  upTo,
  atMost: null,
  ownThread: null,
  receipts: null,
  ...changes,
})

it('moves the cursors of a thousand members with a few statements', async () => {
  const members = Array.from({ length: 1000 }, (_, number) => `member ${number}`)
  const convId = await conversation(members)
  const { ts } = await send('member 0', convId, 'hello')
  const statements = vi.spyOn(database, 'query')
  await Promise.all(members.map((member) => messaging.readCursors.move(cursor(member, convId, ts))))
  expect(statements).toHaveBeenCalled()
  expect(statements.mock.calls.length).toBeLessThan(5)
  statements.mockRestore()
  const rows = await database.query(sql`SELECT FROM ${reads} WHERE conv_id = ${convId} AND received_ts = ${ts}::bigint`)
  expect(rows).toHaveLength(1000)
})

it('ends at the furthest position when two nodes move the same cursors in any order', async () => {
  const nodes = [messaging, anotherNode().messaging]
  const convIds = await Promise.all(Array.from({ length: 20 }, () => conversation(['ann', 'bob'])))
  const times = new Map<string, number[]>()
  for (const convId of convIds) {
    const sent = await Promise.all(Array.from({ length: 5 }, (_, number) => send('ann', convId, String(number))))
    times.set(
      convId,
      sent.map(({ ts }) => ts),
    )
  }
  const moves = convIds.flatMap((convId) => times.get(convId)!.map((ts) => cursor('bob', convId, ts, { read: true })))
  const shuffled = [moves, moves.toReversed()]
  await Promise.all(nodes.flatMap(({ readCursors }, node) => shuffled[node]!.map((move) => readCursors.move(move))))
  for (const convId of convIds) {
    const [row] = await database.query(
      sql`SELECT read_ts, received_ts FROM ${reads} WHERE client_id = 'bob' AND conv_id = ${convId}`,
    )
    expect(row).toEqual({ read_ts: times.get(convId)!.at(-1), received_ts: times.get(convId)!.at(-1) })
  }
})

it('records the time of a change when more is read, not when more is received', async () => {
  const convId = await conversation(['ann', 'bob'])
  const first = await send('ann', convId, '1')
  const second = await send('ann', convId, '2')
  const changedAt = async () => {
    const [row] = await database.query(sql`SELECT changed_at FROM ${reads} WHERE conv_id = ${convId}`)
    return Number(row!.changed_at)
  }
  await messaging.readCursors.move(cursor('bob', convId, first.ts))
  expect(await changedAt()).toBe(0)
  await messaging.readCursors.move(cursor('bob', convId, first.ts, { read: true }))
  const read = await changedAt()
  expect(read).toBeGreaterThanOrEqual(first.ts)
  await messaging.readCursors.move(cursor('bob', convId, first.ts, { read: true }))
  await messaging.readCursors.move(cursor('bob', convId, second.ts))
  expect(await changedAt()).toBe(read)
})

it('writes nothing for a cursor that does not move', async () => {
  const convId = await conversation(['ann', 'bob'])
  const { ts } = await send('ann', convId, 'hello')
  const version = async () => {
    const [row] = await database.query(sql`SELECT xmin::text AS version FROM ${reads} WHERE conv_id = ${convId}`)
    return row!.version
  }
  await messaging.readCursors.move(cursor('bob', convId, ts, { read: true }))
  const before = await version()
  await messaging.readCursors.move(cursor('bob', convId, ts, { read: true }))
  await messaging.readCursors.move(cursor('bob', convId, ts))
  expect(await version()).toBe(before)
})

it('limits a cursor to sent messages, and sends the receipt for the message', async () => {
  const convId = await conversation(['ann', 'bob'])
  const first = await send('ann', convId, '1', { receipt: true })
  const second = await send('ann', convId, '2', { receipt: true })
  const moved = await messaging.readCursors.move(
    cursor('bob', convId, null, { messageId: second.id, atMost: first.ts, receipts: 'this' }),
  )
  expect(moved).toMatchObject({ upTo: first.ts, lastTs: second.ts, receipts: [{ messageId: second.id }] })
})

it('moves nothing for an unknown message', async () => {
  const convId = await conversation(['ann', 'bob'])
  await send('ann', convId, 'hello')
  expect(await messaging.readCursors.move(cursor('bob', convId, null, { messageId: 'unknown' }))).toBe(null)
  expect(await messaging.readCursors.move(cursor('bob', convId, null, { messageId: 'unknown', atMost: 1 }))).toBe(null)
  expect(await database.query(sql`SELECT FROM ${reads} WHERE conv_id = ${convId}`)).toEqual([])
})
