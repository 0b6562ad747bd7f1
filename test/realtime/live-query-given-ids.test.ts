import { once } from 'node:events'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import type { GenericCommand } from '../../src/realtime-protocol/schema.ts'
import { makeApp } from '../support/app.ts'
import { connect, type RawConnection } from '../support/raw-connection.ts'

const app = await makeApp()
let count = 0
let className = ''
let user = { id: '', session: '' }

beforeEach(async () => {
  className = `Class${++count}`
  user = await app.makeUser(`user ${count}`)
})

const isData = ({ cmd }: GenericCommand) => cmd === 'data'
const isId = /^lq-[\w-]{22}-[\w-]{43}$/

interface Subscription {
  readonly id: string
  readonly query_id: string
}

/** @param body members in addition to the query */
async function subscribe(body: object, { session = '', where = {} } = {}): Promise<Subscription> {
  const options = { body: { query: { className, where }, ...body }, ...(session && { session }) }
  const reply = await app.request('POST', '/1.1/LiveQuery/subscribe', options)
  expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 200, body: { query_id: expect.any(String) } })
  return reply.body
}

async function loggedIn(id: string): Promise<RawConnection> {
  const connection = await connect(app)
  const login: GenericCommand = { cmd: 'login', appId: app.appId, installationId: id, service: 1 }
  expect(await connection.request(login)).toMatchObject({ cmd: 'loggedin', installationId: id })
  return connection
}

const save = (fields: object) => app.request('POST', `/1.1/classes/${className}`, { master: true, body: fields })
const secret = (n: number) => save({ n, ACL: { [user.id]: { read: true } } })
const ping = (body: object) => app.request('POST', '/1.1/LiveQuery/subscribe/ping', { body })
const age = (id: string) =>
  app.sql(`UPDATE "$live_subscribers" SET seen_at = now() - interval '9 minutes' WHERE id = $1`, [id])
const secondsAway = async (id: string) =>
  (
    await app.sql('SELECT extract(epoch FROM now() - seen_at)::int AS away FROM "$live_subscribers" WHERE id = $1', [
      id,
    ])
  ).rows[0]?.away
const stored = async (id: string) =>
  (await app.sql('SELECT id FROM "$live_queries" WHERE subscriber_id = $1', [id])).rowCount

/** Returns the next event of the queries of a connection. */
async function event(connection: RawConnection) {
  const { dataMessage } = await connection.take(isData)
  return JSON.parse(dataMessage!.msg![0]!.data)
}

describe('subscribing', () => {
  it.each([
    ['without an id', {}],
    ['with null as id', { id: null }],
    ['with a query id that the client knows, and no id', { query: { className: 'Known', where: {}, queryId: null } }],
  ])('%s returns a new id each time', async (_, body) => {
    const subscriptions = await Promise.all([subscribe(body), subscribe(body), subscribe(body, user)])
    for (const { id } of subscriptions) expect(id).toMatch(isId)
    expect(new Set(subscriptions.map(({ id }) => id)).size).toBe(3)
    expect(new Set(subscriptions.map(({ query_id }) => query_id)).size).toBe(3)
  })

  it('with an id returns the same id and query id', async () => {
    const own = await subscribe({ id: 'chosen by the client' })
    expect(own.id).toBe('chosen by the client')
    const { id, query_id } = await subscribe({}, user)
    expect(await subscribe({ id }, user)).toEqual({ id, query_id })
    expect(await subscribe({ id }, { ...user, where: { n: 1 } })).toMatchObject({ id })
    expect(await subscribe({ id })).toMatchObject({ id })
  })

  it.each<unknown>(['', 7, true, {}, [], 'x'.repeat(129)])('rejects %j as id', async (id) => {
    const reply = await app.request('POST', '/1.1/LiveQuery/subscribe', { body: { id, query: { className } } })
    expect(reply).toMatchObject({ status: 400, body: { code: 1, error: expect.stringContaining("'id'") } })
  })

  it('with the id of another user returns a new one', async () => {
    const other = await app.makeUser(`other ${count}`)
    const before = await subscribe({}, other)
    const after = await subscribe({ id: before.id }, user)
    expect(after.id).toMatch(isId)
    expect(after.id).not.toBe(before.id)
    const [left, own] = [await loggedIn(before.id), await loggedIn(after.id)]
    await secret(1)
    await save({ n: 2 })
    expect([(await event(own)).object.n, (await event(own)).object.n]).toEqual([1, 2])
    expect((await event(left)).object.n).toBe(2)
    expect(left.received.filter(isData)).toHaveLength(1)
  })

  it('with an id created before the login keeps it', async () => {
    const { id } = await subscribe({})
    expect(await subscribe({ id }, user)).toMatchObject({ id })
    const connection = await loggedIn(id)
    await secret(1)
    expect(await event(connection)).toMatchObject({ object: { n: 1 } })
  })

  it('without ids counts against the limit per subscriber, and leaves nothing of a rejected query', async () => {
    const stored = async () => (await app.sql('SELECT id FROM "$live_subscribers"')).rowCount
    const before = await stored()
    for (const query of [null, {}, { className: '1' }, { className, where: { n: { $near: 1 } } }])
      expect((await app.request('POST', '/1.1/LiveQuery/subscribe', { body: { query } })).status).toBe(400)
    expect(await stored()).toBe(before)
  })
})

