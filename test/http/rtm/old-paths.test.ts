import { createHash, createHmac } from 'node:crypto'
import { describe, expect, it, vi } from 'vitest'
import { makeApp } from '../../support/app.ts'
import { listenersOf } from './listener.ts'

const app = await makeApp()
const listen = listenersOf(app)

const send = (method: string, path: string, body?: object, query: Record<string, string> = {}) =>
  app.request(method, path, { master: true, query, ...(body && { body }) })
const make = async (root: string): Promise<string> =>
  (await send('POST', `/1.2/rtm/${root}`, root === 'conversations' ? { m: ['ann', 'bob'] } : {})).body.objectId
const textsOf = (items: readonly { data: string }[]) => items.map(({ data }) => data)
const refusal = (code: number, error: string, status = 400) => ({
  status,
  body: { code, error: expect.stringContaining(error) },
})
const sent = { status: 200, body: { result: { 'msg-id': expect.any(String), timestamp: expect.any(Number) } } }

describe('POST /1.1/rtm/messages', () => {
  it.each(['conversations', 'chatrooms'])('sends to all clients in one of the %s', async (root) => {
    const conv_id = await make(root)
    const body = { from_peer: 'ann', conv_id, message: 'hi', transient: false, push_data: { alert: 'hi' } }
    expect(await send('POST', '/1.1/rtm/messages', body)).toMatchObject(sent)
    expect(textsOf((await send('GET', `/1.2/rtm/${root}/${conv_id}/messages`)).body)).toEqual(['hi'])
  })

  it('sends to the named clients in a system conversation', async () => {
    const conv_id = await make('service-conversations')
    const body = { from_peer: 'editor', conv_id, message: 'hi', to_peers: ['ann'], transient: false }
    expect(await send('POST', '/1.1/rtm/messages', body)).toMatchObject(sent)
    const read = async (clientId: string) =>
      textsOf((await send('GET', `/1.2/rtm/service-conversations/${conv_id}/subscribers/${clientId}/messages`)).body)
    expect(await read('ann')).toEqual(['hi'])
    expect(await read('bob')).toEqual([])
    const { rows } = await app.sql(`SELECT FROM "_SysMessage"`)
    expect(rows).toHaveLength(0)
  })

  it.each([undefined, null, true, 'true', 1])(
    'is transient when transient is %j: nothing is stored',
    async (transient) => {
      const conv_id = await make('conversations')
      const body = { from_peer: 'ann', conv_id, message: 'hi', ...(transient !== undefined && { transient }) }
      expect(await send('POST', '/1.1/rtm/messages', body)).toMatchObject(sent)
      expect((await send('GET', `/1.2/rtm/conversations/${conv_id}/messages`)).body).toEqual([])
    },
  )

  it('requires recipients in a system conversation', async () => {
    const conv_id = await make('service-conversations')
    const body = { from_peer: 'editor', conv_id, message: 'hi' }
    expect(await send('POST', '/1.1/rtm/messages', body)).toMatchObject(refusal(1, "'to_peers' is missing"))
  })

  it.each([
    [{ conv_id: 'c', message: 'x' }, "'from_peer' is missing"],
    [{ from_peer: 'ann', message: 'x' }, "'conv_id' is missing"],
    [{ from_peer: 'ann', conv_id: 'c' }, "'message' is missing"],
    [
      { from_peer: 'ann', conv_id: 'c', message: 'x', to_peers: Array.from({ length: 21 }, String) },
      "'to_peers' must contain at most 20 clients",
    ],
  ])('rejects %j', async (body, text) => {
    expect(await send('POST', '/1.1/rtm/messages', body)).toMatchObject(refusal(1, text))
  })

  it('an unknown conversation gets 404 and 4303', async () => {
    const body = { from_peer: 'ann', conv_id: '555555555555555555555555', message: 'x' }
    expect(await send('POST', '/1.1/rtm/messages', body)).toMatchObject(refusal(4303, 'NOT_FOUND', 404))
  })
})

