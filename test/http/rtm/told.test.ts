import { describe, expect, it, vi } from 'vitest'
import { makeApp } from '../../support/app.ts'
import { listenersOf } from './listener.ts'

const app = await makeApp()
const logIn = listenersOf(app)

const send = (method: string, path: string, body?: object, query: Record<string, string> = {}) =>
  app.request(method, `/1.2/rtm/${path}`, { master: true, query, ...(body && { body }) })
const make = async (root: string, body: object = {}): Promise<string> => (await send('POST', root, body)).body.objectId
let made = 0
/** Returns names that no other test uses. */
const names = (...clients: string[]) => {
  made++
  return clients.map((client) => `${client} ${made}`) as [string, ...string[]]
}

describe('a message to a conversation', () => {
  it('reaches its members and its sender, except with no_sync', async () => {
    const [ann, bob, eve] = names('ann', 'bob', 'eve') as [string, string, string]
    const [listener, sender, stranger] = await Promise.all([logIn(bob), logIn(ann), logIn(eve)])
    const cid = await make('conversations', { m: [ann, bob] })
    const say = (message: string, more: object = {}) =>
      send('POST', `conversations/${cid}/messages`, { from_client: ann, message, ...more })
    const { body } = await say('one', { mention_client_ids: [bob], mention_all: true })
    await say('two', { no_sync: true })
    await say('three', { transient: true })
    expect(await listener.waitFor({ msg: 'one' })).toMatchObject({
      cmd: 'direct',
      cid,
      id: body['msg-id'],
      timestamp: body.timestamp,
      fromPeerId: ann,
      mentionPids: [bob],
      mentionAll: true,
    })
    expect(await listener.waitFor({ msg: 'three' })).toMatchObject({ transient: true })
    await sender.waitFor({ msg: 'three' })
    expect(listener.texts()).toEqual(['one', 'two', 'three'])
    expect(sender.texts()).toEqual(['one', 'three'])
    expect(stranger.texts()).toEqual([])
  })

  it('updates and recalls reach all clients, including the sender', async () => {
    const [ann, bob] = names('ann', 'bob') as [string, string]
    const listeners = await Promise.all([logIn(ann), logIn(bob)])
    const cid = await make('conversations', { m: [ann, bob] })
    const { body } = await send('POST', `conversations/${cid}/messages`, { from_client: ann, message: 'one' })
    const { 'msg-id': mid, timestamp } = body
    const place = `conversations/${cid}/messages/${mid}`
    await send('PUT', place, { from_client: ann, message: 'two', timestamp })
    await send('PUT', `${place}/recall`, { from_client: ann, timestamp })
    for (const { waitFor: heard } of listeners) {
      const edited = await heard({ cmd: 'patch', patches: [{ cid, mid, timestamp, data: 'two', from: ann }] })
      expect(edited).toMatchObject({ op: 'modify' })
      await heard({ cmd: 'patch', patches: [{ mid, recall: true, data: '{"_lctype":-127}' }] })
    }
  })
})

describe('a chat room', () => {
  const enter = (listener: Awaited<ReturnType<typeof logIn>>, cid: string, who: string) =>
    listener.ask({ cmd: 'conv', op: 'add', cid, m: [who] })

  it('messages reach its members but not the sender', async () => {
    const [ann, bob, eve] = names('ann', 'bob', 'eve') as [string, string, string]
    const [sender, listener, stranger] = await Promise.all([logIn(ann), logIn(bob), logIn(eve)])
    const cid = await make('chatrooms')
    await enter(sender, cid, ann)
    await enter(listener, cid, bob)
    for (const from_client of [ann, 'somebody'])
      await send('POST', `chatrooms/${cid}/messages`, { from_client, message: `of ${from_client}` })
    await sender.waitFor({ msg: 'of somebody' })
    await listener.waitFor({ msg: 'of somebody' })
    expect(listener.texts()).toEqual([`of ${ann}`, 'of somebody'])
    expect(sender.texts()).toEqual(['of somebody'])
    expect(stranger.texts()).toEqual([])
  })

  it('returns its members and their number until they leave', async () => {
    const [ann, bob] = names('ann', 'bob') as [string, string]
    const cid = await make('chatrooms')
    const members = async () => (await send('GET', `chatrooms/${cid}/members`)).body
    const count = async () => (await send('GET', `chatrooms/${cid}/members/online-count`)).body
    expect([await members(), await count()]).toEqual([{ result: [] }, { result: 0 }])
    for (const who of [ann, bob]) await enter(await logIn(who), cid, who)
    expect((await members()).result.toSorted()).toEqual([ann, bob])
    await vi.waitFor(async () => expect(await count()).toEqual({ result: 2 }), 10_000)
  })
})

