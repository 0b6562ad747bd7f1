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

/** Resolves when nothing is left of any will. */
async function allSent(): Promise<void> {
  await expect.poll(() => database.query(sql`SELECT kind FROM homeport.jobs`)).toEqual([])
}

/** The connection of a session is lost. Resolves when its will has been sent, if it has one. */
async function lose(session: ClientSession): Promise<void> {
  await wills.fire(session)
  await allSent()
}

it('when a session is lost its will is sent, with the id that it was told', async () => {
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

it('a will is stored nowhere', async () => {
  const convId = await conversation(['ann', 'bob'])
  const ann = connect('ann')
  await wills.set(ann, draftOf(convId, 'farewell'), null)
  await lose(ann)
  expect(await database.query(sql`SELECT FROM ${messaging.tables.messages} WHERE conv_id = ${convId}`)).toEqual([])
})

it('only the last will of a session counts, and it is sent once', async () => {
  const [first, second] = [await conversation(['ann', 'bob']), await conversation(['ann', 'cat'])]
  const [ann, bob, cat] = [connect('ann'), connect('bob'), connect('cat')]
  await wills.set(ann, draftOf(first, '1'), null)
  await wills.set(ann, draftOf(second, '2'), null)
  await lose(ann)
  await lose(ann)
  expect([bob.events.length, cat.events.length]).toEqual([0, 1])
})

it('of wills that are under way when the session is lost, the last one counts', async () => {
  const convId = await conversation(['ann', 'bob'])
  const [ann, bob] = [connect('ann'), connect('bob')]
  const setting = ['1', '2', '3'].map((content) => wills.set(ann, draftOf(convId, content), null))
  // The last has been asked for when the conversation has been found.
  await setting[2]
  await Promise.all([...setting, lose(ann)])
  expect(bob.of('message').map(({ message }) => message.content)).toEqual(['3'])
})

it('a will that comes after the end of the session is kept no more', async () => {
  const convId = await conversation(['ann', 'bob'])
  const [ann, bob] = [connect('ann'), connect('bob')]
  await wills.drop(ann)
  await wills.set(ann, draftOf(convId, 'too late'), null)
  await lose(ann)
  expect(bob.events).toEqual([])
})

it('a will that cannot be kept leaves the one before it', async () => {
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

it('wills that a node leaves behind when it dies are sent by another one, as far as they may be', async () => {
  const convId = await conversation(['ann', 'bob', 'cat'])
  const [ann, bob, cat] = [connect('ann'), connect('bob'), connect('cat')]
  // It gives no sign of life.
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

it('after a deliberate close nothing is sent', async () => {
  const convId = await conversation(['ann', 'bob'])
  const [ann, bob] = [connect('ann'), connect('bob')]
  await wills.set(ann, draftOf(convId, 'farewell'), null)
  wills.drop(ann)
  await lose(ann)
  expect(bob.events).toEqual([])
})

it('a session has its own will', async () => {
  const convId = await conversation(['ann', 'bob'])
  const [phone, laptop, bob] = [connect('ann'), connect('ann'), connect('bob')]
  await wills.set(phone, draftOf(convId, 'farewell'), null)
  await wills.fire(laptop)
  await wills.drop(phone)
  await allSent()
  expect(bob.events).toEqual([])
})

it('a will that could not be sent as a message is refused', async () => {
  const convId = await conversation(['bob'])
  const ann = connect('ann')
  await expect(wills.set(ann, draftOf(convId, 'x'), null)).rejects.toMatchObject({ code: 4401 })
  await expect(wills.set(ann, draftOf(convId, 'x'.repeat(6000)), null)).rejects.toMatchObject({ code: 1 })
})

it('who may not send any more when the session is lost sends nothing', async () => {
  const convId = await conversation(['ann', 'bob'])
  const [ann, bob] = [connect('ann'), connect('bob')]
  await wills.set(ann, draftOf(convId, 'farewell'), null)
  await database.query(sql`INSERT INTO ${messaging.tables.silences} VALUES (${convId}, 'ann', NULL)`)
  await messaging.conversations.forget(convId)
  await lose(ann)
  expect(bob.events).toEqual([])
})

it('hooks see a will when it is sent', async () => {
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

it('a will to a system conversation goes to the app', async () => {
  const convId = (await createObject(messaging.objects, '_Conversation', { sys: true }, MASTER)).id
  const ann = connect('ann')
  await wills.set(ann, draftOf(convId, 'to the app'), null)
  await lose(ann)
  const table = messaging.objects.classes.get('_SysMessage')!.table
  expect(await database.query(sql`SELECT FROM ${table} WHERE data->>'data' = 'to the app'`)).toHaveLength(1)
})