describe('POST /1.1/rtm/broadcast', () => {
  it.each([
    [undefined, null],
    [4_102_444_800_000, '4102444800000'],
  ])('reaches everyone, until %s', async (valid_till, expires) => {
    const conv_id = await make('service-conversations')
    const body = { from_peer: 'editor', conv_id, message: 'to all', push: 'look', ...(valid_till && { valid_till }) }
    const answer = await send('POST', '/1.1/rtm/broadcast', body)
    expect(answer).toMatchObject(sent)
    const { rows } = await app.sql('SELECT to_everyone, expires_ts FROM "$broadcasts" WHERE id = $1', [
      answer.body.result['msg-id'],
    ])
    expect(rows).toEqual([{ to_everyone: true, expires_ts: expires }])
  })

  it('requires a system conversation', async () => {
    const body = { from_peer: 'editor', conv_id: await make('conversations'), message: 'x' }
    expect(await send('POST', '/1.1/rtm/broadcast', body)).toMatchObject(refusal(4313, 'SYSTEM_CONVERSATION_REQUIRED'))
    expect(await send('POST', '/1.1/rtm/broadcast', { ...body, valid_till: 'ever' })).toMatchObject(
      refusal(1, "'valid_till' must be a whole number"),
    )
  })
})

interface Sent {
  'msg-id': string
  timestamp: number
}

describe('GET /1.1/rtm/messages/history', () => {
  it('finds the messages of a conversation, of a sender, or all, before a time', async () => {
    const convid = await make('conversations')
    /** Sends a message. Later messages have a later time, in any conversation. */
    const say = async (from_peer: string, message: string, conv_id = convid): Promise<Sent> => {
      const body = { from_peer, conv_id, message, transient: false }
      const { result } = (await send('POST', '/1.1/rtm/messages', body)).body
      await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(result.timestamp), { timeout: 60_000, interval: 1 })
      return result
    }
    await say('talker', 'elsewhere', await make('chatrooms'))
    await say('talker', 'one')
    const two = await say('other', 'two')
    await say('talker', 'three')
    const read = async (query: Record<string, string>) =>
      textsOf((await send('GET', '/1.1/rtm/messages/history', undefined, query)).body)
    expect(await read({ convid })).toEqual(['three', 'two', 'one'])
    expect(await read({ convid, reversed: 'true', limit: '2' })).toEqual(['one', 'two'])
    expect(await read({ convid, max_ts: String(two.timestamp), msgid: two['msg-id'] })).toEqual(['one'])
    expect(await read({ from: 'talker' })).toEqual(['three', 'one', 'elsewhere'])
    expect(await read({ limit: '4' })).toEqual(['three', 'two', 'one', 'elsewhere'])
  })
})

const done = { status: 200, body: {} }
const md5 = (text: string) => createHash('md5').update(text).digest('hex')
const history = (query: Record<string, string>, path = 'history') =>
  send('GET', `/1.1/rtm/messages/${path}`, undefined, query)
const say = async (conv_id: string, message: string, others: object = {}): Promise<Sent> =>
  (await send('POST', '/1.1/rtm/messages', { from_peer: 'ann', conv_id, message, transient: false, ...others })).body
    .result

describe('messages for one subscriber of a system conversation', () => {
  it('are found by md5("<conversation>:<client>")', async () => {
    const conv = await make('service-conversations')
    await say(conv, 'for bob', { to_peers: ['bob'] })
    await say(conv, 'for cat', { to_peers: ['cat'] })
    for (const path of ['history', 'logs']) {
      expect(textsOf((await history({ convid: md5(`${conv}:bob`) }, path)).body)).toEqual(['for bob'])
      expect((await history({ convid: md5(`${conv}:dan`) }, path)).body).toEqual([])
    }
  })

  it('are found without a scan of all messages', async () => {
    const { rows } = await app.sql(`
      EXPLAIN SELECT FROM "$messages" WHERE md5(thread) = '${md5('x')}' AND thread <> conv_id`)
    expect(JSON.stringify(rows)).toContain('messages_by_digest')
  })
})

