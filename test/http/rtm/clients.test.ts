import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeApp } from '../../support/app.ts'
import { useEngine } from '../../support/engine-process.ts'
import { json, standInEngine } from '../../support/stand-in-engine.ts'

const app = await makeApp()

const send = (method: string, path: string, body?: object, query: Record<string, string> = {}) =>
  app.request(method, `/1.2/rtm/${path}`, { master: true, query, ...(body && { body }) })
const make = async (root: string, body: object = {}): Promise<string> => (await send('POST', root, body)).body.objectId
const refusal = (code: number, error: string, status = 400) => ({
  status,
  body: { code, error: expect.stringContaining(error) },
})
const done = { status: 200, body: {} }

describe('check-online', () => {
  it('omits offline clients, known or not', async () => {
    const answer = await send('POST', 'clients/check-online', { client_ids: ['ann', 'nobody'] })
    expect(answer).toMatchObject({ status: 200, body: { results: [] } })
  })

  it.each([
    [{}, "'client_ids' is missing"],
    [{ client_ids: Array.from({ length: 21 }, String) }, "'client_ids' may name 20 clients"],
    [{ client_ids: [7] }, "'client_ids' must be a list of client ids"],
  ])('rejects %j', async (body, text) => {
    expect(await send('POST', 'clients/check-online', body)).toMatchObject(refusal(1, text))
  })
})

describe('unread-count', () => {
  it('returns counts with the application key, for one conversation or all', async () => {
    const ids = await Promise.all([1, 2].map(() => make('conversations', { m: ['reader', 'writer'] })))
    for (const id of [ids[0], ids[1], ids[1]])
      await send('POST', `conversations/${id}/messages`, { from_client: 'writer', message: 'x' })
    const count = async (clientId: string, query: Record<string, string> = {}) =>
      (await app.request('GET', `/1.2/rtm/clients/${clientId}/unread-count`, { query })).body
    expect(await count('reader')).toEqual({ count: 3 })
    expect(await count('reader', { conv_id: ids[1]! })).toEqual({ count: 2 })
    expect(await count('writer')).toEqual({ count: 0 })
    expect(await count('reader', { conv_id: '555555555555555555555555' })).toEqual({ count: 0 })
  })
})

describe('kick', () => {
  it('invalidates the earlier tokens of the client', async () => {
    const before = Date.now()
    expect(await send('POST', 'clients/kicked/kick', { reason: 'x'.repeat(20) })).toMatchObject(done)
    expect(await send('POST', 'clients/kicked/kick')).toMatchObject(done)
    const { rows } = await app.sql('SELECT ts::float8 AS ts FROM "$kicks" WHERE client_id = $1', ['kicked'])
    expect(rows[0].ts).toBeGreaterThanOrEqual(before)
  })

  it.each([
    [{ reason: 'x'.repeat(21) }, "'reason' must have at most 20 characters"],
    [{ reason: 5 }, "'reason' must be a text"],
  ])('rejects %j', async (body, text) => {
    expect(await send('POST', 'clients/ann/kick', body)).toMatchObject(refusal(1, text))
  })
})

