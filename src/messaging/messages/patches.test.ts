import { expect, it } from 'vitest'
import { makeMessaging } from '../../../test/support/messaging.ts'
import { sql } from '../../database/sql.ts'
import { RECALLED_CONTENT } from '../message.ts'
import type { ClientSession } from '../presence.ts'
import { sendBroadcast } from './broadcasts.ts'
import type { Sent } from './draft.ts'
import { deleteMessage, editMessage, type MessageRef, type NewContent } from './patches.ts'
import { patchOfSent } from './send-message.ts'
import { sendTargeted } from './targeted-messages.ts'

const { messaging, conversation, connect, send, database, anotherNode, hooks, configure } = await makeMessaging()
const { messages, subscriptions } = messaging.tables

const text = (content: string): NewContent => ({ content, bin: false, mentionAll: false, mentions: [] })
const by = (session: ClientSession) => ({ clientId: session.clientId, session, ip: null })
const byApp = (clientId: string) => ({ clientId, session: null, ip: null })
const refOf = (
  convId: string,
  { id, ts }: Pick<Sent, 'id' | 'ts'>,
  receivers: readonly string[] | null = null,
): MessageRef => ({
  convId,
  id,
  ts,
  receivers,
})

async function stored(id: string) {
  return database.query(sql`
    SELECT thread, content, bin, type, mention_all, mentions, recalled, patched_at FROM ${messages}
    WHERE id = ${id} ORDER BY thread`)
}

it('stores the new content of an edited message and notifies all sessions but the editing one', async () => {
  const convId = await conversation(['ann', 'bob'])
  const [phone, laptop, bob, eve] = [connect('ann'), anotherNode().connect('ann'), connect('bob'), connect('eve')]
  const sent = await send(phone, convId, 'helo', { mentions: ['bob'] })
  const change = { content: '{"_lctype":-1}', bin: false, mentionAll: true, mentions: ['cat'] }
  const { patchedAt, changed } = await editMessage(messaging, by(phone), refOf(convId, sent), change)
  expect(patchedAt).toBeGreaterThan(sent.ts)
  expect(changed).toBe(null)
  expect(await stored(sent.id)).toMatchObject([
    {
      content: '{"_lctype":-1}',
      type: -1,
      mention_all: true,
      mentions: ['cat'],
      recalled: false,
      patched_at: patchedAt,
    },
  ])
  const patch = {
    message: expect.objectContaining({
      id: sent.id,
      ts: sent.ts,
      sender: 'ann',
      patchedAt,
      recalled: false,
      ...change,
    }),
    cause: null,
  }
  for (const session of [laptop, bob]) expect(session.of('patches')).toEqual([{ kind: 'patches', patches: [patch] }])
  for (const session of [phone, eve]) expect(session.of('patches')).toEqual([])
})

it('marks a recalled message and removes its content', async () => {
  const convId = await conversation(['ann', 'bob'])
  const [ann, bob] = [connect('ann'), connect('bob')]
  const sent = await send(ann, convId, 'AAAA', { bin: true, mentions: ['bob'], mentionAll: true })
  await editMessage(messaging, by(ann), refOf(convId, sent), null)
  const recalled = { content: RECALLED_CONTENT, bin: false, mentions: [], mentionAll: false, recalled: true }
  expect(bob.of('patches')).toMatchObject([{ patches: [{ message: recalled }] }])
  expect(await stored(sent.id)).toMatchObject([
    { content: RECALLED_CONTENT, type: -127, mentions: null, recalled: true },
  ])
})

it('gives each change a later time than the previous one', async () => {
  const convId = await conversation(['ann', 'bob'])
  const sent = await send('ann', convId, '0')
  await database.query(sql`UPDATE ${messages} SET ts = ts + 60000 WHERE id = ${sent.id}`)
  const ref = { ...refOf(convId, sent), ts: sent.ts + 60_000 }
  const times = []
  for (const content of ['1', '2', '3'])
    times.push((await editMessage(messaging, byApp('ann'), ref, text(content))).patchedAt)
  expect(times).toEqual([ref.ts + 1, ref.ts + 2, ref.ts + 3])
  const parallel = await Promise.all(
    Array.from({ length: 10 }, (_, number) => editMessage(messaging, byApp('ann'), ref, text(String(number)))),
  )
  expect(new Set(parallel.map(({ patchedAt }) => patchedAt)).size).toBe(10)
})