describe('GET /1.1/rtm/messages/logs and history', () => {
  it('accept timestamp, and max_ts as its legacy name', async () => {
    const convid = await make('conversations')
    const first = await say(convid, 'one')
    await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(first.timestamp), { interval: 1 })
    await say(convid, 'two')
    const start = { msgid: first['msg-id'], reversed: 'true' }
    for (const name of ['timestamp', 'max_ts'])
      expect(textsOf((await history({ convid, ...start, [name]: String(first.timestamp) }, 'logs')).body)).toEqual([
        'two',
      ])
  })

  it('accept a conversation id with trailing zeros', async () => {
    const convid = await make('conversations')
    await say(convid, 'padded')
    expect(textsOf((await history({ convid: `${convid}00000000` })).body)).toEqual(['padded'])
  })

  it('are open to clients with a signature when the app requires one, each for itself', async () => {
    const signed = await makeApp()
    await signed.admin('PATCH', '/settings', { messaging: { historySignature: true } })
    const made = await signed.request('POST', '/1.2/rtm/service-conversations', { master: true, body: { name: 's' } })
    const conv_id = made.body.objectId as string
    const body = { from_peer: 'editor', conv_id, message: 'for bob', to_peers: ['bob'], transient: false }
    await signed.request('POST', '/1.1/rtm/messages', { master: true, body })
    const read = (peerid: string, convid: string) => {
      const [nonce, signature_ts] = ['nonce', String(Date.now())]
      const text = [signed.appId, peerid, convid, nonce, signature_ts].join(':')
      const signature = createHmac('sha1', signed.masterKey).update(text).digest('hex')
      const query = { convid, peerid, nonce, signature_ts, signature }
      return signed.request('GET', '/1.1/rtm/messages/history', { query })
    }
    const convid = md5(`${conv_id}:bob`)
    expect(textsOf((await read('bob', convid)).body)).toEqual(['for bob'])
    expect((await read('eve', convid)).status).toBe(401)
    expect((await signed.request('GET', '/1.1/rtm/messages/history', { query: { convid } })).status).toBe(400)
    expect((await signed.request('GET', '/1.1/rtm/messages/history')).body).toMatchObject({ code: 1 })
  })

  it('are closed to clients otherwise', async () => {
    for (const path of ['logs', 'history'])
      expect((await app.request('GET', `/1.1/rtm/messages/${path}`, { query: { convid: 'x' } })).status).toBe(401)
  })
})

