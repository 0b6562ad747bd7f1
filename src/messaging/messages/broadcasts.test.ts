import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it, onTestFinished, vi } from 'vitest'
import { makeMessaging } from '../../../test/support/messaging.ts'
import { sql } from '../../database/sql.ts'
import { clientHistory } from '../history/client-history.ts'
import { deleteBroadcast, type Reach, sendBroadcast } from './broadcasts.ts'

const { messaging, conversation, connect, database, anotherNode } = await makeMessaging()
const { messages, subscriptions, dailyClients, broadcasts } = messaging.tables

async function systemConversation(...subscribers: readonly string[]): Promise<string> {
  const convId = await conversation([], { sys: true })
  await database.query(sql`
    INSERT INTO ${subscriptions} SELECT ${convId}, client_id, 0 FROM unnest(${subscribers}::text[]) AS client_id`)
  return convId
}

const broadcast = (convId: string, content: string, reach: Reach = 'subscribers') =>
  sendBroadcast(messaging, { convId, fromClient: 'app', content, bin: false, ip: null }, reach)

it('stores a broadcast once and notifies the subscribers on all nodes', async () => {
  const convId = await systemConversation('ann', 'bob', 'away')
  const [ann, bob, outsider] = [connect('ann'), anotherNode().connect('bob'), connect('cat')]
  const { id, ts } = await broadcast(convId, 'news')
  for (const session of [ann, bob]) {
    await expect
      .poll(() => session.events)
      .toEqual([
        {
          kind: 'message',
          message: expect.objectContaining({ id, ts, convId, sender: 'app', content: 'news' }),
          conversation: 'system',
          transient: false,
        },
      ])
  }
  expect(outsider.events).toEqual([])
  expect(await database.query(sql`SELECT thread FROM ${messages} WHERE id = ${id}`)).toEqual([{ thread: convId }])
})

it('delivers many concurrent broadcasts in order', async () => {
  const convId = await systemConversation('dan')
  const [here, there] = [connect('dan'), anotherNode().connect('dan')]
  // A broadcast that the database takes long for is not overtaken; delivery-order.test.ts covers how long the others wait.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  await Promise.all(Array.from({ length: 50 }, (_, number) => broadcast(convId, String(number))))
  const order = (await clientHistory(messaging, { clientId: 'dan' }, convId, { limit: 100 })).map(
    ({ message }) => message.content,
  )
  for (const session of [here, there]) {
    // Not with `poll`, which would let the timers run.
    while (session.of('message').length < order.length) await nextTurn()
    expect(session.of('message').map(({ message }) => message.content)).toEqual(order)
  }
})

it('sends a broadcast to everyone to clients that do not subscribe', async () => {
  const convId = await systemConversation()
  const [here, there] = [connect('eve'), anotherNode().connect('fay')]
  await broadcast(convId, 'to all', { everyoneUntil: Date.now() + 60_000 })
  for (const session of [here, there]) expect(session.of('message')).toMatchObject([{ message: { content: 'to all' } }])
})

/** Returns the event that a new client receives. */
const asNewcomer = () => messaging.dailyClients.note(randomUUID())

it('sends the last unexpired broadcast to everyone to new clients only', async () => {
  await database.query(sql`DELETE FROM ${broadcasts}`)
  const convId = await systemConversation()
  expect(await asNewcomer()).toBe(null)
  await broadcast(convId, 'first', { everyoneUntil: null })
  await broadcast(convId, 'second', { everyoneUntil: Date.now() + 60_000 })
  await broadcast(convId, 'expired', { everyoneUntil: Date.now() - 1 })
  await broadcast(convId, 'for subscribers')
  await database.query(sql`INSERT INTO ${dailyClients} VALUES ('2020-01-01', 'old')`)
  expect(await asNewcomer()).toMatchObject({
    kind: 'message',
    message: { content: 'second', convId },
    conversation: 'system',
    transient: false,
  })
  expect(await messaging.dailyClients.note('old')).toBe(null)
})

it('does not send a deleted broadcast to new clients', async () => {
  await database.query(sql`DELETE FROM ${broadcasts}`)
  const convId = await systemConversation('ann')
  const { id } = await broadcast(convId, 'to all', { everyoneUntil: null })
  const other = await broadcast(convId, 'other')
  await deleteBroadcast(messaging, id)
  expect(await asNewcomer()).toBe(null)
  const left = await clientHistory(messaging, { clientId: 'ann' }, convId, {})
  expect(left.map(({ message }) => message.id)).toEqual([other.id])
  await expect(deleteBroadcast(messaging, id)).rejects.toMatchObject({ code: 4404 })
  await deleteBroadcast(messaging, other.id)
  expect(await clientHistory(messaging, { clientId: 'ann' }, convId, {})).toEqual([])
})

it.each([
  ['a normal conversation', async () => conversation(['app']), 4313],
  ['a chat room', async () => conversation([], { tr: true }), 4313],
  ['no conversation', async () => 'nowhere', 4303],
])('rejects broadcasts to %s', async (_, make, code) => {
  await expect(broadcast(await make(), 'news')).rejects.toMatchObject({ code })
})

it('limits the size of a broadcast like that of a message', async () => {
  await expect(broadcast(await systemConversation(), 'x'.repeat(5121))).rejects.toMatchObject({ code: 1 })
})