describe('a client that subscribes before it logs in, with the returned id,', () => {
  it('gets events its user can read', async () => {
    const { id, query_id } = await subscribe({}, user)
    const connection = await loggedIn(id)
    await secret(1)
    expect(await event(connection)).toMatchObject({ op: 'create', query_id, object: { n: 1 } })
  })

  it('gets events its user can read when the session is in the body', async () => {
    const { id, query_id } = await subscribe({ id: null, sessionToken: user.session })
    const connection = await loggedIn(id)
    await secret(1)
    expect(await event(connection)).toMatchObject({ query_id, object: { n: 1 } })
  })

  it('gets them after a page reload and after a reconnect', async () => {
    const { id, query_id } = await subscribe({}, user)
    const before = await loggedIn(id)
    before.drop()
    expect(await subscribe({ id }, user)).toEqual({ id, query_id })
    const after = await loggedIn(id)
    await secret(1)
    expect(await event(after)).toMatchObject({ query_id, object: { n: 1 } })
    after.drop()
    const again = await loggedIn(id)
    await secret(2)
    expect(await event(again)).toMatchObject({ query_id, object: { n: 2 } })
  })

  it('gets no further events once the session has ended', async () => {
    const { id } = await subscribe({}, user)
    const connection = await loggedIn(id)
    await app.request('PUT', `/1.1/users/${user.id}/refreshSessionToken`, { session: user.session })
    expect(await stored(id)).toBe(0)
    await subscribe({ id })
    await secret(1)
    await save({ n: 2 })
    expect(await event(connection)).toMatchObject({ object: { n: 2 } })
  })

  it('keeps its subscriptions when its last connection logs out meanwhile', async () => {
    const { id, query_id } = await subscribe({}, user)
    const connection = await loggedIn(id)
    await subscribe({ id }, { ...user, where: { n: 1 } })
    await connection.request({ cmd: 'logout', installationId: id, service: 1 })
    await connection.request({ cmd: 'login', installationId: id, service: 1 })
    await secret(2)
    expect(await event(connection)).toMatchObject({ query_id, object: { n: 2 } })
    for (const one of [query_id, (await subscribe({ id }, { ...user, where: { n: 1 } })).query_id])
      expect((await app.request('POST', '/1.1/LiveQuery/unsubscribe', { body: { id, query_id: one } })).status).toBe(
        200,
      )
    expect(await stored(id)).toBe(0)
  })

  it('works over JSON, with a second query on the same connection', async () => {
    const socket = new WebSocket(app.url.replace('http', 'ws'), 'lc.json.3')
    onTestFinished(() => socket.terminate())
    await once(socket, 'open')
    const { id, query_id } = await subscribe({ id: null, sessionToken: user.session })
    const frames: Record<string, unknown>[] = []
    socket.on('message', (frame) => void frames.push(JSON.parse(String(frame))))
    socket.send(JSON.stringify({ cmd: 'login', appId: app.appId, installationId: id, service: 1, i: 1 }))
    await expect.poll(() => frames).toEqual([{ cmd: 'loggedin', i: 1, service: 1, installationId: id }])
    const second = await subscribe({ id, sessionToken: user.session }, { where: { n: 2 } })
    expect(second.id).toBe(id)
    await secret(2)
    await expect.poll(() => frames).toHaveLength(2)
    const ids = (frames[1]!.msg as { query_id: string }[]).map((one) => one.query_id)
    expect(ids.sort()).toEqual([query_id, second.query_id].sort())
    socket.send(JSON.stringify({ cmd: 'ack', appId: app.appId, installationId: id, service: 1, ids: frames[1]!.ids }))
    socket.send('{}')
    await expect.poll(() => frames.at(-1)).toEqual({})
  })
})

describe('ping', () => {
  it.each([
    ['made by the server', {}],
    ['chosen by the client', { id: 'a pinging client' }],
  ])('renews a subscription under an id %s', async (_, body) => {
    const { id, query_id } = await subscribe(body)
    await age(id)
    expect(await secondsAway(id)).toBeGreaterThan(500)
    expect(await ping({ id, query_id })).toMatchObject({ status: 200, body: {} })
    expect(await secondsAway(id)).toBeLessThan(500)
  })

  it('gets 404 for an unknown subscription, and creates none', async () => {
    const { id, query_id } = await subscribe({})
    const other = await subscribe({})
    await age(id)
    for (const body of [
      { id, query_id: other.query_id },
      { id: other.id, query_id },
      { id, query_id: 'no id of ours' },
      { id: 'unknown', query_id },
    ])
      expect(await ping(body)).toMatchObject({ status: 404, body: { code: 1 } })
    expect(await secondsAway(id)).toBeGreaterThan(500)
    expect(await stored('unknown')).toBe(0)
    await app.request('POST', '/1.1/LiveQuery/unsubscribe', { body: { id, query_id } })
    expect((await ping({ id, query_id })).status).toBe(404)
  })

  it.each([{}, { id: 'a' }, { query_id: 'a' }, { id: 7, query_id: 'a' }, { id: 'a', query_id: 7 }, []])(
    'rejects %j',
    async (body) => {
      expect((await ping(body)).status).toBe(400)
    },
  )
})

it.each(['', '/', '/:id'])('unsubscribing at /1.1/LiveQuery/unsubscribe%s ends the subscription', async (path) => {
  const { id, query_id } = await subscribe({})
  const other = await subscribe({})
  const to = `/1.1/LiveQuery/unsubscribe${path.replace(':id', id)}`
  expect(await app.request('POST', to, { body: { id: other.id, query_id } })).toMatchObject({ status: 200 })
  expect(await stored(id)).toBe(1)
  expect(await app.request('POST', to, { body: { id, query_id } })).toMatchObject({ status: 200, body: {} })
  expect(await stored(id)).toBe(0)
})