describe('PUT and DELETE /1.1/rtm/messages/logs', () => {
  const PATH = '/1.1/rtm/messages/logs'

  it('replace and delete a stored message without notifying clients', async () => {
    const convid = await make('conversations')
    const bob = await listen('bob')
    const { 'msg-id': msgid, timestamp } = await say(convid, 'wrong')
    const [item] = (await history({ convid })).body
    expect(await send('PUT', PATH, { ...item, data: 'right', 'ack-at': 5 })).toMatchObject(done)
    expect((await history({ convid })).body).toEqual([{ ...item, data: 'right' }])
    const query = { convid, msgid, timestamp: String(timestamp) }
    expect(await send('DELETE', PATH, undefined, { ...query, from: 'bob' })).toMatchObject(refusal(4403, 'OWNERSHIP'))
    expect(await send('DELETE', PATH, undefined, query)).toMatchObject(done)
    expect((await history({ convid })).body).toEqual([])
    expect(await send('DELETE', PATH, undefined, query)).toMatchObject({ body: { code: 4404 } })
    await say(convid, 'later')
    await bob.waitFor({ cmd: 'direct', msg: 'later' })
    expect(bob.received.filter(({ cmd }) => cmd === 'patch')).toEqual([])
  })

  it('work on messages for one subscriber, by item or digest', async () => {
    const conv = await make('service-conversations')
    const { 'msg-id': msgid, timestamp } = await say(conv, 'wrong', { to_peers: ['bob'] })
    const convid = md5(`${conv}:bob`)
    const [item] = (await history({ convid })).body
    expect(await send('PUT', PATH, { ...item, data: 'right' })).toMatchObject(done)
    expect(await send('PUT', PATH, { ...item, 'conv-id': convid, data: 'better' })).toMatchObject(done)
    expect(textsOf((await history({ convid })).body)).toEqual(['better'])
    expect(await send('DELETE', PATH, undefined, { convid, msgid, timestamp: String(timestamp) })).toMatchObject(done)
    expect((await history({ convid })).body).toEqual([])
  })

  it.each([
    [{ 'conv-id': 'c', 'msg-id': 'm', timestamp: 1 }, 1, "'data' is missing"],
    [{ 'conv-id': 'c', 'msg-id': 'm', data: 'x' }, 1, "'timestamp' is missing"],
    [{ 'conv-id': 'c', 'msg-id': 'm', timestamp: 1, data: 'x' }, 4404, 'MESSAGE_NOT_FOUND'],
    [{ 'conv-id': 'c', 'msg-id': 'm', timestamp: 1, data: 'x'.repeat(6000) }, 1, 'must have at most 5120 bytes'],
  ])('PUT rejects %j', async (body, code, text) => {
    expect((await send('PUT', PATH, body)).body).toMatchObject({ code, error: expect.stringContaining(text) })
  })
})

describe('POST /1.1/rtm/patch/message', () => {
  const PATH = '/1.1/rtm/patch/message'

  it('edits and recalls, and notifies clients', async () => {
    const conv_id = await make('conversations')
    const bob = await listen('bob', { configBitmap: 0xbb, lastPatchTime: Date.now() })
    const { 'msg-id': msg_id, timestamp } = await say(conv_id, 'wrong')
    const body = { from_peer: 'ann', conv_id, msg_id, timestamp, message: 'right' }
    expect(await send('POST', PATH, body)).toMatchObject(done)
    expect(textsOf((await history({ convid: conv_id })).body)).toEqual(['right'])
    await bob.waitFor({ cmd: 'patch', op: 'modify' })
    expect(await send('POST', PATH, { ...body, message: undefined, recall: true })).toMatchObject(done)
    expect(await send('POST', PATH, body)).toMatchObject({ body: { code: 4404 } })
  })

  it.each([['bob,cat'], [['bob', 'cat']], ['["bob","cat"]']])('accepts to_peers as %j', async (to_peers) => {
    const conv_id = await make('service-conversations')
    const { 'msg-id': msg_id, timestamp } = await say(conv_id, 'wrong', { to_peers: ['bob', 'cat'] })
    const body = { from_peer: 'ann', conv_id, msg_id, timestamp, message: 'right', to_peers }
    expect(await send('POST', PATH, body)).toMatchObject(done)
    for (const client of ['bob', 'cat'])
      expect(textsOf((await history({ convid: md5(`${conv_id}:${client}`) })).body)).toEqual(['right'])
  })

  it('requires the sender', async () => {
    const conv_id = await make('conversations')
    const { 'msg-id': msg_id, timestamp } = await say(conv_id, 'x')
    const body = { from_peer: 'bob', conv_id, msg_id, timestamp, message: 'y' }
    expect((await send('POST', PATH, body)).body.code).toBe(4403)
    expect(await send('POST', PATH, { ...body, from_peer: undefined })).toMatchObject(
      refusal(1, "'from_peer' is missing"),
    )
  })
})

