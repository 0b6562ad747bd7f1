import { expect, it } from 'vitest'
import { makeMessaging } from '../../../test/support/messaging.ts'
import { sql } from '../../database/sql.ts'
import { createConversation } from '../conversations/create-conversation.ts'
import { blockClients } from '../moderation/blacklists.ts'
import {
  countSubscribers,
  listSubscribers,
  listSubscriptions,
  subscribe,
  subscribedSince,
  unsubscribe,
} from './subscriptions.ts'

const { messaging, conversation, database } = await makeMessaging()
const { subscriptions, reads } = messaging.tables

const system = async () =>
  (await createConversation(messaging, null, { kind: 'system', members: [], attributes: {}, unique: false })).id

it('keeps the time of the first subscription', async () => {
  const id = await system()
  const before = Date.now() - 1000
  expect(await subscribe(messaging, null, id, ['tom', 'jerry'])).toEqual({
    allowed: ['tom', 'jerry'],
    changed: expect.arrayContaining(['tom', 'jerry']),
    failed: [],
    updatedAt: null,
  })
  const first = await listSubscribers(messaging, id, {})
  expect(await subscribe(messaging, null, id, ['tom'])).toMatchObject({ allowed: ['tom'], changed: [] })
  expect(await listSubscribers(messaging, id, {})).toEqual(first)
  expect(first).toEqual([
    { convId: id, clientId: 'jerry', since: expect.any(Number) },
    { convId: id, clientId: 'tom', since: expect.any(Number) },
  ])
  expect(first[0]!.since).toBeGreaterThan(before)
  expect(await countSubscribers(messaging, id)).toBe(2)
})

it('starts and deletes the read cursor with the subscription', async () => {
  const id = await system()
  const readers = async () =>
    (await database.query(sql`SELECT client_id FROM ${reads} WHERE conv_id = ${id}`)).map((row) => row.client_id)
  await subscribe(messaging, null, id, ['tom'])
  expect(await readers()).toEqual(['tom'])
  expect(await unsubscribe(messaging, null, id, ['tom', 'jerry'])).toMatchObject({
    allowed: ['tom', 'jerry'],
    changed: ['tom'],
  })
  expect(await readers()).toEqual([])
  expect(await countSubscribers(messaging, id)).toBe(0)
})

it('accepts many concurrent subscriptions', async () => {
  const id = await system()
  const clients = Array.from({ length: 60 }, (_, index) => `client${index}`)
  await Promise.all([...clients, ...clients].map((clientId) => subscribe(messaging, null, id, [clientId])))
  expect(await countSubscribers(messaging, id)).toBe(60)
})

it('rejects blocked clients', async () => {
  const id = await system()
  await blockClients(messaging, null, id, ['out'])
  expect(await subscribe(messaging, null, id, ['out', 'tom'])).toMatchObject({
    allowed: ['tom'],
    failed: [{ error: { code: 4548 }, clientIds: ['out'] }],
  })
  await expect(subscribe(messaging, null, id, ['out'])).rejects.toMatchObject({ code: 4548 })
})

it('rejects other kinds of conversations', async () => {
  const group = await conversation(['tom'])
  for (const act of [subscribe, unsubscribe]) {
    await expect(act(messaging, null, group, ['tom'])).rejects.toMatchObject({ code: 4313 })
    await expect(act(messaging, null, '555555555555555555555555', ['tom'])).rejects.toMatchObject({ code: 4303 })
  }
})

it('lists subscribers by id, at most 50 per page', async () => {
  const id = await system()
  const clients = Array.from({ length: 120 }, (_, index) => `client${String(index).padStart(3, '0')}`)
  await subscribe(messaging, null, id, clients)
  const listed: string[] = []
  for (;;) {
    const page = await listSubscribers(messaging, id, { after: listed.at(-1), limit: 1000 })
    if (page.length === 0) break
    expect(page.length).toBeLessThanOrEqual(50)
    listed.push(...page.map(({ clientId }) => clientId))
  }
  expect(listed).toEqual(clients)
  expect(await listSubscribers(messaging, id, { limit: 2 })).toHaveLength(2)
  for (const limit of [undefined, 0, -1]) expect(await listSubscribers(messaging, id, { limit })).toHaveLength(50)
})

it('lists the subscriptions of a client by time in both directions, each once', async () => {
  const ids: string[] = []
  for (let index = 0; index < 6; index++) {
    const id = await system()
    await subscribe(messaging, null, id, ['reader'])
    ids.push(id)
  }
  // Two of them have the same time and are ordered by id.
  await database.query(sql`
    UPDATE ${subscriptions} SET since_ts = 1000 + (SELECT count(*) FROM unnest(${ids.slice(0, 4)}::text[]) AS id WHERE id < conv_id) / 2
    WHERE client_id = 'reader'`)
  const all = await listSubscriptions(messaging, 'reader', { ascending: true })
  expect(all.map(({ since }) => since)).toEqual(all.map(({ since }) => since).toSorted())
  expect(await listSubscriptions(messaging, 'reader', { ascending: false })).toEqual(all.toReversed())
  for (const ascending of [true, false]) {
    const listed: typeof all = []
    for (;;) {
      const page = await listSubscriptions(messaging, 'reader', { after: listed.at(-1), ascending, limit: 2 })
      if (page.length === 0) break
      expect(page.length).toBeLessThanOrEqual(2)
      listed.push(...page)
    }
    expect(listed).toEqual(ascending ? all : all.toReversed())
  }
  const after = { convId: ids[0]!, since: 5 }
  await expect(listSubscriptions(messaging, 'reader', { after, ascending: true })).rejects.toMatchObject({ code: 1 })
})

it('continues after a subscription that has ended meanwhile', async () => {
  const [first, second] = [await system(), await system()]
  await subscribe(messaging, null, first, ['leaver'])
  const [after] = await listSubscriptions(messaging, 'leaver', { ascending: true })
  await subscribe(messaging, null, second, ['leaver'])
  await unsubscribe(messaging, null, first, ['leaver'])
  expect(await listSubscriptions(messaging, 'leaver', { after, ascending: true })).toMatchObject([{ convId: second }])
})

it('returns the times of existing subscriptions only', async () => {
  const [one, other] = [await system(), await system()]
  await subscribe(messaging, null, one, ['knower'])
  const [subscriber] = await listSubscribers(messaging, one, {})
  expect(await subscribedSince(messaging, { clientId: 'knower' }, [one, other])).toEqual(
    new Map([[one, subscriber!.since]]),
  )
})
