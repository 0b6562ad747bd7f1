import { beforeEach, expect, it, vi } from 'vitest'
import { makeMessaging } from '../../../test/support/messaging.ts'
import { sql } from '../../database/sql.ts'
import { endIfKicked, kickClient, repeatKicks } from './kick-client.ts'

const { messaging, connect, anotherNode } = await makeMessaging()
const other = anotherNode()

beforeEach(() => {
  vi.useRealTimers()
})

async function kickedAt(clientId: string): Promise<number> {
  const { kicks } = messaging.tables
  const [row] = await messaging.database.query(sql`SELECT ts FROM ${kicks} WHERE client_id = ${clientId}`)
  return Number(row?.ts)
}

it('ends all sessions of a client on all nodes, whatever their tags, and no others', async () => {
  const sessions = [connect('ann'), connect('ann', { tag: 'phone' }), other.connect('ann')]
  const bob = connect('bob')
  await kickClient(messaging, 'ann', 'enough')
  await vi.waitFor(() => {
    for (const { ended } of sessions) expect(ended).toEqual({ code: 4115, reason: 'enough' })
  }, 10_000)
  expect(bob.ended).toBeNull()
  expect(await messaging.presence.online(['ann', 'bob'])).toEqual(new Set(['bob']))
})

it('sends the name of the code when no reason is set', async () => {
  const session = connect('cid')
  await kickClient(messaging, 'cid', null)
  expect(session.ended).toEqual({ code: 4115, reason: 'KICKED_BY_APP' })
})

it('keeps tokens and signatures from before the last kick invalid, whatever the clock of the node', async () => {
  await kickClient(messaging, 'dan', null)
  const first = await kickedAt('dan')
  expect(Math.abs(first - Date.now())).toBeLessThan(60_000)
  vi.useFakeTimers({ toFake: ['Date'], now: first - 60_000 })
  await kickClient(messaging, 'dan', null)
  expect(await kickedAt('dan')).toBe(first)
  vi.setSystemTime(first + 60_000)
  await kickClient(messaging, 'dan', null)
  expect(await kickedAt('dan')).toBe(first + 60_000)
})

it('rejects a reason of more than 20 characters without a change', async () => {
  const session = connect('eve')
  await expect(kickClient(messaging, 'eve', '🙂'.repeat(21))).rejects.toMatchObject({ code: 1, status: 400 })
  expect(session.ended).toBeNull()
  expect(await kickedAt('eve')).toBeNaN()
  await kickClient(messaging, 'eve', '🙂'.repeat(20))
  expect(session.ended?.reason).toBe('🙂'.repeat(20))
})

it('ends a session that was being opened during a kick, and keeps one that was opened later', async () => {
  await kickClient(messaging, 'eve', null)
  const at = await kickedAt('eve')
  const [meanwhile, later] = [connect('eve'), connect('eve')]
  await endIfKicked(messaging, meanwhile, at - 5)
  await endIfKicked(messaging, later, at + 1)
  expect(meanwhile.ended).toEqual({ code: 4115, reason: 'KICKED_BY_APP' })
  expect(later.ended).toBeNull()
})

it('sends the same reason however the node learns of the kick', async () => {
  await kickClient(messaging, 'fay', 'too loud')
  const at = await kickedAt('fay')
  const meanwhile = connect('fay')
  await endIfKicked(messaging, meanwhile, at - 5)
  const missed = other.connect('fay', { openedAt: at - 5 })
  await repeatKicks(messaging, at)
  await expect.poll(() => missed.ended).toEqual({ code: 4115, reason: 'too loud' })
  expect(meanwhile.ended).toEqual({ code: 4115, reason: 'too loud' })
  await kickClient(messaging, 'fay', null)
  const later = connect('fay')
  await endIfKicked(messaging, later, at - 5)
  expect(later.ended).toEqual({ code: 4115, reason: 'KICKED_BY_APP' })
})

it('ends sessions that began before a kick that their node has missed', async () => {
  const now = Date.now()
  const [early, late] = [0, 2].map((minutes) => other.connect('leo', { openedAt: now + minutes * 60_000 }))
  const here = connect('leo', { openedAt: now })
  const long = other.connect('mia', { openedAt: now - 3_600_000 })
  await messaging.database.query(sql`
    INSERT INTO ${messaging.tables.kicks}
    SELECT 'many ' || number, ${now}::bigint
    FROM generate_series(1, 2500) AS number
    UNION ALL VALUES ('leo', ${now + 60_000}::bigint), ('mia', ${now - 1}::bigint), ('zoe', ${now + 1}::bigint)`)
  const zoe = other.connect('zoe', { openedAt: now })
  await repeatKicks(messaging, now)
  for (const session of [early!, here, zoe])
    await expect.poll(() => session.ended).toEqual({ code: 4115, reason: 'KICKED_BY_APP' })
  expect([late!.ended, long.ended]).toEqual([null, null])
})