describe('GET /1.1/rtm/messages/unread/:client', () => {
  it('returns counts with the application key, for all or one conversation', async () => {
    const ids = await Promise.all([1, 2].map(() => make('conversations')))
    for (const id of [ids[0]!, ids[1]!, ids[1]!]) await say(id, 'x', { from_peer: 'bob' })
    const count = async (path: string) => (await app.request('GET', `/1.1/rtm/messages/unread/${path}`)).body.count
    expect(await count(`ann/${ids[0]}`)).toBe(1)
    expect(await count(`ann/${ids[1]}`)).toBe(2)
    expect(await count('ann')).toBeGreaterThanOrEqual(3)
    expect(await count('nobody')).toBe(0)
  })
})

describe('presence', () => {
  it('is returned by POST /1.1/rtm/online', async () => {
    await listen('here')
    expect(await send('POST', '/1.1/rtm/online', { peers: ['here', 'gone', 'here'] })).toMatchObject({
      status: 200,
      body: { results: ['here'] },
    })
    expect(await send('POST', '/1.1/rtm/online', {})).toMatchObject(refusal(1, "'peers' is missing"))
    expect((await app.request('POST', '/1.1/rtm/online', { body: { peers: ['here'] } })).status).toBe(401)
  })

  it('is returned for a chat room, with the application key', async () => {
    const gid = await make('chatrooms')
    const read = async (what: string, id = gid) =>
      (await app.request('GET', `/1.1/rtm/transient_group/${what}`, { query: { gid: id } })).body
    expect(await read('onlines')).toEqual({ result: 0 })
    const guest = await listen('guest')
    await guest.ask({ cmd: 'conv', op: 'add', cid: gid, m: ['guest'] })
    expect(await read('onlines')).toEqual({ result: 1 })
    expect(await read('members')).toEqual({ result: ['guest'] })
    expect(await read('onlines', await make('conversations'))).toMatchObject({ code: 4316 })
    expect(await read('onlines', 'nothing')).toMatchObject({ code: 4303 })
  })
})

describe('/1.1/rtm/conversation', () => {
  const ask = (method: string, path: string, fields: Record<string, string>) =>
    method === 'POST'
      ? send(method, `/1.1/rtm/conversation/${path}`, fields)
      : send(method, `/1.1/rtm/conversation/${path}`, undefined, fields)

  it('subscribes clients to system conversations', async () => {
    const conv_id = await make('service-conversations')
    const [bob, cat] = [
      { conv_id, client_id: 'bob' },
      { conv_id, client_id: 'cat' },
    ]
    expect(await ask('POST', 'subscription', bob)).toMatchObject(done)
    expect(await ask('POST', 'subscription', cat)).toMatchObject(done)
    expect((await ask('GET', 'subscribers', { conv_id })).body.map((one: Subscription) => one.subscriber)).toEqual([
      'bob',
      'cat',
    ])
    expect((await ask('GET', 'subscribers', bob)).body.map((one: Subscription) => one.subscriber)).toEqual(['cat'])
    expect((await ask('GET', 'subscribers/count', { conv_id })).body).toEqual({ count: 2 })
    expect((await ask('GET', 'subscribed', bob)).body).toBe(true)
    expect((await ask('GET', 'subscription', { client_id: 'bob' })).body).toContainEqual({
      conv_id,
      subscriber: 'bob',
      timestamp: expect.any(Number),
    })
    expect(await ask('DELETE', 'subscription', bob)).toMatchObject(done)
    expect((await ask('GET', 'subscribed', bob)).body).toBe(false)
    expect(
      (await ask('POST', 'subscription', { conv_id: await make('conversations'), client_id: 'bob' })).body.code,
    ).toBe(4313)
  })

  it('returns the number of subscribers to the Android SDK, with the application key', async () => {
    const conv_id = await make('service-conversations')
    await ask('POST', 'subscription', { conv_id, client_id: 'bob' })
    const read = (query: Record<string, string>) => app.request('GET', '/1.1/rtm/conversation/subscribed', { query })
    expect(await read({ conv_id })).toMatchObject({ status: 200, body: { count: 1 } })
    expect((await read({ conv_id, client_id: 'bob' })).status).toBe(401)
  })

  it.each(['conversations', 'chatrooms', 'service-conversations'])('silences for a time in %s', async (root) => {
    const conv_id = await make(root)
    const body = { conv_id, client_id: 'bob', ttl: 60 }
    const silent = async () =>
      (await app.sql('SELECT FROM "$silences" WHERE conv_id = $1 AND client_id = $2', [conv_id, 'bob'])).rows.length
    expect(await send('POST', '/1.1/rtm/conversation/blacklist', body)).toMatchObject(done)
    expect(await silent()).toBe(1)
    expect(await ask('DELETE', 'blacklist', { conv_id, client_id: 'bob' })).toMatchObject(done)
    expect(await silent()).toBe(0)
    expect(await send('POST', '/1.1/rtm/conversation/blacklist', { ...body, ttl: 86_401 })).toMatchObject(
      refusal(1, "'ttl' must be 1 to 86400 seconds"),
    )
  })
})