it.each<[rule: string, clientId: string, changes: Partial<MessageRef>, code: number]>([
  ['a message of another client', 'bob', {}, 4403],
  ['a message with another id', 'ann', { id: 'unknown' }, 4404],
  ['a message of another time', 'ann', { ts: 1 }, 4404],
  ['a message to a subscriber that does not exist', 'ann', { receivers: ['bob'] }, 4404],
  ['a message of a conversation that does not exist', 'ann', { convId: 'nowhere' }, 4303],
])('rejects editing, recalling and deleting %s', async (_, clientId, changes, code) => {
  const convId = await conversation(['ann', 'bob'])
  const sent = await send('ann', convId, 'hello')
  const ref = { ...refOf(convId, sent), ...changes }
  const session = connect(clientId)
  for (const editor of [by(session), byApp(clientId)]) {
    await expect(editMessage(messaging, editor, ref, text('x'))).rejects.toMatchObject({ code })
    await expect(editMessage(messaging, editor, ref, null)).rejects.toMatchObject({ code })
  }
  const deletion = deleteMessage(messaging, ref, clientId)
  await expect(deletion).rejects.toMatchObject({ code: code === 4303 ? 4404 : code })
  expect(await stored(sent.id)).toMatchObject([{ content: 'hello' }])
})

it('rejects editing a transient message, which is not stored', async () => {
  const convId = await conversation(['ann', 'bob'])
  const ann = connect('ann')
  const sent = await send(ann, convId, 'typing', { transient: true })
  await expect(editMessage(messaging, by(ann), refOf(convId, sent), text('x'))).rejects.toMatchObject({ code: 4404 })
})

it('keeps a recalled message recalled, and changes nothing when it is recalled again', async () => {
  const convId = await conversation(['ann', 'bob'])
  const [ann, bob] = [connect('ann'), connect('bob')]
  const sent = await send(ann, convId, 'hello')
  const first = await editMessage(messaging, by(ann), refOf(convId, sent), null)
  expect(await editMessage(messaging, by(ann), refOf(convId, sent), null)).toEqual(first)
  await expect(editMessage(messaging, by(ann), refOf(convId, sent), text('x'))).rejects.toMatchObject({ code: 4404 })
  expect(bob.of('patches')).toHaveLength(1)
})

it('can disable edits and recalls of clients, but not those of the app', async () => {
  const convId = await conversation(['ann', 'bob'])
  const ann = connect('ann')
  const ref = refOf(convId, await send(ann, convId, 'hello'))
  configure({ allowEdit: false, allowRecall: true })
  await expect(editMessage(messaging, by(ann), ref, text('x'))).rejects.toMatchObject({ code: 4406 })
  await editMessage(messaging, byApp('ann'), ref, text('x'))
  configure({ allowEdit: true, allowRecall: false })
  await editMessage(messaging, by(ann), ref, text('x'))
  await expect(editMessage(messaging, by(ann), ref, null)).rejects.toMatchObject({ code: 4407 })
  await editMessage(messaging, byApp('ann'), ref, null)
  configure({ allowEdit: true, allowRecall: true })
})

it('limits the size of an edit like that of a message', async () => {
  const convId = await conversation(['ann', 'bob'])
  const ref = refOf(convId, await send('ann', convId, 'hello'))
  await expect(editMessage(messaging, byApp('ann'), ref, text('x'.repeat(5121)))).rejects.toMatchObject({ code: 1 })
})

it('notifies the sender of changes by the app', async () => {
  const convId = await conversation(['ann', 'bob'])
  const [ann, bob] = [connect('ann'), connect('bob')]
  await editMessage(messaging, byApp('ann'), refOf(convId, await send('ann', convId, 'hello')), text('better'))
  for (const session of [ann, bob])
    expect(session.of('patches')).toMatchObject([{ patches: [{ message: { content: 'better' }, cause: null }] }])
})

it('notifies the sessions in a chat room', async () => {
  const room = await conversation([], { tr: true })
  const [ann, bob, outside] = [connect('ann'), connect('bob'), connect('cat')]
  for (const session of [ann, bob]) messaging.presence.enterRoom(session, room)
  await editMessage(messaging, by(ann), refOf(room, await send(ann, room, 'hello')), text('better'))
  expect([ann, bob, outside].map((session) => session.of('patches').length)).toEqual([0, 1, 0])
})

it('lets a hook reject a change', async () => {
  const convId = await conversation(['ann', 'bob'])
  const ann = connect('ann')
  const sent = await send(ann, convId, 'hello')
  const calls: unknown[] = []
  hooks.set('_messageUpdate', (input) => {
    calls.push(input)
    return { drop: true, code: 7, detail: 'no' }
  })
  const editor = { ...by(ann), ip: '192.0.2.1' }
  await expect(editMessage(messaging, editor, refOf(convId, sent), text('x'))).rejects.toMatchObject({
    code: 4405,
    app: { code: 7, message: 'no' },
  })
  await expect(editMessage(messaging, editor, refOf(convId, sent), null)).rejects.toMatchObject({ code: 4405 })
  hooks.clear()
  const input = { fromPeer: 'ann', convId, toPeers: ['bob'], bin: false, timestamp: sent.ts, msgId: sent.id }
  expect(calls).toEqual([
    { ...input, content: 'x', sourceIP: '192.0.2.1', recall: false, system: false },
    { ...input, content: RECALLED_CONTENT, sourceIP: '192.0.2.1', recall: true, system: false },
  ])
  expect(await stored(sent.id)).toMatchObject([{ content: 'hello', patched_at: null }])
})

