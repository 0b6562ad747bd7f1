import AV from 'leancloud-storage'
import { expect, onTestFinished, test } from 'vitest'
import type { TestApp } from '../support/app.ts'
import { makeApp } from '../support/app.ts'
import { connect } from '../support/raw-connection.ts'
import { type Conversation, devicesOf } from '../support/realtime.ts'
import { makeSdkApp } from '../support/sdk.ts'
import { runFor, scratchFolder } from './exported-app.ts'

/** Messages of the large conversation; HOMEPORT_TEST_CHAT_MESSAGES=100000 for a long run. */
const COUNT = Number(process.env.HOMEPORT_TEST_CHAT_MESSAGES ?? 3000)

const app = await makeSdkApp()
const other = await makeApp()

const rest = async (of: TestApp, method: string, path: string, body?: object, query?: Record<string, string>) => {
  const reply = await of.request(method, path, { master: true, ...(body && { body }), ...(query && { query }) })
  expect(reply.status, `${method} ${path}: ${JSON.stringify(reply.body)}`).toBeLessThan(300)
  return reply.body
}

/** Reads all messages page by page, as the app's back end. */
async function historyOf(of: TestApp): Promise<{ [name: string]: unknown }[]> {
  const all: { [name: string]: unknown }[] = []
  for (let place: Record<string, string> = {}; ; ) {
    const page = await rest(of, 'GET', '/1.2/rtm/messages', undefined, { limit: '1000', ...place })
    all.push(...page)
    if (page.length < 1000) return all
    const last = page.at(-1)
    place = { timestamp: String(last.timestamp), msgid: last['msg-id'] }
  }
}

/** Reads the conversation data of an app, as its back end. */
async function chatsOf(of: TestApp, ids: readonly string[], system: string, clients: readonly string[]) {
  const query = { limit: '1000', order: 'objectId' }
  const { results } = await rest(of, 'GET', '/1.2/rtm/all-conversations', undefined, query)
  const perConversation = await Promise.all(
    ids.map(async (id) => ({
      roles: (await rest(of, 'GET', `/1.2/rtm/conversations/${id}/member-infos`)).results,
      silences: await rest(of, 'GET', `/1.2/rtm/conversations/${id}/permanent-silenceds`),
      blacklist: await rest(of, 'GET', `/1.2/rtm/conversations/${id}/blacklists`),
      mutes: await rest(of, 'GET', `/1.2/rtm/conversations/${id}/mutes`),
      unread: await Promise.all(
        clients.map((client) => rest(of, 'GET', `/1.2/rtm/clients/${client}/unread-count`, undefined, { conv_id: id })),
      ),
    })),
  )
  const subscribers = await rest(of, 'GET', `/1.2/rtm/service-conversations/${system}/subscribers`)
  const told = await Promise.all(
    clients.map((client) => rest(of, 'GET', `/1.2/rtm/service-conversations/${system}/subscribers/${client}/messages`)),
  )
  const tables: Record<string, unknown> = {}
  for (const name of ['temporary', 'silences', 'reads', 'threads', 'broadcasts'])
    tables[name] = (await of.sql(`SELECT to_jsonb(stored) AS row FROM "$${name}" AS stored ORDER BY 1`)).rows
  return { results, perConversation, subscribers, told, tables, history: await historyOf(of) }
}

