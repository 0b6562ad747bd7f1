import { expect, it } from 'vitest'
import { makeMessaging } from '../../../test/support/messaging.ts'
import { sql } from '../../database/sql.ts'
import { beginReading } from '../members/begin-reading.ts'
import { maxRead } from './max-read.ts'
import { acknowledge, markRead } from './reads.ts'

const { messaging, conversation, send, database } = await makeMessaging()

it('returns the maximum of the others and each of them, the requesting client last', async () => {
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

it('returns no times before the first acknowledgement', async () => {
  const convId = await conversation(['ann', 'bob'])
  await send('ann', convId, 'hello')
  expect(await maxRead(messaging, { clientId: 'ann' }, convId)).toMatchObject({ received: null, read: null })
})

it('returns no times for a member that has only joined', async () => {
  const convId = await conversation(['ann', 'bob'])
  await send('ann', convId, 'hello')
  await beginReading(messaging, database, convId, ['bob'])
  expect(await maxRead(messaging, { clientId: 'ann' }, convId)).toMatchObject({ received: null, read: null })
  const { ts } = await send('ann', convId, 'hello')
  await acknowledge(messaging, 'bob', { convId, from: null, to: ts })
  expect(await maxRead(messaging, { clientId: 'ann' }, convId)).toMatchObject({ received: ts, read: null })
})

it('ignores clients that have left', async () => {
  const convId = await conversation(['ann', 'bob'])
  await database.query(sql`INSERT INTO ${messaging.tables.reads} VALUES ('gone', ${convId}, 5, 5, 5, TRUE, TRUE)`)
  expect(await maxRead(messaging, { clientId: 'ann' }, convId)).toMatchObject({ received: null, read: null })
})

it.each([
  ['a chat room', { tr: true }, 4314],
  ['a system conversation', { sys: true }, 4314],
  ['a conversation of other clients', {}, 4317],
])('rejects %s', async (_, fields, code) => {
  const convId = await conversation(['bob'], fields)
  await expect(maxRead(messaging, { clientId: 'ann' }, convId)).rejects.toMatchObject({ code })
})

it('rejects an unknown conversation', async () => {
  await expect(maxRead(messaging, { clientId: 'ann' }, 'nowhere')).rejects.toMatchObject({ code: 4303 })
})
