import { afterAll, describe, expect, it, vi } from 'vitest'
import { makeApp } from '../support/app.ts'
import { type LiveSdk, listen, loadLiveSdk, type ReceivedEvent } from '../support/live-query.ts'

const app = await makeApp()
// Three devices: one user, another user, and an anonymous client.
const [alice, bob, stranger] = [loadLiveSdk(app), loadLiveSdk(app), loadLiveSdk(app)]
const [aliceUser, bobUser] = [await app.makeUser('alice'), await app.makeUser('bob')]
await alice.User.become(aliceUser.session)
await bob.User.become(bobUser.session)

vi.spyOn(console, 'warn').mockReturnValue(undefined)
afterAll(() => void vi.restoreAllMocks())
const ends: (() => Promise<unknown>)[] = []
afterAll(async () => void (await Promise.allSettled(ends.map((end) => end()))))

const SOON = { timeout: 60_000, interval: 10 }
const ops = (heard: readonly ReceivedEvent[]) => heard.map(({ op }) => op)
const told = (heard: readonly ReceivedEvent[], wanted: readonly string[]) =>
  vi.waitFor(() => expect(ops(heard)).toEqual(wanted), SOON)

async function subscribe(sdk: LiveSdk, className: string, narrow: (query: AnyQuery) => unknown = () => {}) {
  const query = new sdk.Query(className)
  narrow(query)
  const liveQuery = await query.subscribe()
  ends.push(() => liveQuery.unsubscribe())
  return { liveQuery, heard: listen(liveQuery) }
}
type AnyQuery = InstanceType<LiveSdk['Query']>

async function save(className: string, fields: object): Promise<string> {
  const { body } = await app.request('POST', `/1.1/classes/${className}`, { master: true, body: fields })
  return body.objectId
}
const change = (className: string, id: string, fields: object) =>
  app.request('PUT', `/1.1/classes/${className}/${id}`, { master: true, body: fields })
const remove = (className: string, id: string) =>
  app.request('DELETE', `/1.1/classes/${className}/${id}`, { master: true })

describe('changes of objects', () => {
  it('are sent in order, from the first save to the deletion', async () => {
    const { heard } = await subscribe(alice, 'Todo', (query) => query.equalTo('state', 'open'))
    const id = await save('Todo', {
      state: 'open',
      title: 'one',
      due: { __type: 'Date', iso: '2030-01-01T00:00:00.000Z' },
    })
    await change('Todo', id, { title: 'two' })
    await change('Todo', id, { state: 'done' })
    await change('Todo', id, { title: 'three' })
    await change('Todo', id, { state: 'open', priority: 1 })
    await remove('Todo', id)
    await told(heard, ['create', 'update', 'leave', 'enter', 'delete'])
    expect(heard.map((one) => one.id)).toEqual(Array(5).fill(id))
    expect(heard.map(({ updatedKeys }) => updatedKeys)).toEqual([
      undefined,
      ['title'],
      ['state'],
      ['state', 'priority'],
      undefined,
    ])
    expect(heard.map(({ fields }) => fields.title)).toEqual(['one', 'two', 'two', 'three', 'three'])
    expect(heard[2]!.fields.state).toBe('done')
  })

  it('are sent only to subscribers whose condition holds', async () => {
    const one = await subscribe(alice, 'Score', (query) => query.greaterThan('points', 10))
    const two = await subscribe(bob, 'Score', (query) => query.containedIn('player', ['ann', 'ben']))
    const all = await subscribe(stranger, 'Score')
    await save('Score', { player: 'ann', points: 5 })
    await save('Score', { player: 'cid', points: 20 })
    await save('Score', { player: 'ben', points: 30 })
    await told(all.heard, ['create', 'create', 'create'])
    await told(one.heard, ['create', 'create'])
    expect(one.heard.map(({ fields }) => fields.player)).toEqual(['cid', 'ben'])
    await told(two.heard, ['create', 'create'])
    expect(two.heard.map(({ fields }) => fields.player)).toEqual(['ann', 'ben'])
  })
})