describe('service-conversations of a client', () => {
  let subscribed: { conv_id: string; timestamp: number; subscriber: string }[]

  beforeAll(async () => {
    for (const _ of [1, 2, 3]) {
      const id = await make('service-conversations')
      await send('POST', `service-conversations/${id}/subscribers`, { client_id: 'fan' })
    }
    subscribed = (await send('GET', 'clients/fan/service-conversations')).body
  })

  const list = async (query: Record<string, string>) =>
    (await send('GET', 'clients/fan/service-conversations', undefined, query)).body

  it('are listed in both orders, and after a given one', async () => {
    expect(subscribed).toHaveLength(3)
    expect(subscribed[0]).toEqual({ conv_id: expect.any(String), subscriber: 'fan', timestamp: expect.any(Number) })
    expect(subscribed).toEqual(subscribed.toSorted((a, b) => a.timestamp - b.timestamp))
    expect(await list({ direction: 'new' })).toEqual(subscribed)
    expect(await list({ direction: 'old' })).toEqual(subscribed.toReversed())
    expect(await list({ limit: '2' })).toEqual(subscribed.slice(0, 2))
    const middle = { conv_id: subscribed[1]!.conv_id, timestamp: String(subscribed[1]!.timestamp) }
    expect(await list(middle)).toEqual(subscribed.slice(2))
    expect(await list({ ...middle, direction: 'old' })).toEqual(subscribed.slice(0, 1))
  })

  it('have pages of 50', async () => {
    await app.sql(
      `INSERT INTO "$subscriptions" (conv_id, client_id, since_ts) SELECT 'c' || n, 'addict', n FROM generate_series(1, 60) AS n`,
    )
    expect((await send('GET', 'clients/addict/service-conversations')).body).toHaveLength(50)
  })

  it('a cursor requires its time, and a direction is old or new', async () => {
    const conv_id = subscribed[0]!.conv_id
    expect(await send('GET', 'clients/fan/service-conversations', undefined, { conv_id })).toMatchObject(
      refusal(1, "'timestamp' is missing"),
    )
    expect(
      await send('GET', 'clients/fan/service-conversations', undefined, { conv_id, timestamp: '1' }),
    ).toMatchObject(refusal(1, "'timestamp' must be that of the subscription"))
    expect(await send('GET', 'clients/fan/service-conversations', undefined, { direction: 'up' })).toMatchObject(
      refusal(1, "'direction' must be 'old'"),
    )
  })
})

describe('blacklists of a client', () => {
  it.each(['conversations', 'chatrooms', 'service-conversations'])('block %s', async (root) => {
    const client = `hermit of ${root}`
    const place = `clients/${encodeURIComponent(client)}/blacklists`
    const id = await make(root, root === 'conversations' ? { m: [client, 'ann'] } : {})
    expect(await send('POST', place, { conv_id: id })).toMatchObject(done)
    expect(await send('GET', place)).toMatchObject({ status: 200, body: { conv_ids: [id] } })
    if (root === 'conversations') {
      expect((await send('GET', `conversations/${id}/members`)).body.result).toEqual(['ann'])
      const add = () => send('POST', `conversations/${id}/members`, { client_ids: [client] })
      expect(await add()).toMatchObject(refusal(4548, 'BLOCKED_BY_CONV'))
    }
    expect(await send('DELETE', place, { conv_id: id })).toMatchObject(done)
    expect((await send('GET', place)).body).toEqual({ conv_ids: [] })
  })

  it('are listed by pages of 10', async () => {
    await app.sql(
      `INSERT INTO "$client_blocks" (client_id, conv_id) SELECT 'loner', 'c' || n FROM generate_series(10, 21) AS n`,
    )
    const first = (await send('GET', 'clients/loner/blacklists')).body
    expect(first).toEqual({ conv_ids: expect.any(Array), next: expect.any(String) })
    expect(first.conv_ids).toHaveLength(10)
    const second = (await send('GET', 'clients/loner/blacklists', undefined, { next: first.next })).body
    expect(second).toEqual({ conv_ids: ['c20', 'c21'] })
    expect((await send('GET', 'clients/loner/blacklists', undefined, { limit: '2' })).body.conv_ids).toHaveLength(2)
  })

  it('require a conversation id', async () => {
    for (const method of ['POST', 'DELETE'])
      expect(await send(method, 'clients/ann/blacklists', {})).toMatchObject(refusal(1, "'conv_id' is missing"))
    const unknown = { conv_id: '555555555555555555555555' }
    expect(await send('POST', 'clients/ann/blacklists', unknown)).toMatchObject(refusal(4303, 'NOT_FOUND', 404))
    expect(await send('DELETE', 'clients/ann/blacklists', undefined, unknown)).toMatchObject(done)
  })
})

