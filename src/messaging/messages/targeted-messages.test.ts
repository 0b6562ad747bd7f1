import { expect, it } from 'vitest'
import { makeMessaging } from '../../../test/support/messaging.ts'
import { sql } from '../../database/sql.ts'
import { historyQueryOf } from '../history/history-parameters.ts'
import { sendBroadcast } from './broadcasts.ts'
import { readHistory } from './history.ts'
import { sendTargeted, type TargetedMessage } from './targeted-messages.ts'
import { threadsFor } from './threads.ts'

const { messaging, conversation, connect, database, anotherNode } = await makeMessaging()
const { messages } = messaging.tables
const system = await conversation([], { sys: true })

const send = (toClients: readonly string[], content: string, changes: Partial<TargetedMessage> = {}) =>
  sendTargeted(messaging, {
    convId: system,
    fromClient: 'app',
    toClients,
    content,
    bin: false,
    transient: false,
    sync: true,
    pushData: null,
    ip: null,
    ...changes,
  })

const stored = (id: string) => database.query(sql`SELECT thread, ts FROM ${messages} WHERE id = ${id} ORDER BY thread`)

it('stores a message for each receiver with one id and one time, and delivers it to these alone', async () => {
  const sessions = [connect('ann'), anotherNode().connect('bob'), connect('cat')]
  const { id, ts } = await send(['ann', 'bob', 'ann', 'away'], 'hello')
  expect(await stored(id)).toEqual(['ann', 'away', 'bob'].map((clientId) => ({ thread: `${system}:${clientId}`, ts })))
  const received = {
    kind: 'message',
    message: expect.objectContaining({ id, ts, convId: system, sender: 'app', content: 'hello' }),
    conversation: 'system',
    transient: false,
  }
  expect(sessions.map(({ events }) => events)).toEqual([[received], [received], []])
})

it('notifies the sending client too, unless disabled', async () => {
  const app = connect('helper')
  await send(['ann'], '1', { fromClient: 'helper' })
  await send(['ann'], '2', { fromClient: 'helper', sync: false })
  await send(['helper'], '3', { fromClient: 'helper', sync: false })
  expect(app.of('message').map(({ message }) => message.content)).toEqual(['1', '3'])
})

it('delivers a transient message without storing it', async () => {
  const ann = connect('ann')
  const { id, ts } = await send(['ann'], 'now', { transient: true })
  expect(ann.of('message')).toMatchObject([{ message: { id, ts }, transient: true }])
  expect(await stored(id)).toEqual([])
})

it('accepts 1 to 20 receivers', async () => {
  const clients = Array.from({ length: 21 }, (_, number) => `client ${number}`)
  await expect(send(clients, 'hello')).rejects.toMatchObject({ code: 1 })
  await expect(send([], 'hello')).rejects.toMatchObject({ code: 1 })
  expect(await stored((await send(clients.slice(0, 20), 'hello')).id)).toHaveLength(20)
})

it('rejects other kinds of conversations, and too large messages', async () => {
  const convId = await conversation(['ann'])
  await expect(send(['ann'], 'hello', { convId })).rejects.toMatchObject({ code: 4313 })
  await expect(send(['ann'], 'hello', { convId: 'nowhere' })).rejects.toMatchObject({ code: 4303 })
  await expect(send(['ann'], 'x', { pushData: 'x'.repeat(5120) })).rejects.toMatchObject({ code: 1 })
})

it('returns broadcasts and targeted messages of a subscriber in the order of their times', async () => {
  const convId = await conversation([], { sys: true })
  const broadcast = (content: string) =>
    sendBroadcast(messaging, { convId, fromClient: 'app', content, bin: false, ip: null }, 'subscribers')
  await broadcast('1')
  await send(['dan', 'eve'], '2', { convId })
  await send(['eve'], 'for another', { convId })
  await broadcast('3')
  await send(['dan'], '4', { convId })
  const source = { threads: threadsFor('system', convId, 'dan') }
  const read = async (parameters: { limit?: string; reversed?: string }) =>
    (await readHistory(messaging, historyQueryOf(parameters, source))).map(({ content }) => content)
  expect(await read({})).toEqual(['4', '3', '2', '1'])
  expect(await read({ reversed: 'true', limit: '3' })).toEqual(['1', '2', '3'])
})