describe('permissions', () => {
  it('only subscribers with read access are notified', async () => {
    const [one, two, three] = await Promise.all([alice, bob, stranger].map((sdk) => subscribe(sdk, 'Letter')))
    const id = await save('Letter', { n: 1, ACL: { [aliceUser.id]: { read: true } } })
    await save('Letter', { n: 2 })
    for (const { heard } of [two!, three!]) await told(heard, ['create'])
    expect([two!.heard[0]!.fields.n, three!.heard[0]!.fields.n]).toEqual([2, 2])
    await told(one!.heard, ['create', 'create'])
    expect(one!.heard[0]).toMatchObject({ id, fields: { n: 1 } })
  })

  it('roles apply as of that moment', async () => {
    const { heard } = await subscribe(bob, 'Minutes')
    const acl = { 'role:board': { read: true } }
    const { body: role } = await app.request('POST', '/1.1/roles', { master: true, body: { name: 'board', ACL: {} } })
    await save('Minutes', { n: 'before', ACL: acl })
    // Events are sent in order and asynchronously: once the second arrives, the first has been processed.
    await save('Minutes', { n: 'open to all' })
    await told(heard, ['create'])
    const member = { __type: 'Pointer', className: '_User', objectId: bobUser.id }
    const users = { __op: 'AddRelation', objects: [member] }
    await app.request('PUT', `/1.1/roles/${role.objectId}`, { master: true, body: { users } })
    await save('Minutes', { n: 'after', ACL: acl })
    await told(heard, ['create', 'create'])
    expect(heard.map(({ fields }) => fields.n)).toEqual(['open to all', 'after'])
  })

  it('an object enters when it becomes readable, and leaves without its content when it no longer is', async () => {
    const { heard } = await subscribe(bob, 'Draft')
    const id = await save('Draft', { text: 'early', ACL: {} })
    await change('Draft', id, { text: 'shown', ACL: { '*': { read: true } } })
    await change('Draft', id, { text: 'secret', ACL: {} })
    await change('Draft', id, { text: 'more' })
    await save('Draft', { text: 'end' })
    await told(heard, ['enter', 'leave', 'create'])
    expect(heard[0]!.fields.text).toBe('shown')
    expect(heard[1]).toMatchObject({ id, updatedKeys: ['ACL'] })
    expect(heard[1]!.fields.text).toBeUndefined()
  })

  it('a class closed to the user cannot be subscribed to', async () => {
    await expect(subscribe(alice, '_User')).rejects.toMatchObject({ code: 403 })
  })

  it('a class closed later sends no events until it is open again', async () => {
    const { heard } = await subscribe(alice, 'Shop')
    for (const [n, find] of ['public', 'master', 'users'].entries()) {
      await app.request('PUT', `/1.1/classes/Shop/${await save('Shop', { n })}`, { master: true, body: { n: n + 10 } })
      await app.admin('PATCH', '/classes/Shop', { permissions: { find } })
    }
    await save('Shop', { n: 3 })
    const seen = () => heard.map(({ fields }) => fields.n)
    await vi.waitFor(() => expect(seen()).toContain(3), SOON)
    expect(seen()).toEqual([0, 10, 1, 11, 3])
  })

  it('fields private to a user are sent only to that user', async () => {
    await app.admin('PATCH', '/classes/_User', { permissions: { find: 'public' } })
    const [one, two] = [await subscribe(alice, '_User'), await subscribe(bob, '_User')]
    const authData = JSON.stringify({ authData: { weixin: { openid: 'secret' } } })
    await app.sql('UPDATE "_User" SET data = data || $1::jsonb WHERE id = $2', [authData, aliceUser.id])
    const body = { motto: 'x', ACL: { '*': { read: true } } }
    const reply = await app.request('PUT', `/1.1/users/${aliceUser.id}`, { master: true, body })
    expect(reply.status, JSON.stringify(reply.body)).toBe(200)
    for (const { heard } of [one, two]) {
      await vi.waitFor(() => expect(ops(heard)).toContain('update'), SOON)
      expect(heard.at(-1)!.updatedKeys).toContain('motto')
    }
    expect(JSON.stringify(one.heard)).toContain('secret')
    expect(JSON.stringify(two.heard)).not.toContain('secret')
    for (const { liveQuery } of [one, two]) await liveQuery.unsubscribe()
  })

  it('a login notifies subscribers of users, when the class is open', async () => {
    await app.admin('PATCH', '/classes/_User', { permissions: { find: 'public' } })
    const { heard } = await subscribe(stranger, '_User', (query) => query.equalTo('username', 'bob'))
    for (const username of ['alice', 'bob']) {
      const body = { username, password: `password of ${username}` }
      expect((await app.request('POST', '/1.1/login', { body })).status).toBe(200)
    }
    await told(heard, ['login'])
    expect(heard[0]).toMatchObject({ id: bobUser.id, updatedKeys: undefined, fields: { username: 'bob' } })
    expect(JSON.stringify(heard)).not.toContain('sessionToken')
    await app.request('PUT', `/1.1/users/${bobUser.id}`, {
      master: true,
      body: { ACL: { [bobUser.id]: { read: true } } },
    })
    await told(heard, ['login', 'leave'])
    const own = await subscribe(bob, '_User', (query) => query.equalTo('username', 'bob'))
    await app.request('POST', '/1.1/login', { body: { username: 'bob', password: 'password of bob' } })
    await told(own.heard, ['login'])
    expect(ops(heard)).toEqual(['login', 'leave'])
  })
})