describe('sign', () => {
  const set = (loginSignature: boolean) => app.admin('PATCH', '/settings', { messaging: { loginSignature } })
  const sign = (query: Record<string, string>, headers: Record<string, string> = {}) =>
    app.request('GET', '/1.2/rtm/clients/sign', { query, headers })
  afterAll(() => set(false))

  it('is off until the app enables it', async () => {
    const { session } = await app.makeUser('early')
    expect(await sign({ session_token: session })).toMatchObject(refusal(403, "'messaging.loginSignature'", 403))
  })

  it('returns a login signature for a user with the application key, a new one each time', async () => {
    await set(true)
    const { id, session } = await app.makeUser('signer')
    const [first, second] = [await sign({ session_token: session }), await sign({ session_token: session })]
    expect(first!.status).toBe(200)
    const { signature, nonce, client_id, timestamp } = first!.body
    expect(client_id).toBe(id)
    expect(Math.abs(timestamp - Date.now())).toBeLessThan(60_000)
    const signed = createHmac('sha1', app.masterKey).update(`${app.appId}:${id}::${timestamp}:${nonce}`).digest('hex')
    expect(signature).toBe(signed)
    expect(second!.body.signature).not.toBe(signature)
    expect(second!.body.nonce).not.toBe(nonce)
  })

  it('can be rejected by the engine that the request selects', async () => {
    const [production, staging] = [await standInEngine(), await standInEngine()]
    for (const engine of [production, staging])
      engine.functions.set('_rtmClientSign', json({ result: engine === staging }))
    await useEngine(app, { production: production.url, staging: staging.url })
    const { session } = await app.makeUser('staged')
    expect(await sign({ session_token: session })).toMatchObject({ status: 403, body: { code: 403 } })
    expect(await sign({ session_token: session }, { 'x-lc-prod': '1' })).toMatchObject({ status: 403 })
    expect(await sign({ session_token: session }, { 'x-lc-prod': '0' })).toMatchObject({ status: 200 })
    const body = { session_token: session }
    const old = (prod: string) => app.request('POST', '/1.1/rtm/sign', { body, headers: { 'x-lc-prod': prod } })
    expect([(await old('1')).status, (await old('0')).status]).toEqual([403, 200])
    expect([production.calls.length, staging.calls.length]).toEqual([3, 2])
    await useEngine(app, { production: null, staging: null })
  })

  it('an unknown token gets 211, a missing one code 1', async () => {
    await set(true)
    expect(await sign({ session_token: 'nobody' })).toMatchObject(refusal(211, 'Could not find user.'))
    expect(await sign({})).toMatchObject(refusal(1, "'session_token' is missing"))
  })
})

describe('app-wide', () => {
  it('stats count clients online now and today', async () => {
    // Midnight can pass before they are counted.
    await app.sql(`INSERT INTO "$daily_clients" (day, client_id)
      SELECT current_date + days, client_id FROM generate_series(0, 1) AS days, unnest(ARRAY['ann', 'bob']) AS client_id
      UNION ALL SELECT current_date - 1, 'cid'`)
    expect(await send('GET', 'stats')).toMatchObject({
      status: 200,
      body: { result: { online_user_count: 0, user_count_today: 2 } },
    })
  })

  it('all-conversations lists conversations of all kinds, by condition and in pages', async () => {
    for (const root of ['conversations', 'chatrooms', 'service-conversations']) await make(root, { set: 'all', root })
    const list = async (query: Record<string, string>) =>
      (await send('GET', 'all-conversations', undefined, { where: '{"set":"all"}', ...query })).body.results.map(
        ({ root }: { root: string }) => root,
      )
    expect(await list({})).toEqual(['conversations', 'chatrooms', 'service-conversations'])
    expect(await list({ skip: '1', limit: '1' })).toEqual(['chatrooms'])
  })
})