test('chats of every kind continue in another app', { timeout: 300_000 }, async () => {
  const device = devicesOf(app, onTestFinished)
  const phone = device()
  const { TextMessage } = phone.sdk
  const user = await AV.User.signUp('ann', 'pass word 1')
  const ann = await phone.logIn('ann')
  const bob = await device().logIn('bob')
  const group = (await ann.createConversation({ members: ['bob', 'cid'], name: 'group', topic: 'tea' })) as Conversation
  const first = await group.send(new TextMessage('first'))
  const second = await group.send(new TextMessage('second'))
  await group.update(second, new TextMessage('second, edited'))
  await group.recall(first)
  const ofBob = await bob.getConversation(group.id)
  await expect.poll(() => ofBob!.unreadMessagesCount).toBe(2)
  await ofBob!.read()
  const unreadOfBob = () => rest(app, 'GET', '/1.2/rtm/clients/bob/unread-count', undefined, { conv_id: group.id })
  await expect.poll(unreadOfBob, { timeout: 60_000 }).toEqual({ count: 0 })
  await ofBob!.mute()
  await bob.close()
  const silenced = { client_id: 'cid', ttl: 3600 }
  await rest(app, 'POST', `/1.2/rtm/conversations/${group.id}/temporary-silenceds`, silenced)
  await rest(app, 'POST', `/1.2/rtm/conversations/${group.id}/member-infos`, { clientId: 'bob', role: 'Manager' })
  await rest(app, 'POST', `/1.2/rtm/conversations/${group.id}/blacklists`, { client_ids: ['eve'] })
  await group.send(new TextMessage('for bob').setMentionList(['bob']), { receipt: true })
  const large = (await ann.createConversation({ members: ['bob', 'cid', 'dan'], name: 'large' })) as Conversation
  await app.sql(
    `INSERT INTO "$messages" (thread, ts, id, conv_id, sender, content, bin, mention_all, receipt, type)
    SELECT $1, 1600000000000 + n, 'old' || n, $1, CASE n % 3 WHEN 0 THEN 'ann' ELSE 'bob' END,
      '{"_lctype":-1,"_lctext":"' || n || '"}', FALSE, FALSE, FALSE, -1
    FROM generate_series(1, ${COUNT}) AS n`,
    [large.id],
  )
  for (const text of ['one', 'two']) await large.send(new TextMessage(text))
  const room = (await ann.createChatRoom({ name: 'room' })) as Conversation
  await room.send(new TextMessage('in the room'))
  const temporary = await ann.createTemporaryConversation({ members: ['bob'], ttl: 7200 })
  await temporary.send(new TextMessage('for an hour'))
  const { objectId: system } = await rest(app, 'POST', '/1.2/rtm/service-conversations', { name: 'news' })
  for (const client_id of ['ann', 'bob'])
    await rest(app, 'POST', `/1.2/rtm/service-conversations/${system}/subscribers`, { client_id })
  const to = (clients: readonly string[], message: string) =>
    rest(app, 'POST', `/1.2/rtm/service-conversations/${system}/messages`, {
      from_client: 'editor',
      to_clients: clients,
      message,
    })
  await to(['bob'], 'for bob alone')
  await to(['ann', 'bob'], 'for both')
  const broadcast = { from_client: 'editor', message: 'for all' }
  await rest(app, 'POST', `/1.2/rtm/service-conversations/${system}/broadcasts`, broadcast)
  await ann.close()
  await expect
    .poll(async () => (await rest(app, 'GET', `/1.1/classes/_Conversation/${large.id}`)).lm?.iso, { timeout: 60_000 })
    .toBeDefined()
  await expect
    .poll(async () => (await rest(app, 'GET', `/1.1/classes/_Conversation/${group.id}`)).lm?.iso)
    .toBeDefined()
  const ids = [group.id, large.id]
  const clients = ['ann', 'bob', 'cid']
  const before = await chatsOf(app, ids, system, clients)
  expect(before.history).toHaveLength(COUNT + 10)

  const folder = scratchFolder()
  const out = await runFor(app, 'export', '--to', `${folder}/out`)
  expect(out.code).toBe(0)
  const into = await runFor(other, 'import', '--report', `${folder}/report`, `${folder}/out`)
  expect(into.code).toBe(0)
  const after = await chatsOf(other, ids, system, clients)
  expect(after.history).toEqual(before.history)
  expect(after).toEqual(before)

  // Sessions stay valid, and other users log in with their passwords.
  const me = { headers: { 'x-lc-session': user.getSessionToken() } }
  expect((await other.request('GET', '/1.1/users/me', me)).body).toMatchObject({ username: 'ann' })
  const login = { body: { username: 'ann', password: 'pass word 1' } }
  expect((await other.request('POST', '/1.1/login', login)).body).toMatchObject({ objectId: user.id })

  // One client gets the number of missed messages, another gets the messages, each once.
  const there = devicesOf(other, onTestFinished)()
  const bobThere = await there.logIn('bob')
  const known = await bobThere.getQuery().containsMembers(['bob']).find()
  const unread = () => new Map(known.map((one) => [one.id, one.unreadMessagesCount]))
  await expect.poll(() => unread().get(group.id), { timeout: 60_000 }).toBe(1)
  expect(unread().get(large.id)).toBe(before.perConversation[1]!.unread[1].count)
  const groupThere = known.find(({ id }) => id === group.id)!
  expect([groupThere.unreadMessagesMentioned, groupThere.muted, groupThere.get('topic')]).toEqual([true, true, 'tea'])
  const { lm } = await rest(app, 'GET', `/1.1/classes/_Conversation/${group.id}`)
  expect(groupThere.lastMessageAt).toEqual(new Date(lm.iso))
  const history = await groupThere.queryMessages({ limit: 10 })
  expect(history.map((message) => (message as { text?: string }).text)).toEqual([
    undefined,
    'second, edited',
    'for bob',
  ])
  const next = await groupThere.send(new there.sdk.TextMessage('goes on'))
  expect(next.timestamp.getTime()).toBeGreaterThan(history.at(-1)!.timestamp.getTime())
  const old = await connect(other, 'lc.protobuf2.1')
  await old.open('cid')
  await old.take(({ directMessage }) => directMessage?.msg?.includes('goes on') === true)
  await old.take(({ directMessage }) => directMessage?.msg?.includes('"two"') === true)
  await old.request({ cmd: 'echo' })
  const missed = old.received.flatMap(({ directMessage }) => (directMessage ? [directMessage.id] : []))
  expect(missed).toHaveLength(6)
  expect(new Set(missed).size).toBe(6)
})
