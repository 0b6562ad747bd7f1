import { expect, it } from 'vitest'
import { makeMessaging } from '../../../test/support/messaging.ts'
import { sql } from '../../database/sql.ts'
import { beginReading } from '../members/begin-reading.ts'
import { maxRead } from './max-read.ts'
import { acknowledge, markRead } from './reads.ts'

const { messaging, conversation, send, database } = await makeMessaging()

it('the furthest that the others have come, and each, the one who asks last', async () => {
  const convId = await conversation(['ann', 'bob', 'cat', 'dan'])
  const sent = []
  for (const content of ['1', '2', '3', '4']) sent.push((await send('ann', convId, content)).ts)
  const [first, second, third, fourth] = sent
  await markRead(messaging, 'ann', [{ convId, messageId: null, ts: fourth! }])
  await acknowledge(messaging, 'bob', { convId, from: null, to: third! })
  await markRead(messaging, 'bob', [{ convId, messageId: null, ts: first! }])
  await markRead(messaging, 'cat', [{ convId, messageId: null, ts: second! }])
  expect(await maxRead(messaging, { clientId: 'ann' }, convId)).toEqual({
    received: third,
    read: second,
    members: [
      { clientId: 'bob', received: third, read: first },
      { clientId: 'cat', received: second, read: second },
      { clientId: 'dan', received: null, read: null },
      { clientId: 'ann', received: fourth, read: fourth },
    ],
  })
})

it('before anybody has received anything there are no times', async () => {
  const convId = await conversation(['ann', 'bob'])
  await send('ann', convId, 'hello')
  expect(await maxRead(messaging, { clientId: 'ann' }, convId)).toMatchObject({ received: null, read: null })
})

it('who has only joined has read nothing', async () => {
  const convId = await conversation(['ann', 'bob'])
  await send('ann', convId, 'hello')
  await beginReading(messaging, database, convId, ['bob'])
  expect(await maxRead(messaging, { clientId: 'ann' }, convId)).toMatchObject({ received: null, read: null })
  const { ts } = await send('ann', convId, 'hello')
  await acknowledge(messaging, 'bob', { convId, from: null, to: ts })
  expect(await maxRead(messaging, { clientId: 'ann' }, convId)).toMatchObject({ received: ts, read: null })
})

it('who has left counts no more', async () => {
  const convId = await conversation(['ann', 'bob'])
  await database.query(sql`INSERT INTO ${messaging.tables.reads} VALUES ('gone', ${convId}, 5, 5, 5, TRUE, TRUE)`)
  expect(await maxRead(messaging, { clientId: 'ann' }, convId)).toMatchObject({ received: null, read: null })
})

it.each([
  ['a chat room', { tr: true }, 4314],
  ['a system conversation', { sys: true }, 4314],
  ['somebody else’s conversation', {}, 4317],
])('%s has no such times', async (_, fields, code) => {
  const convId = await conversation(['bob'], fields)
  await expect(maxRead(messaging, { clientId: 'ann' }, convId)).rejects.toMatchObject({ code })
})

it('nor has a conversation that does not exist', async () => {
  await expect(maxRead(messaging, { clientId: 'ann' }, 'nowhere')).rejects.toMatchObject({ code: 4303 })
})
