import { afterAll, expect, it } from 'vitest'
import { draftOf, makeMessaging } from '../../../test/support/messaging.ts'
import { sql } from '../../database/sql.ts'
import { Jobs } from '../../jobs/jobs.ts'
import { MASTER } from '../../objects/access/caller.ts'
import { createObject } from '../../objects/writing/create.ts'
import type { ClientSession } from '../presence.ts'
import { sendWills, Wills } from './wills.ts'

const { messaging, conversation, connect, database, anotherNode, hooks, jobs } = await makeMessaging()
const wills = new Wills(messaging)
sendWills(jobs, async (appId) => (appId === messaging.appId ? messaging : undefined))
jobs.start()
afterAll(() => jobs.stop())

/** Resolves when no wills are pending. */
async function allSent(): Promise<void> {
  await expect.poll(() => database.query(sql`SELECT kind FROM homeport.jobs`)).toEqual([])
}

/** Loses the connection of a session. Resolves when its will, if any, has been sent. */
async function lose(session: ClientSession): Promise<void> {
  await wills.fire(session)
  await allSent()
}

it('sends the will of a lost session, with the id that the session received', async () => {
  const convId = await conversation(['ann', 'bob'])
  const [ann, laptop, bob] = [connect('ann'), connect('ann'), anotherNode().connect('bob')]
  const { id, ts } = await wills.set(ann, draftOf(convId, 'farewell', { mentionAll: true }), '192.0.2.1')
  expect(bob.events).toEqual([])
  ann.leave()
  await lose(ann)
  const event = {
    kind: 'message',
    message: expect.objectContaining({
      id,
      convId,
      sender: 'ann',
      content: 'farewell',
      mentionAll: true,
      ip: '192.0.2.1',
    }),
    conversation: 'normal',
    transient: false,
  }
  for (const session of [laptop, bob]) expect(session.events).toEqual([event])
  expect(bob.of('message')[0]!.message.ts).toBeGreaterThanOrEqual(ts)
  expect(ann.events).toEqual([])
})

it('does not store a will', async () => {
  const convId = await conversation(['ann', 'bob'])
  const ann = connect('ann')
  await wills.set(ann, draftOf(convId, 'farewell'), null)
  await lose(ann)
  expect(await database.query(sql`SELECT FROM ${messaging.tables.messages} WHERE conv_id = ${convId}`)).toEqual([])
})

it('sends only the last will of a session, once', async () => {
  const [first, second] = [await conversation(['ann', 'bob']), await conversation(['ann', 'cat'])]
  const [ann, bob, cat] = [connect('ann'), connect('bob'), connect('cat')]
  await wills.set(ann, draftOf(first, '1'), null)
  await wills.set(ann, draftOf(second, '2'), null)
  await lose(ann)
  await lose(ann)
  expect([bob.events.length, cat.events.length]).toEqual([0, 1])
})

it('sends the last of several wills that are being set when the session is lost', async () => {
  const convId = await conversation(['ann', 'bob'])
  const [ann, bob] = [connect('ann'), connect('bob')]
  const setting = ['1', '2', '3'].map((content) => wills.set(ann, draftOf(convId, content), null))
  // The last one is requested when the conversation has been found.
  await setting[2]
  await Promise.all([...setting, lose(ann)])
  expect(bob.of('message').map(({ message }) => message.content)).toEqual(['3'])
})

it('ignores a will that is set after the end of the session', async () => {
  const convId = await conversation(['ann', 'bob'])
  const [ann, bob] = [connect('ann'), connect('bob')]
  await wills.drop(ann)
  await wills.set(ann, draftOf(convId, 'too late'), null)
  await lose(ann)
  expect(bob.events).toEqual([])
})