describe('a subscription', () => {
  it('has the same id for the same query, and another for another condition or user', async () => {
    const body = { id: 'someone', query: { className: 'Same', where: { a: 1, b: 2 } } }
    const text = { id: 'someone', query: { className: 'Same', where: '{"b":2,"a":1}', keys: 'a', limit: 3 } }
    const ask = async (asked: object, session?: string) =>
      (await app.request('POST', '/1.1/LiveQuery/subscribe', { body: asked, ...(session && { session }) })).body
        .query_id
    const first = await ask(body)
    expect(first).toMatch(/^[0-9a-f]{32}$/)
    expect(await ask(text)).toBe(first)
    const others = [
      await ask({ ...body, id: 'other' }),
      await ask({ ...body, query: { className: 'Same', where: { a: 1 } } }),
      await ask({ ...body, query: { className: 'Other', where: { a: 1, b: 2 } } }),
      await ask(body, aliceUser.session),
    ]
    expect(new Set([first, ...others]).size).toBe(5)
    expect(await ask({ ...body, sessionToken: aliceUser.session })).toBe(others[3])
  })

  it('ends when unsubscribed; others of the same client continue', async () => {
    const one = await subscribe(alice, 'Feed', (query) => query.equalTo('n', 1))
    const two = await subscribe(alice, 'Feed')
    await one.liveQuery.unsubscribe()
    await save('Feed', { n: 1 })
    await told(two.heard, ['create'])
    expect(one.heard).toEqual([])
    const rows = await app.sql('SELECT id FROM "$live_queries" WHERE class_name = $1', ['Feed'])
    expect(rows.rowCount).toBe(1)
  })

  it('continues when the client reconnects', async () => {
    const [away, witness] = [await subscribe(stranger, 'Away'), await subscribe(alice, 'Away')]
    const numbers = ({ heard }: typeof away) => heard.map(({ fields }) => fields.n)
    stranger.LiveQuery.pause()
    await save('Away', { n: 1 })
    // Events are sent concurrently with the response; by now all subscribers have received it.
    await vi.waitFor(() => expect(numbers(witness)).toEqual([1]), SOON)
    stranger.LiveQuery.resume()
    await vi.waitFor(
      async () => {
        await save('Away', { n: 2 })
        expect(numbers(away)).toContain(2)
      },
      { timeout: 60_000, interval: 100 },
    )
    expect(numbers(away)).not.toContain(1)
  })

  it('ends with all others of a client when the client logs out', async () => {
    const guest = loadLiveSdk(app)
    const { liveQuery } = await subscribe(guest, 'Leaving')
    const { rows } = await app.sql('SELECT subscriber_id FROM "$live_queries" WHERE class_name = $1', ['Leaving'])
    await liveQuery.unsubscribe()
    const left = () => app.sql('SELECT id FROM "$live_subscribers" WHERE id = $1', [rows[0].subscriber_id])
    await expect.poll(async () => (await left()).rowCount).toBe(0)
  })
})

