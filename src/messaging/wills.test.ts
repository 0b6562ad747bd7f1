import { expect, it } from 'vitest'
import { draftOf, makeMessaging } from '../../test/support/messaging.ts'
import { sql } from '../database/sql.ts'
import { MASTER } from '../objects/caller.ts'
import { createObject } from '../objects/create.ts'
import { Wills } from './wills.ts'

const { messaging, conversation, connect, database, anotherNode, hooks } = await makeMessaging()
const wills = new Wills(messaging)

it('when a session is lost its will is sent, with the id that it was told', async () => {
  const convId = await conversation(['ann', 'bob'])
  const [ann, laptop, bob] = [connect('ann'), connect('ann'), anotherNode().connect('bob')]
  const { id, ts } = await wills.set(ann, draftOf(convId, 'farewell', { mentionAll: true }), '192.0.2.1')
  expect(bob.events).toEqual([])
  ann.leave()
  await wills.fire(ann)
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
  await wills.fire(ann)
  expect(await database.query(sql`SELECT FROM ${messaging.tables.messages} WHERE conv_id = ${convId}`)).toEqual([])
})

it('only the last will of a session counts, and it is sent once', async () => {
  const [first, second] = [await conversation(['ann', 'bob']), await conversation(['ann', 'cat'])]
  const [ann, bob, cat] = [connect('ann'), connect('bob'), connect('cat')]
  await wills.set(ann, draftOf(first, '1'), null)
  await wills.set(ann, draftOf(second, '2'), null)
  await wills.fire(ann)
  await wills.fire(ann)
  expect([bob.events.length, cat.events.length]).toEqual([0, 1])
})

it('after a deliberate close nothing is sent', async () => {
  const convId = await conversation(['ann', 'bob'])
  const [ann, bob] = [connect('ann'), connect('bob')]
  await wills.set(ann, draftOf(convId, 'farewell'), null)
  wills.drop(ann)
  await wills.fire(ann)
  expect(bob.events).toEqual([])
})

it('a session has its own will', async () => {
  const convId = await conversation(['ann', 'bob'])
  const [phone, laptop, bob] = [connect('ann'), connect('ann'), connect('bob')]
  await wills.set(phone, draftOf(convId, 'farewell'), null)
  await wills.fire(laptop)
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
  await wills.fire(ann)
  expect(bob.events).toEqual([])
})

it('hooks see a will when it is sent', async () => {
  const convId = await conversation(['ann', 'bob'])
  const [ann, bob] = [connect('ann'), connect('bob')]
  hooks.set('_messageReceived', ({ content }) => (content === 'bad' ? { drop: true } : { content: 'better' }))
  await wills.set(ann, draftOf(convId, 'farewell'), null)
  await wills.fire(ann)
  await wills.set(ann, draftOf(convId, 'bad'), null)
  await wills.fire(ann)
  hooks.clear()
  expect(bob.of('message').map(({ message }) => message.content)).toEqual(['better'])
})

it('a will to a system conversation goes to the app', async () => {
  const convId = (await createObject(messaging.objects, '_Conversation', { sys: true }, MASTER)).id
  const ann = connect('ann')
  await wills.set(ann, draftOf(convId, 'to the app'), null)
  await wills.fire(ann)
  const table = messaging.objects.classes.get('_SysMessage')!.table
  expect(await database.query(sql`SELECT FROM ${table} WHERE data->>'data' = 'to the app'`)).toHaveLength(1)
})