it('lets a hook change an edit and its receivers, and notifies the editing session', async () => {
  const convId = await conversation(['ann', 'bob', 'cat'])
  const [ann, bob, cat] = [connect('ann'), connect('bob'), connect('cat')]
  const sent = await send(ann, convId, 'hello')
  hooks.set('_messageUpdate', () => ({ content: '***', code: 9, detail: 'language', toPeers: ['bob'] }))
  const { changed } = await editMessage(messaging, by(ann), refOf(convId, sent), text('damn'))
  expect(changed).toMatchObject({ message: { content: '***' }, cause: { code: 9, reason: 'language' } })
  expect(bob.of('patches')).toMatchObject([{ patches: [{ message: { content: '***' }, cause: null }] }])
  expect(cat.of('patches')).toEqual([])
  const recalled = await editMessage(messaging, by(ann), refOf(convId, sent), null)
  expect(recalled.changed).toBe(null)
  expect(await stored(sent.id)).toMatchObject([{ content: RECALLED_CONTENT }])
  hooks.clear()
})

it('notifies the sender of a message that a hook has changed, with a later time', async () => {
  const convId = await conversation(['ann', 'bob'])
  const ann = connect('ann')
  expect(patchOfSent(await send(ann, convId, 'hello'))).toBe(null)
  hooks.set('_messageReceived', () => ({ content: '***', code: 9, detail: 'language' }))
  const sent = await send(ann, convId, 'damn')
  hooks.clear()
  expect(patchOfSent(sent)).toMatchObject({
    kind: 'patches',
    patches: [
      { message: { id: sent.id, content: '***', patchedAt: sent.ts + 1 }, cause: { code: 9, reason: 'language' } },
    ],
  })
})

it('deletes a message without notifying clients', async () => {
  const convId = await conversation(['ann', 'bob'])
  const bob = connect('bob')
  const sent = await send('ann', convId, 'hello')
  bob.clear()
  await deleteMessage(messaging, refOf(convId, sent), 'ann')
  expect(await stored(sent.id)).toEqual([])
  expect(bob.events).toEqual([])
  await expect(deleteMessage(messaging, refOf(convId, sent), 'ann')).rejects.toMatchObject({ code: 4404 })
})

const targeted = { fromClient: 'app', bin: false, transient: false, sync: false, pushData: null, ip: null }

it('changes a message to some subscribers for the named receivers', async () => {
  const convId = await conversation([], { sys: true })
  const sessions = ['ann', 'bob', 'cat'].map((clientId) => connect(clientId))
  const sent = await sendTargeted(messaging, { ...targeted, convId, toClients: ['ann', 'bob'], content: 'hello' })
  await editMessage(messaging, byApp('app'), refOf(convId, sent, ['ann', 'bob']), text('better'))
  expect((await stored(sent.id)).map(({ content }) => content)).toEqual(['better', 'better'])
  await editMessage(messaging, byApp('app'), refOf(convId, sent, ['bob']), null)
  expect((await stored(sent.id)).map(({ content }) => content)).toEqual(['better', RECALLED_CONTENT])
  expect(sessions.map((session) => session.of('patches').length)).toEqual([1, 2, 0])
  await deleteMessage(messaging, refOf(convId, sent, ['ann']), 'app')
  expect((await stored(sent.id)).map(({ thread }) => thread)).toEqual([`${convId}:bob`])
})

it.each([
  ['subscribers', 'subscribers', [1, 0]],
  ['everyone', { everyoneUntil: null }, [1, 1]],
] as const)('notifies %s of a changed broadcast', async (_, reach, received) => {
  const convId = await conversation([], { sys: true })
  await database.query(sql`INSERT INTO ${subscriptions} VALUES (${convId}, 'dan', 0)`)
  const [subscriber, other] = [connect('dan'), connect('eve')]
  const sent = await sendBroadcast(messaging, { convId, fromClient: 'app', content: 'x', bin: false, ip: null }, reach)
  await editMessage(messaging, byApp('app'), refOf(convId, sent), text('better'))
  const counts = () => [subscriber, other].map((session) => session.of('patches').length)
  await expect.poll(counts).toEqual(received)
})
