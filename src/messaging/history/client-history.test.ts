import { expect, it } from 'vitest'
import { makeMessaging } from '../../../test/support/messaging.ts'
import { sql } from '../../database/sql.ts'
import { sendTargeted } from '../messages/targeted-messages.ts'
import { acknowledge, markRead } from '../reading/reads.ts'
import { clientHistory } from './client-history.ts'

const { messaging, conversation, database, send } = await makeMessaging()

const contents = async (clientId: string, convId: string, parameters = {}) =>
  (await clientHistory(messaging, { clientId }, convId, parameters)).map(({ message }) => message.content)

it('returns the history oldest first, whatever the direction of paging', async () => {
  const convId = await conversation(['ann', 'bob'])
  for (const content of ['1', '2', '3', '4']) await send('ann', convId, content)
  expect(await contents('bob', convId)).toEqual(['1', '2', '3', '4'])
  expect(await contents('bob', convId, { limit: 2 })).toEqual(['3', '4'])
  expect(await contents('bob', convId, { limit: 2, direction: 'new' })).toEqual(['1', '2'])
})

it('returns nothing newer for a start in the far future, nothing older for an end there', async () => {
  const convId = await conversation(['ann', 'bob'])
  await send('ann', convId, '1')
  const future = Date.now() + 1e12
  expect(await contents('bob', convId, { t: future, direction: 'new' })).toEqual([])
  expect(await contents('bob', convId, { tt: future })).toEqual([])
  expect(await contents('bob', convId, { t: 1 })).toEqual([])
  expect(await contents('bob', convId, { lctype: 1000 })).toEqual([])
})

it('rejects clients that are not members', async () => {
  const convId = await conversation(['ann', 'bob'])
  await expect(clientHistory(messaging, { clientId: 'eve' }, convId, {})).rejects.toMatchObject({ code: 4312 })
})

it('opens the history of a chat room to everyone', async () => {
  const convId = await conversation([], { tr: true })
  await send('ann', convId, 'hello')
  expect(await contents('eve', convId)).toEqual(['hello'])
})

it('rejects temporary conversations', async () => {
  await expect(clientHistory(messaging, { clientId: 'ann' }, '_tmp:x', {})).rejects.toMatchObject({ code: 4311 })
})

it('rejects an unknown conversation', async () => {
  await expect(clientHistory(messaging, { clientId: 'ann' }, '555555555555555555555555', {})).rejects.toMatchObject({
    code: 4303,
  })
})

it('returns broadcasts and the client’s own messages of a system conversation', async () => {
  const convId = await conversation([], { sys: true })
  const message = { convId, fromClient: 'app', bin: false, transient: false, sync: false, pushData: null, ip: null }
  await sendTargeted(messaging, { ...message, toClients: ['ann', 'bob'], content: 'to both' })
  await sendTargeted(messaging, { ...message, toClients: ['bob'], content: 'to bob' })
  await sendTargeted(messaging, { ...message, toClients: ['ann'], content: 'to ann' })
  expect(await contents('ann', convId)).toEqual(['to both', 'to ann'])
  expect(await contents('bob', convId)).toEqual(['to both', 'to bob'])
  expect(await contents('eve', convId)).toEqual([])
})

it('returns when the other of two members has received and read', async () => {
  const convId = await conversation(['ann', 'bob'])
  const first = await send('ann', convId, 'first')
  const second = await send('ann', convId, 'second')
  await send('ann', convId, 'third')
  const times = async (clientId: string) =>
    (await clientHistory(messaging, { clientId }, convId, {})).map(({ receivedAt, readAt }) => [receivedAt, readAt])
  expect(await times('ann')).toEqual([
    [null, null],
    [null, null],
    [null, null],
  ])
  await acknowledge(messaging, 'bob', { convId, from: null, to: second.ts })
  await markRead(messaging, 'bob', [{ convId, messageId: null, ts: first.ts }])
  expect(await times('ann')).toEqual([
    [second.ts, first.ts],
    [second.ts, null],
    [null, null],
  ])
})

it('omits receipts in groups', async () => {
  const convId = await conversation(['ann', 'bob', 'cat'])
  await send('ann', convId, 'hello')
  await markRead(messaging, 'bob', [{ convId, messageId: null, ts: null }])
  expect(await clientHistory(messaging, { clientId: 'ann' }, convId, {})).toMatchObject([
    { receivedAt: null, readAt: null },
  ])
  expect(await database.query(sql`SELECT FROM ${messaging.tables.reads} WHERE conv_id = ${convId}`)).toHaveLength(1)
})
