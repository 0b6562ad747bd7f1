import { afterEach, expect, it } from 'vitest'
import { makeMessaging } from '../../../test/support/messaging.ts'
import { sql } from '../../database/sql.ts'
import { createConversation } from '../conversations/create-conversation.ts'
import { createTemporary } from '../conversations/temporary-conversations.ts'
import { giveRole } from '../members/roles.ts'
import type { Draft } from '../messages/draft.ts'
import { sendMessage } from '../messages/send-message.ts'
import { checkSilenced, listSilenced, silence, unsilence } from './silences.ts'
import { endSilence, silenceFor } from './temporary-silences.ts'

const { messaging, connect, database, conversation, configure } = await makeMessaging()
const bare = { members: [], attributes: {}, unique: false } as const

afterEach(() => configure({ memberInfo: true }))

const speak = (clientId: string, convId: string) => {
  const session = connect(clientId)
  const draft: Draft = {
    convId,
    content: 'hello',
    bin: false,
    transient: false,
    receipt: false,
    token: null,
    mentionAll: false,
    mentions: [],
    pushData: null,
  }
  return sendMessage(messaging, { clientId, session, ip: null, sync: true }, draft).finally(() => session.leave())
}

it('lets the owner silence members and lift silences', async () => {
  const id = await conversation(['tom', 'jerry'])
  await speak('jerry', id)
  expect(await silence(messaging, { clientId: 'tom' }, id, ['jerry'])).toEqual({ allowed: ['jerry'], failed: [] })
  await expect(speak('jerry', id)).rejects.toMatchObject({ code: 4563 })
  expect(await unsilence(messaging, { clientId: 'tom' }, id, ['jerry'])).toEqual({ allowed: ['jerry'], failed: [] })
  await speak('jerry', id)
})

it('notifies the silenced client first, then all members including it and the operator', async () => {
  const id = await conversation(['tom', 'jerry'])
  const [tom, jerry] = [connect('tom'), connect('jerry')]
  await silence(messaging, { clientId: 'tom' }, id, ['jerry'])
  await unsilence(messaging, { clientId: 'tom' }, id, ['jerry'])
  const common = { convId: id, by: 'tom', at: expect.any(Number), updatedAt: expect.stringMatching(/Z$/) }
  const toAll = [
    { ...common, news: 'members_shutuped', members: ['jerry'] },
    { ...common, news: 'members_unshutuped', members: ['jerry'] },
  ]
  expect(jerry.events).toMatchObject([
    { ...common, news: 'shutuped' },
    toAll[0],
    { ...common, news: 'unshutuped' },
    toAll[1],
  ])
  expect(tom.events).toMatchObject(toAll)
})

it('does not notify of a silence that exists already', async () => {
  const id = await conversation(['tom', 'jerry'])
  await silence(messaging, { clientId: 'tom' }, id, ['jerry'])
  const jerry = connect('jerry')
  await silence(messaging, { clientId: 'tom' }, id, ['jerry'])
  expect(await unsilence(messaging, { clientId: 'tom' }, id, ['spike'])).toEqual({ allowed: ['spike'], failed: [] })
  expect(jerry.events).toEqual([])
})

it('rejects silences by plain members, even of themselves', async () => {
  const id = await conversation(['tom', 'jerry', 'spike'])
  await silence(messaging, { clientId: 'tom' }, id, ['jerry'])
  for (const act of [silence, unsilence]) {
    await expect(act(messaging, { clientId: 'jerry' }, id, ['jerry'])).rejects.toMatchObject({ code: 4320 })
    await expect(act(messaging, { clientId: 'jerry' }, id, ['spike'])).rejects.toMatchObject({ code: 4320 })
    await expect(act(messaging, { clientId: 'tyke' }, id, ['spike'])).rejects.toMatchObject({ code: 4317 })
  }
  expect(await checkSilenced(messaging, { clientId: 'spike' }, id, ['jerry', 'spike'])).toEqual(['jerry'])
})

it('lets managers silence plain members only', async () => {
  const id = await conversation(['tom', 'jerry', 'spike', 'tyke'])
  await giveRole(messaging, { clientId: 'tom' }, id, 'jerry', 'Manager')
  await giveRole(messaging, { clientId: 'tom' }, id, 'spike', 'Manager')
  const partly = { allowed: ['tyke'], failed: [{ error: { code: 4320 }, clientIds: ['tom', 'spike'] }] }
  expect(await silence(messaging, { clientId: 'jerry' }, id, ['tom', 'spike', 'tyke'])).toMatchObject(partly)
  await silence(messaging, null, id, ['tom', 'spike'])
  expect(await unsilence(messaging, { clientId: 'jerry' }, id, ['tom', 'spike', 'tyke'])).toMatchObject(partly)
  expect(await checkSilenced(messaging, { clientId: 'tom' }, id, ['tom', 'spike', 'tyke'])).toEqual(['spike', 'tom'])
})

it('lists the silenced clients for all members, in pages', async () => {
  const id = await conversation(['tom', 'jerry'])
  await silence(messaging, null, id, ['c', 'a', 'b'])
  await silenceFor(messaging, id, 'for a time', 60)
  expect(await listSilenced(messaging, { clientId: 'jerry' }, id, { limit: 2 })).toEqual({
    clientIds: ['a', 'b'],
    next: '2',
  })
  expect(await listSilenced(messaging, { clientId: 'jerry' }, id, { limit: 2, next: '2' })).toEqual({
    clientIds: ['c'],
    next: null,
  })
  await expect(listSilenced(messaging, { clientId: 'stranger' }, id, {})).rejects.toMatchObject({ code: 4317 })
  expect((await listSilenced(messaging, null, id, {})).clientIds).toHaveLength(3)
})