interface Subscription {
  readonly subscriber: string
}

describe('POST /1.1/rtm/client/kick', () => {
  it('logs a client out', async () => {
    const kicked = await listen('kicked')
    expect(await send('POST', '/1.1/rtm/client/kick', { client_id: 'kicked', reason: 'bye' })).toMatchObject(done)
    await kicked.waitFor({ cmd: 'session', op: 'closed', code: 4115, reason: 'bye' })
    expect(await send('POST', '/1.1/rtm/client/kick', {})).toMatchObject(refusal(1, "'client_id' is missing"))
  })
})

describe('broadcasts', () => {
  const cast = async (conv_id: string, message: string, others: object = {}, path = '') =>
    (await send('POST', `/1.1/rtm/broadcast${path}`, { from_peer: 'editor', conv_id, message, ...others })).body.result

  it('to everyone are listed while valid, and can be deleted', async () => {
    const conv_id = await make('service-conversations')
    const first = await cast(conv_id, 'one')
    await cast(conv_id, 'expired', { valid_till: 1 })
    await cast(conv_id, 'subscribers', {}, '/subscriber')
    await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(first.timestamp), { interval: 1 })
    await cast(conv_id, 'two')
    for (const path of ['/1.1/rtm/broadcast', '/1.2/rtm/broadcasts']) {
      expect(textsOf((await send('GET', path, undefined, { conv_id })).body)).toEqual(['two', 'one'])
      expect(textsOf((await send('GET', path, undefined, { conv_id, skip: '1', limit: '1' })).body)).toEqual(['one'])
    }
    expect(await send('DELETE', '/1.1/rtm/broadcast', undefined, { mid: first['msg-id'] })).toMatchObject(done)
    expect(textsOf((await send('GET', '/1.1/rtm/broadcast', undefined, { conv_id })).body)).toEqual(['two'])
    expect(await send('GET', '/1.1/rtm/broadcast')).toMatchObject(refusal(1, "'conv_id' is missing"))
  })

  it('to subscribers reach only them', async () => {
    const conv_id = await make('service-conversations')
    const [fan, other] = [await listen('fan'), await listen('other')]
    await send('POST', '/1.1/rtm/conversation/subscription', { conv_id, client_id: 'fan' })
    await cast(conv_id, 'news', {}, '/subscriber')
    await cast(conv_id, 'for all')
    await other.waitFor({ cmd: 'direct', msg: 'for all' })
    await fan.waitFor({ cmd: 'direct', msg: 'for all' })
    expect(fan.texts()).toContain('news')
    expect(other.texts()).not.toContain('news')
  })

  it('that are transient reach online clients, and are not stored', async () => {
    const conv_id = await make('service-conversations')
    const here = await listen('there')
    await cast(conv_id, 'now', { transient: true })
    await here.waitFor({ cmd: 'direct', msg: 'now', transient: true })
    expect((await send('GET', '/1.1/rtm/broadcast', undefined, { conv_id })).body).toEqual([])
    expect((await history({ convid: conv_id })).body).toEqual([])
  })
})