describe('members', () => {
  it('are notified of additions and removals, including those affected', async () => {
    const [ann, bob] = names('ann', 'bob') as [string, string]
    const [member, guest] = await Promise.all([logIn(ann), logIn(bob)])
    const cid = await make('conversations', { m: [ann] })
    await member.waitFor({ op: 'joined', cid })
    await send('POST', `conversations/${cid}/members`, { client_ids: [bob] })
    await guest.waitFor({ cmd: 'conv', op: 'joined', cid })
    await member.waitFor({ cmd: 'conv', op: 'members_joined', cid, m: [bob] })
    await send('DELETE', `conversations/${cid}/members`, { client_ids: [bob] })
    await guest.waitFor({ op: 'left', cid })
    await member.waitFor({ op: 'members_left', cid, m: [bob] })
  })

  it('are notified of new attributes, roles and the deletion of the conversation', async () => {
    const [ann] = names('ann')
    const member = await logIn(ann)
    const cid = await make('conversations', { m: [ann], name: 'old' })
    await send('PUT', `conversations/${cid}`, { name: 'new' })
    await member.waitFor({ op: 'updated', cid, attrModified: { data: '{"name":"new"}' } })
    const { body } = await send('POST', `conversations/${cid}/member-infos`, { clientId: ann, role: 'Manager' })
    await member.waitFor({ op: 'member_info_changed', cid, info: { pid: ann, role: 'Manager', infoId: body.objectId } })
    await send('DELETE', `conversations/${cid}`)
    await member.waitFor({ op: 'left', cid })
    expect(await member.ask({ cmd: 'direct', cid, msg: 'x' })).toMatchObject({ code: 4401 })
  })

  it('a blocked client is notified and removed', async () => {
    const [ann, bob] = names('ann', 'bob') as [string, string]
    const [member, blocked] = await Promise.all([logIn(ann), logIn(bob)])
    const cid = await make('conversations', { m: [ann, bob] })
    await send('POST', `conversations/${cid}/blacklists`, { client_ids: [bob] })
    await blocked.waitFor({ op: 'blocked', cid })
    await blocked.waitFor({ op: 'left', cid })
    await member.waitFor({ op: 'members_blocked', cid, m: [bob] })
    expect(await blocked.ask({ cmd: 'conv', op: 'add', cid, m: [bob] })).toMatchObject({ cmd: 'error', code: 4548 })
    await send('DELETE', `conversations/${cid}/blacklists`, { client_ids: [bob] })
    await blocked.waitFor({ op: 'unblocked', cid })
    expect(await blocked.ask({ cmd: 'conv', op: 'add', cid, m: [bob] })).toMatchObject({ op: 'added' })
  })

  it.each([
    ['permanent-silenceds', { client_ids: true }, 4563],
    ['temporary-silenceds', { ttl: 60 }, 4315],
  ])('a client silenced by %s cannot send until the silence ends', async (list, more, code) => {
    const [bob] = names('bob')
    const silenced = await logIn(bob)
    const whom = 'ttl' in more ? { client_id: bob } : { client_ids: [bob] }
    for (const root of ['conversations', 'chatrooms']) {
      const cid = await make(root, root === 'conversations' ? { m: [bob] } : {})
      const say = () => silenced.ask({ cmd: 'direct', cid, msg: 'x' })
      await send('POST', `${root}/${cid}/${list}`, { ...more, ...whom })
      expect(await say()).toMatchObject({ cmd: 'ack', code })
      await send('DELETE', `${root}/${cid}/${list}`, whom)
      const spoken = await say()
      expect(spoken).toMatchObject({ cmd: 'ack', uid: expect.any(String) })
      expect(spoken).not.toHaveProperty('code')
    }
  })
})

