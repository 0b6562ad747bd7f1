import { expect, onTestFinished, test } from 'vitest'
import { devicesOf } from '../support/realtime.ts'
import { makePull } from './pulls.ts'

const pull = await makePull()
const { source, target } = pull

const rest = async (
  app: typeof source,
  method: string,
  path: string,
  body?: object,
  query?: Record<string, string>,
) => {
  const reply = await app.request(method, path, { master: true, ...(body && { body }), ...(query && { query }) })
  expect(reply.status, `${method} ${path}: ${JSON.stringify(reply.body)}`).toBeLessThan(300)
  return reply.body
}

test('chats of a running app continue after a pull', { timeout: 300_000 }, async () => {
  const device = devicesOf(source, onTestFinished)()
  const { TextMessage } = device.sdk
  const ann = await device.logIn('ann')
  const chat = await ann.createConversation({ members: ['bob', 'cid'], name: 'chat' })
  for (const text of ['one', 'two', 'three']) await chat.send(new TextMessage(text))
  const bob = await devicesOf(source, onTestFinished)().logIn('bob')
  const ofBob = await bob.getConversation(chat.id)
  await ofBob!.read()
  const unreadOf = async (app: typeof source, client: string) =>
    (await rest(app, 'GET', `/1.2/rtm/clients/${client}/unread-count`, undefined, { conv_id: chat.id })).count
  await expect.poll(() => unreadOf(source, 'bob'), { timeout: 60_000 }).toBe(0)
  await bob.close()
  await chat.send(new TextMessage('four'))
  await rest(source, 'POST', `/1.2/rtm/conversations/${chat.id}/permanent-silenceds`, { client_ids: ['cid'] })
  await rest(source, 'POST', `/1.2/rtm/conversations/${chat.id}/blacklists`, { client_ids: ['eve'] })
  const { objectId: system } = await rest(source, 'POST', '/1.2/rtm/service-conversations', { name: 'news' })
  const news = `/1.2/rtm/service-conversations/${system}`
  await source.sql(
    `INSERT INTO "$subscriptions" (conv_id, client_id, since_ts) SELECT $1, 'client' || n, n FROM generate_series(1, 120) AS n`,
    [system],
  )
  const to = { from_client: 'editor', to_clients: ['client1', 'client2'], message: 'for two' }
  await rest(source, 'POST', `${news}/messages`, to)
  await ann.close()

  expect((await pull.run('--no-passwords')).code).toBe(0)
  expect(await unreadOf(target, 'bob')).toBe(0)
  expect((await pull.run('--no-passwords', '--chat-details')).code).toBe(0)
  const all = { limit: '1000' }
  expect(await rest(target, 'GET', '/1.2/rtm/messages', undefined, all)).toEqual(
    await rest(source, 'GET', '/1.2/rtm/messages', undefined, all),
  )
  for (const client of ['ann', 'bob', 'cid'])
    expect(await unreadOf(target, client), client).toBe(await unreadOf(source, client))
  expect(await unreadOf(target, 'bob')).toBe(1)
  for (const list of ['permanent-silenceds', 'blacklists'])
    expect(await rest(target, 'GET', `/1.2/rtm/conversations/${chat.id}/${list}`)).toEqual(
      await rest(source, 'GET', `/1.2/rtm/conversations/${chat.id}/${list}`),
    )
  expect(await rest(target, 'GET', `${news}/subscribers/count`)).toEqual({ count: 120 })
  for (const client of ['client1', 'client2', 'client3']) {
    const told = `${news}/subscribers/${client}/messages`
    expect(await rest(target, 'GET', told)).toEqual(await rest(source, 'GET', told))
  }

  const there = devicesOf(target, onTestFinished)()
  const bobThere = await there.logIn('bob')
  const [known] = await bobThere.getQuery().containsMembers(['bob']).find()
  await expect.poll(() => known!.unreadMessagesCount, { timeout: 60_000 }).toBe(1)
  const next = await known!.send(new there.sdk.TextMessage('goes on'))
  const texts = (await known!.queryMessages({ limit: 10 })).map((message) => (message as { text?: string }).text)
  expect(texts).toEqual(['one', 'two', 'three', 'four', 'goes on'])
  expect(next.timestamp.getTime()).toBeGreaterThan(0)

  // Later messages follow, once each; read marks only move forward.
  await rest(source, 'POST', `/1.2/rtm/conversations/${chat.id}/messages`, { from_client: 'ann', message: 'five' })
  expect((await pull.run('--no-passwords', '--chat-details')).code).toBe(0)
  const ids = (await rest(target, 'GET', `/1.2/rtm/conversations/${chat.id}/messages`, undefined, all)).map(
    (one: { 'msg-id': string }) => one['msg-id'],
  )
  expect([ids.length, new Set(ids).size]).toEqual([6, 6])
  expect(await unreadOf(target, 'cid')).toBe(6)
})