it('keeps the previous will when a new one cannot be held', async () => {
  const convId = await conversation(['ann', 'bob'])
  const [ann, bob] = [connect('ann'), connect('bob')]
  let away = false
  const hold: Jobs['hold'] = (kind, will) => (away ? Promise.reject(new Error('away')) : jobs.hold(kind, will))
  const unsteady = new Wills({ ...messaging, jobs: { hold } })
  await unsteady.set(ann, draftOf(convId, '1'), null)
  away = true
  await expect(unsteady.set(ann, draftOf(convId, '2'), null)).rejects.toThrow('away')
  await unsteady.fire(ann)
  await allSent()
  expect(bob.of('message').map(({ message }) => message.content)).toEqual(['1'])
})

it('sends the permitted wills of a dead node from another node', async () => {
  const convId = await conversation(['ann', 'bob', 'cat'])
  const [ann, bob, cat] = [connect('ann'), connect('bob'), connect('cat')]
  // The node stops renewing its leases.
  const dead = new Jobs(database, messaging.log, { heldLease: 300 })
  const left = new Wills({ ...messaging, jobs: dead })
  const { id } = await left.set(ann, draftOf(convId, 'farewell'), null)
  await left.set(cat, draftOf(convId, 'not I'), null)
  await database.query(sql`INSERT INTO ${messaging.tables.silences} VALUES (${convId}, 'cat', NULL)`)
  await messaging.conversations.forget(convId)
  ann.leave()
  await allSent()
  expect(bob.of('message').map(({ message }) => message)).toMatchObject([{ id, sender: 'ann', content: 'farewell' }])
})

it('sends nothing after a deliberate close', async () => {
  const convId = await conversation(['ann', 'bob'])
  const [ann, bob] = [connect('ann'), connect('bob')]
  await wills.set(ann, draftOf(convId, 'farewell'), null)
  wills.drop(ann)
  await lose(ann)
  expect(bob.events).toEqual([])
})

it('keeps one will per session', async () => {
  const convId = await conversation(['ann', 'bob'])
  const [phone, laptop, bob] = [connect('ann'), connect('ann'), connect('bob')]
  await wills.set(phone, draftOf(convId, 'farewell'), null)
  await wills.fire(laptop)
  await wills.drop(phone)
  await allSent()
  expect(bob.events).toEqual([])
})

it('rejects a will that could not be sent as a message', async () => {
  const convId = await conversation(['bob'])
  const ann = connect('ann')
  await expect(wills.set(ann, draftOf(convId, 'x'), null)).rejects.toMatchObject({ code: 4401 })
  await expect(wills.set(ann, draftOf(convId, 'x'.repeat(6000)), null)).rejects.toMatchObject({ code: 1 })
})

it('sends nothing for a client that may no longer send when the session is lost', async () => {
  const convId = await conversation(['ann', 'bob'])
  const [ann, bob] = [connect('ann'), connect('bob')]
  await wills.set(ann, draftOf(convId, 'farewell'), null)
  await database.query(sql`INSERT INTO ${messaging.tables.silences} VALUES (${convId}, 'ann', NULL)`)
  await messaging.conversations.forget(convId)
  await lose(ann)
  expect(bob.events).toEqual([])
})

it('calls the hooks when a will is sent', async () => {
  const convId = await conversation(['ann', 'bob'])
  const [ann, laptop, bob] = [connect('ann'), connect('ann'), connect('bob')]
  hooks.set('_messageReceived', ({ content }) => (content === 'bad' ? { drop: true } : { content: 'better' }))
  await wills.set(ann, draftOf(convId, 'farewell'), null)
  await lose(ann)
  await wills.set(laptop, draftOf(convId, 'bad'), null)
  await lose(laptop)
  hooks.clear()
  expect(bob.of('message').map(({ message }) => message.content)).toEqual(['better'])
})

it('stores a will to a system conversation for the app', async () => {
  const convId = (await createObject(messaging.objects, '_Conversation', { sys: true }, MASTER)).id
  const ann = connect('ann')
  await wills.set(ann, draftOf(convId, 'to the app'), null)
  await lose(ann)
  const table = messaging.objects.classes.get('_SysMessage')!.table
  expect(await database.query(sql`SELECT FROM ${table} WHERE data->>'data' = 'to the app'`)).toHaveLength(1)
})