const nested = (depth: number) => `${'{"$and":['.repeat(depth)}{}${']}'.repeat(depth)}`

describe('subscribing is rejected', () => {
  it.each<[string, unknown, number]>([
    ['nothing', undefined, 107],
    ['no object', '[1]', 107],
    ['a number as id', { id: 1, query: { className: 'A' } }, 1],
    ['an empty id', { id: '', query: { className: 'A' } }, 1],
    ['a long id', { id: 'x'.repeat(129), query: { className: 'A' } }, 1],
    ['an id that cannot be stored', { id: 'a\u0000', query: { className: 'A' } }, 107],
    ['no query', { id: 'a' }, 107],
    ['no class', { id: 'a', query: {} }, 103],
    ['a class with a wrong name', { id: 'a', query: { className: '1"' } }, 103],
    ['a text that is no JSON', { id: 'a', query: { className: 'A', where: '{' } }, 107],
    ['a condition that is none', { id: 'a', query: { className: 'A', where: 3 } }, 102],
    ['an unknown operator', { id: 'a', query: { className: 'A', where: { a: { $no: 1 } } } }, 102],
    [
      'an inner query',
      { id: 'a', query: { className: 'A', where: { a: { $inQuery: { className: 'B', where: {} } } } } },
      102,
    ],
    ['a lookaround', { id: 'a', query: { className: 'A', where: { a: { $regex: '(?=x)' } } } }, 102],
    ['too long a condition', { id: 'a', query: { className: 'A', where: { a: 'x'.repeat(17_000) } } }, 102],
    ['deep nesting', { id: 'a', query: { className: 'A', where: nested(40) } }, 102],
    ['nesting without end', { id: 'a', query: { className: 'A', where: nested(900) } }, 107],
  ])('with %s', async (_, body, code) => {
    const reply = await app.request('POST', '/1.1/LiveQuery/subscribe', { body })
    expect(reply.body).toMatchObject({ code, error: expect.any(String) })
  })

  it('over a field that is hidden from clients, even with the master key', async () => {
    await save('Spy', { secret: 'x' })
    await app.admin('PATCH', '/classes/Spy', { fields: { secret: { hidden: true } } })
    const body = { id: 'a', query: { className: 'Spy', where: { secret: 'x' } } }
    const reply = await app.request('POST', '/1.1/LiveQuery/subscribe', { body, master: true })
    expect(reply.status, JSON.stringify(reply.body)).toBe(403)
  })

  it('when the subscriber has a hundred', async () => {
    const ask = (n: number) =>
      app.request('POST', '/1.1/LiveQuery/subscribe', {
        body: { id: 'greedy', query: { className: 'A', where: { n } } },
      })
    const replies = await Promise.all(Array.from({ length: 110 }, (_, n) => ask(n)))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(100)
    expect(replies.find(({ status }) => status !== 200)!.body.code).toBe(154)
    const known = replies.findIndex(({ status }) => status === 200)
    expect((await ask(known)).body).toEqual(replies[known]!.body)
  })

  it('unsubscribing an unknown query is not an error', async () => {
    for (const query_id of ['0'.repeat(32), 'nonsense \u0000'])
      expect(
        (await app.request('POST', '/1.1/LiveQuery/unsubscribe', { body: { id: 'nobody', query_id } })).body,
      ).toEqual({})
    const reply = await app.request('POST', '/1.1/LiveQuery/unsubscribe', { body: { id: 'nobody' } })
    expect(reply.body.code).toBe(1)
  })
})