it('silences at most 500 clients, also concurrently', async () => {
  const id = await conversation(['tom'])
  await silence(
    messaging,
    null,
    id,
    Array.from({ length: 495 }, (_, index) => `many${index}`),
  )
  const outcomes = await Promise.all(
    Array.from({ length: 10 }, (_, index) => silence(messaging, { clientId: 'tom' }, id, ['many0', `x${index}`])),
  )
  const failed = outcomes.flatMap((outcome) => outcome.failed)
  expect(failed).toHaveLength(5)
  for (const failure of failed)
    expect(failure).toMatchObject({ error: { code: 4561 }, clientIds: [expect.stringMatching(/^x/)] })
  const [row] = await database.query(sql`
    SELECT count(*) AS count FROM ${messaging.tables.silences} WHERE conv_id = ${id}`)
  expect(row).toEqual({ count: 500 })
})

it('lets the app silence a client for a time', async () => {
  const id = await conversation(['tom', 'jerry'])
  const jerry = connect('jerry')
  await silenceFor(messaging, id, 'jerry', 60)
  await expect(speak('jerry', id)).rejects.toMatchObject({ code: 4315 })
  expect(await checkSilenced(messaging, { clientId: 'tom' }, id, ['jerry'])).toEqual(['jerry'])
  await endSilence(messaging, id, 'jerry')
  await speak('jerry', id)
  expect(jerry.of('conversation')).toEqual([])
})

it('ends a temporary silence automatically, and deletes it when new ones are stored', async () => {
  const id = await conversation(['tom', 'jerry', 'spike'])
  await silenceFor(messaging, id, 'jerry', 60)
  await database.query(sql`UPDATE ${messaging.tables.silences} SET until_ts = 1 WHERE conv_id = ${id}`)
  await messaging.conversations.forget(id)
  await speak('jerry', id)
  expect(await checkSilenced(messaging, { clientId: 'tom' }, id, ['jerry'])).toEqual([])
  await silenceFor(messaging, id, 'spike', 60)
  const rows = await database.query(sql`SELECT client_id FROM ${messaging.tables.silences} WHERE conv_id = ${id}`)
  expect(rows).toEqual([{ client_id: 'spike' }])
})

it('keeps a permanent silence when a temporary one is set or lifted, and replaces a temporary by a permanent one', async () => {
  const id = await conversation(['tom', 'jerry'])
  await silence(messaging, { clientId: 'tom' }, id, ['jerry'])
  await silenceFor(messaging, id, 'jerry', 1)
  await endSilence(messaging, id, 'jerry')
  await expect(speak('jerry', id)).rejects.toMatchObject({ code: 4563 })
  await unsilence(messaging, { clientId: 'tom' }, id, ['jerry'])
  await silenceFor(messaging, id, 'jerry', 60)
  await silence(messaging, { clientId: 'tom' }, id, ['jerry'])
  await expect(speak('jerry', id)).rejects.toMatchObject({ code: 4563 })
})

it.each([0, -1, 86_401, 1.5, Number.NaN])('rejects a silence of %d seconds', async (ttl) => {
  const id = await conversation(['tom'])
  await expect(silenceFor(messaging, id, 'tom', ttl)).rejects.toMatchObject({ code: 1 })
  await silenceFor(messaging, id, 'tom', 86_400)
})

it('lets the creator of a chat room decide, and notifies everyone in it', async () => {
  const [tom, jerry] = [connect('tom'), connect('jerry')]
  const { id } = await createConversation(messaging, tom, { ...bare, kind: 'room' })
  messaging.presence.enterRoom(jerry, id)
  await silence(messaging, { clientId: 'tom' }, id, ['jerry'])
  await expect(silence(messaging, { clientId: 'jerry' }, id, ['tom'])).rejects.toMatchObject({ code: 4320 })
  expect(tom.events).toMatchObject([{ news: 'members_shutuped', members: ['jerry'] }])
  expect(jerry.events).toMatchObject([{ news: 'shutuped' }, { news: 'members_shutuped' }])
  await expect(speak('jerry', id)).rejects.toMatchObject({ code: 4563 })
})

it('rejects temporary conversations, and all in an app without roles', async () => {
  const tom = connect('tom')
  const { conversation: made } = await createTemporary(messaging, tom, { members: ['x'], ttl: null, unique: false })
  await expect(silence(messaging, { clientId: 'tom' }, made.id, ['x'])).rejects.toMatchObject({ code: 4307 })
  await expect(silence(messaging, { clientId: 'tom' }, '555555555555555555555555', ['x'])).rejects.toMatchObject({
    code: 4303,
  })
  configure({ memberInfo: false })
  const id = await conversation(['tom', 'x'])
  for (const act of [silence, unsilence, checkSilenced])
    await expect(act(messaging, { clientId: 'tom' }, id, ['x'])).rejects.toMatchObject({ code: 4325 })
  await expect(listSilenced(messaging, { clientId: 'tom' }, id, {})).rejects.toMatchObject({ code: 4325 })
  await expect(silenceFor(messaging, id, 'x', 1)).rejects.toMatchObject({ code: 4325 })
  await expect(endSilence(messaging, id, 'x')).rejects.toMatchObject({ code: 4325 })
})