describe('a system conversation', () => {
  it('broadcasts and their updates reach subscribers', async () => {
    const [ann, bob] = names('ann', 'bob') as [string, string]
    const [subscriber, stranger] = await Promise.all([logIn(ann), logIn(bob)])
    const cid = await make('service-conversations')
    await send('POST', `service-conversations/${cid}/subscribers`, { client_id: ann })
    const say = (message: string) =>
      send('POST', `service-conversations/${cid}/broadcasts`, { from_client: 'editor', message })
    const { body } = await say('one')
    const { 'msg-id': id, timestamp } = body
    expect(await subscriber.waitFor({ msg: 'one' })).toMatchObject({
      cid,
      id,
      timestamp,
      fromPeerId: 'editor',
      convType: 3,
    })
    await send('PUT', `service-conversations/${cid}/messages/${id}`, {
      from_client: 'editor',
      message: 'two',
      timestamp,
    })
    await subscriber.waitFor({ cmd: 'patch', patches: [{ mid: id, data: 'two' }] })
    await send('DELETE', `service-conversations/${cid}/subscribers/${encodeURIComponent(ann)}`)
    await send('POST', `service-conversations/${cid}/subscribers`, { client_id: bob })
    await say('three')
    await stranger.waitFor({ msg: 'three' })
    expect(stranger.texts()).toEqual(['three'])
    expect(subscriber.texts()).toEqual(['one'])
  })

  it('messages reach the named clients, and the sender except with no_sync', async () => {
    const [ann, bob] = names('ann', 'bob') as [string, string]
    const [named, other] = await Promise.all([logIn(ann), logIn(bob)])
    const cid = await make('service-conversations')
    const say = (message: string, to: string, more: object = {}) =>
      send('POST', `service-conversations/${cid}/messages`, { from_client: bob, message, to_clients: [to], ...more })
    await say('one', ann)
    await say('two', ann, { no_sync: true })
    await say('three', ann)
    await named.waitFor({ msg: 'three' })
    await other.waitFor({ msg: 'three' })
    expect(named.texts()).toEqual(['one', 'two', 'three'])
    expect(other.texts()).toEqual(['one', 'three'])
  })

  it('a broadcast by the legacy path reaches every online client', async () => {
    const [ann, bob] = names('ann', 'bob') as [string, string]
    const everyone = await Promise.all([logIn(ann), logIn(bob)])
    const conv_id = await make('service-conversations')
    const message = `to all ${conv_id}`
    const body = { from_peer: 'editor', conv_id, message }
    const sent = await app.request('POST', '/1.1/rtm/broadcast', { master: true, body })
    for (const { waitFor: heard } of everyone) await heard({ msg: message, cid: conv_id })
    // Otherwise each new client would receive it.
    await send('DELETE', `broadcasts/${sent.body.result['msg-id']}`)
  })
})

describe('clients', () => {
  it('online clients are found, and counted with those of today', async () => {
    const [ann, bob] = names('ann', 'bob') as [string, string]
    const online = () => send('POST', 'clients/check-online', { client_ids: [bob, ann] })
    expect((await online()).body).toEqual({ results: [] })
    const today = async () => (await send('GET', 'stats')).body.result
    const before = await today()
    await logIn(ann)
    await vi.waitFor(async () => expect((await online()).body).toEqual({ results: [ann] }), 10_000)
    const after = await today()
    expect(after.online_user_count).toBe(before.online_user_count + 1)
    const noted = async () => (await app.sql('SELECT FROM "$daily_clients" WHERE client_id = $1', [ann])).rowCount
    await expect.poll(noted).toBe(1)
    // Queries both again if midnight passes in between.
    await vi.waitFor(async () => {
      const { rows } = await app.sql(`SELECT count(*)::int AS count FROM "$daily_clients" WHERE day = current_date`)
      expect((await today()).user_count_today).toBe(rows[0].count)
    }, 10_000)
  })

  it('a kicked client gets the reason, is offline, and returns only without its token', async () => {
    const [ann, bob] = names('ann', 'bob') as [string, string]
    const kicked = await logIn(ann)
    const unnamed = await logIn(bob)
    await send('POST', `clients/${encodeURIComponent(ann)}/kick`, { reason: 'go away' })
    await send('POST', `clients/${encodeURIComponent(bob)}/kick`)
    await kicked.waitFor({ cmd: 'session', op: 'closed', code: 4115, reason: 'go away', peerId: ann })
    await unnamed.waitFor({ cmd: 'session', op: 'closed', code: 4115, reason: 'KICKED_BY_APP' })
    const { body } = await send('POST', 'clients/check-online', { client_ids: [ann, bob] })
    expect(body).toEqual({ results: [] })
    const open = { cmd: 'session', op: 'open' }
    expect(await kicked.ask({ ...open, st: kicked.opened.st })).toMatchObject({ cmd: 'error', code: 4112 })
    expect(await kicked.ask(open)).toMatchObject({ op: 'opened' })
  })

  it('a client that blocks a conversation is removed from it', async () => {
    const [ann] = names('ann')
    const hermit = await logIn(ann)
    const place = `clients/${encodeURIComponent(ann)}/blacklists`
    const room = await make('chatrooms')
    await hermit.ask({ cmd: 'conv', op: 'add', cid: room, m: [ann] })
    await send('POST', place, { conv_id: room })
    await hermit.waitFor({ op: 'left', cid: room })
    expect((await send('GET', `chatrooms/${room}/members`)).body).toEqual({ result: [] })
    const news = await make('service-conversations')
    await send('POST', `service-conversations/${news}/subscribers`, { client_id: ann })
    await send('POST', place, { conv_id: news })
    expect((await send('GET', `service-conversations/${news}/subscribers/count`)).body).toEqual({ count: 0 })
  })
})
