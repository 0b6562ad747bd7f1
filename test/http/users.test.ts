import pg from 'pg'
import { afterEach, describe, expect, inject, it, onTestFinished, vi } from 'vitest'
import { makeApp, type Reply, type RequestOptions } from '../support/app.ts'

const app = await makeApp()
const MISSING = '0123456789abcdef01234567'

const me = (session: string) => app.request('GET', '/1.1/users/me', { session })
const logIn = (username: string) =>
  app.request('POST', '/1.1/login', { body: { username, password: `password of ${username}` } })
const put = (id: string, body: unknown, options: RequestOptions) =>
  app.request('PUT', `/1.1/users/${id}`, { body, ...options })

function expectError(reply: Pick<Reply, 'status' | 'body'>, code: number, status = 400): void {
  expect(reply.body, JSON.stringify(reply.body)).toEqual({ code, error: expect.any(String) })
  expect(reply.status).toBe(status)
}

interface Request {
  readonly session?: string
  readonly master?: boolean
  readonly body?: object
  readonly query?: Record<string, string>
}

/** Sends a request in one of the possible ways, and returns the body of the response or error. */
type Way = (method: string, path: string, request: Request) => Promise<Reply['body']>

const ways: Record<string, Way> = {
  directly: async (method, path, request) => (await app.request(method, path, request)).body,
  'in a batch': async (method, path, { body, query, ...who }) => {
    const requests = [{ method, path, body, params: query }]
    const [item] = (await app.request('POST', '/1.1/batch', { body: { requests }, ...who })).body
    return item.error ?? item.success
  },
  'through the tunnel': async (method, path, { body, query, session, ...who }) => {
    const headers = { 'content-type': 'text/plain' }
    const sent = { _method: method, ...(session && { _SessionToken: session }), ...body, ...query }
    return (await app.request('POST', path, { headers, body: sent, ...who })).body
  },
}

const collections = ['/1.1/users', '/1.1/classes/_User', '/1/users', '/1.1/classes/%5FUser']

describe.each(collections)('%s', (collection) => {
  it.each(Object.keys(ways))('accepts all verbs %s', async (name) => {
    const way = ways[name]!
    const username = `${collection} ${name}`
    const made = await way('POST', collection, { body: { username, password: `password of ${username}`, n: 1 } })
    const path = `${collection}/${made.objectId}`
    const session = made.sessionToken
    expect((await logIn(username)).body).toEqual(made)

    expect(await way('GET', path, {})).toEqual({ ...made, sessionToken: undefined })
    const stranger = (await app.makeUser(`stranger of ${username}`)).session
    for (const who of [{}, { session: stranger }, { session: 'stale' }]) {
      expect((await way('PUT', path, { ...who, body: { n: 2 } })).code).toBe(206)
      expect((await way('PUT', path, { ...who, body: { username: 'stolen' } })).code).toBe(206)
      expect((await way('PUT', path, { ...who, body: { password: 'stolen' } })).code).toBe(206)
      expect((await way('DELETE', path, who)).code).toBe(206)
    }
    expect(await way('PUT', path, { session, body: { n: { __op: 'Increment', amount: 4 } } })).toEqual({
      objectId: made.objectId,
      updatedAt: expect.any(String),
    })
    expect((await way('GET', path, { session })).n).toBe(5)
    await way('PUT', path, { session, body: { username: `new ${username}`, password: `password of new ${username}` } })
    expect((await logIn(`new ${username}`)).body.objectId).toBe(made.objectId)

    expect((await way('GET', collection, { query: { where: '{"n":5}' } })).code).toBe(403)
    const found = await way('GET', collection, { master: true, query: { where: `{"objectId":"${made.objectId}"}` } })
    expect(found.results).toEqual([expect.objectContaining({ username: `new ${username}`, n: 5 })])

    expect(await way('DELETE', path, { session })).toEqual({})
    expect((await way('GET', path, {})).code).toBe(211)
    expectError(await me(session), 211)
  })
})

describe('batch/save', () => {
  it('signs a user up, and changes one', async () => {
    const { body } = await app.request('POST', '/1.1/batch/save', {
      body: {
        requests: [
          { method: 'POST', path: '/1.1/classes/Pet', body: { name: 'Rex', __internalId: 'p', __children: [] } },
          {
            method: 'POST',
            path: '/1.1/users',
            body: {
              username: 'saved',
              password: 'password of saved',
              __internalId: 'u',
              __children: [{ className: 'Pet', cid: 'p', key: 'pet' }],
            },
          },
        ],
      },
    })
    expect((await logIn('saved')).body).toEqual(body.u)
    expect(body.u.pet).toEqual({ __type: 'Pointer', className: 'Pet', objectId: body.p.objectId })
    const id = body.u.objectId
    const change = (session: string) => {
      const item = { method: 'PUT', path: `/1.1/classes/_User/${id}`, body: { nick: 'S', __internalId: id } }
      return app.request('POST', '/1.1/batch/save', { session, body: { requests: [item] } })
    }
    expectError(await change('stale'), 206, 403)
    expect((await change(body.u.sessionToken)).body).toEqual({ [id]: { objectId: id, updatedAt: expect.any(String) } })
  })
})

describe('a user', () => {
  it('is returned with the time of its last change', async () => {
    const { id } = await app.makeUser('read')
    const { status, headers, body } = await app.request('GET', `/1.1/users/${id}`)
    expect([status, Object.keys(body).toSorted()]).toEqual([
      200,
      ['createdAt', 'emailVerified', 'mobilePhoneVerified', 'objectId', 'updatedAt', 'username'],
    ])
    expect(headers.get('last-modified')).toMatch(/^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d\.\d{3} GMT$/)
  })

  it('that does not exist gets error 211; deleting it with the master key succeeds', async () => {
    for (const collection of ['/1.1/users', '/1.1/classes/_User']) {
      const path = `${collection}/${MISSING}`
      expectError(await app.request('GET', path), 211)
      expectError(await app.request('GET', path, { query: { keys: 'username' } }), 211)
      expectError(await app.request('PUT', path, { body: { n: 1 } }), 206, 403)
      expectError(await app.request('PUT', path, { body: { n: 1 }, master: true }), 1)
      expectError(await app.request('PUT', path, { body: { username: 'x' }, master: true }), 1)
      expectError(await app.request('DELETE', path), 206, 403)
      expect((await app.request('DELETE', path, { master: true })).body).toEqual({})
    }
  })

  it('cannot be written with a stale token: 403', async () => {
    const { id, session } = await app.makeUser('stale')
    await app.request('PUT', `/1.1/users/${id}/refreshSessionToken`, { session })
    expectError(await put(id, { nick: 'x' }, { session }), 206, 403)
    expectError(await put(id, { password: 'x' }, { session }), 206, 403)
    expectError(await app.request('DELETE', `/1.1/users/${id}`, { session }), 206, 403)
  })

  it('is updated under a condition only if it holds: error 305', async () => {
    const { id, session } = await app.makeUser('conditional')
    const change = (where: object, body: object) => put(id, body, { session, query: { where: JSON.stringify(where) } })
    expectError(await change({ username: 'other' }, { nick: 'x' }), 305)
    const authData = { github: { uid: 'conditional', access_token: 'x' } }
    expectError(await change({ username: 'other' }, { username: 'changed', password: 'changed', authData }), 305)
    expect((await logIn('conditional')).body.nick).toBe(undefined)
    expect((await app.sql(`SELECT * FROM "$identities" WHERE uid = 'conditional'`)).rows).toEqual([])
    expect((await change({ username: 'conditional' }, { username: 'changed' })).status).toBe(200)
    const { rows } = await app.sql('SELECT data FROM "_User" WHERE id = $1', [id])
    expect(rows[0].data.username).toBe('changed')
  })

  it('returns the changes of an update with fetchWhenSave', async () => {
    const { id, session } = await app.makeUser('fetching')
    const { body } = await put(
      id,
      { nick: 'F', email: 'fetching@example.org', password: 'new' },
      { session, query: { new: 'true' } },
    )
    expect(body).toEqual({
      objectId: id,
      updatedAt: expect.any(String),
      nick: 'F',
      email: 'fetching@example.org',
      emailVerified: false,
    })
  })

  it('has flags that only the master key can set', async () => {
    const { id, session } = await app.makeUser('flagged')
    const flags = { emailVerified: true, mobilePhoneVerified: true }
    const shown = async () => {
      const { emailVerified, mobilePhoneVerified } = (await app.request('GET', `/1.1/users/${id}`)).body
      return { emailVerified, mobilePhoneVerified }
    }
    expect((await put(id, flags, { session })).status).toBe(200)
    expect(await shown()).toEqual({ emailVerified: null, mobilePhoneVerified: false })
    await put(id, flags, { master: true })
    expect(await shown()).toEqual(flags)
    await put(id, { mobilePhoneNumber: '13800000000' }, { session })
    expect(await shown()).toEqual({ emailVerified: true, mobilePhoneVerified: false })
  })

  it('can remove its address and number, which become available', async () => {
    const contacts = { email: 'given.up@example.org', mobilePhoneNumber: '13600000000' }
    const first = await app.makeUser('giving up 1')
    const second = await app.makeUser('giving up 2')
    await put(first.id, contacts, { session: first.session })
    expectError(await put(second.id, { email: contacts.email }, { session: second.session }), 203)
    expectError(await put(second.id, { mobilePhoneNumber: '+8613600000000' }, { session: second.session }), 214)
    const { body } = await put(
      first.id,
      { email: null, mobilePhoneNumber: { __op: 'Delete' } },
      { session: first.session, query: { new: 'true' } },
    )
    expect(body).toEqual({
      objectId: first.id,
      updatedAt: expect.any(String),
      emailVerified: null,
      mobilePhoneVerified: false,
    })
    expect((await put(second.id, contacts, { session: second.session })).status).toBe(200)
  })

  it('can keep its name and address', async () => {
    const { id, session } = await app.makeUser('keeping')
    const same = { username: 'keeping', email: 'keeping@example.org' }
    expect((await put(id, same, { session })).status).toBe(200)
    expect((await put(id, same, { session })).status).toBe(200)
  })

  it('gets a password from the master key without the old one', async () => {
    const { id, session } = await app.makeUser('helped')
    await app.admin('PATCH', '/settings', { accounts: { requireOldPassword: true } })
    expectError(await put(id, { password: 'new' }, { session }), 119)
    expect((await put(id, { password: 'a new one' }, { master: true })).body).toEqual({
      objectId: id,
      updatedAt: expect.any(String),
    })
    await app.admin('PATCH', '/settings', { accounts: { requireOldPassword: false } })
    expectError(await logIn('helped'), 210)
    const helped = { username: 'helped', password: 'a new one' }
    expect((await app.request('POST', '/1.1/login', { body: helped })).body.objectId).toBe(id)
  })
})

// protocol/storage, Class permissions
describe('with the class permission update closed', () => {
  const closed = ['master', { users: [], roles: ['nobody'] }]
  const setClass = (body: object) => app.admin('PATCH', '/classes/_User', body)
  const setSetting = (ownProfileNeedsPermission: boolean) =>
    app.admin('PATCH', '/settings', { accounts: { ownProfileNeedsPermission } })

  afterEach(async () => {
    await setClass({ permissions: { update: 'public', addField: 'public' } })
    await setSetting(false)
  })

  const updates: Record<string, (id: string) => readonly [method: string, path: string, body: object]> = {
    'its own field': (id) => ['PUT', `/1.1/users/${id}`, { nick: 'x' }],
    'its own field as an object': (id) => ['PUT', `/1.1/classes/_User/${id}`, { nick: 'x' }],
    'its own name': (id) => ['PUT', `/1.1/users/${id}`, { username: `other name of ${id}` }],
    'its own password': (id) => ['PUT', `/1.1/users/${id}`, { password: 'other' }],
    'its own linked accounts': (id) => ['PUT', `/1.1/users/${id}`, { authData: { github: { uid: id } } }],
    'its own relation': (id) => [
      'PUT',
      `/1.1/users/${id}`,
      { likes: { __op: 'AddRelation', objects: [{ __type: 'Pointer', className: '_User', objectId: id }] } },
    ],
    'its own field by CQL': (id) => [
      'GET',
      `/1.1/cloudQuery?${new URLSearchParams({ cql: `update _User set nick = 'x' where objectId = '${id}'` })}`,
      {},
    ],
  }

  it.each(Object.keys(updates))('a user can still change %s, unless the app says otherwise', async (what) => {
    const { id, session } = await app.makeUser(`own ${what}`)
    const [method, path, body] = updates[what]!(id)
    const send = (options: RequestOptions) =>
      app.request(method, path, { ...(method === 'PUT' && { body }), ...options })
    expect((await send({ master: true })).status).toBe(200)
    for (const update of closed) {
      await setClass({ permissions: { update } })
      await setSetting(false)
      expect((await send({ session })).body).not.toHaveProperty('error')
      await setSetting(true)
      expectError(await send({ session }), 403, 403)
      expect((await send({ master: true })).status).toBe(200)
    }
  })

  it('a user can neither change another user nor delete any', async () => {
    const [{ id: other }, { id, session }] = [await app.makeUser('closed other'), await app.makeUser('closed one')]
    await setClass({ permissions: { update: 'master', delete: 'master' } })
    const options = { session, body: { nick: 'x' } }
    for (const path of [`/1.1/users/${other}`, `/1.1/classes/_User/${other}`])
      expectError(await app.request('PUT', path, options), 206, 403)
    expectError(await app.request('DELETE', `/1.1/users/${id}`, { session }), 403, 403)
    for (const caller of [{}, { session: 'stale' }]) expectError(await put(id, { nick: 'x' }, caller), 206, 403)
    await setClass({ permissions: { delete: 'public' } })
  })

  it('fields protected otherwise stay protected', async () => {
    const fields = { balance: { type: 'Number', readOnly: true }, order: { type: 'Number', autoIncrement: true } }
    await setClass({ fields, permissions: { update: 'master', addField: 'master' } })
    const { id, session } = await app.makeUser('guarded')
    const stored = (await app.request('GET', `/1.1/users/${id}`, { master: true })).body
    for (const name of Object.keys(fields)) expectError(await put(id, { [name]: 1000 }, { session }), 117)
    expectError(await put(id, { brandNew: 1 }, { session }), 403, 403)
    const ignored = { emailVerified: true, mobilePhoneVerified: true, sessionToken: 'x', salt: 'x' }
    expect((await put(id, ignored, { session })).status).toBe(200)
    for (const name of ['objectId', 'createdAt', 'updatedAt']) await put(id, { [name]: 'x' }, { session })
    const after = (await app.request('GET', `/1.1/users/${id}`, { master: true })).body
    expect({ ...after, updatedAt: '' }).toEqual({ ...stored, updatedAt: '' })
  })

  it('other classes stay closed to the user named in an object', async () => {
    const { id, session } = await app.makeUser('owning')
    const object = { ACL: { [id]: { read: true, write: true } } }
    const { objectId } = (await app.request('POST', '/1.1/classes/Owned', { body: object, session })).body
    await app.admin('PATCH', '/classes/Owned', { permissions: { update: 'master' } })
    expectError(await app.request('PUT', `/1.1/classes/Owned/${objectId}`, { body: { n: 1 }, session }), 403, 403)
    // Even when the ids are equal.
    await app.request('POST', '/1.1/classes/Owned', { body: { objectId: id }, master: true })
    expectError(await app.request('PUT', `/1.1/classes/Owned/${id}`, { body: { n: 1 }, session }), 403, 403)
  })
})

describe('a PUT of a password', () => {
  afterEach(() => app.admin('PATCH', '/settings', { accounts: { reloginAfterPasswordChange: false } }))

  // protocol/accounts, Session tokens and passwords
  it('returns the response of any update, and keeps the session token', async () => {
    const { id, session } = await app.makeUser('putting')
    const { body } = await put(id, { password: 'a new one' }, { session })
    expect(body).toEqual({ objectId: id, updatedAt: expect.any(String) })
    expect((await app.request('GET', '/1.1/users/me', { session })).body.sessionToken).toBe(session)
  })

  it('returns the new session token when the app enables it', async () => {
    await app.admin('PATCH', '/settings', { accounts: { reloginAfterPasswordChange: true } })
    const { id, session } = await app.makeUser('relogging')
    const { body } = await put(id, { password: 'a new one' }, { session })
    expect(body).toEqual({ objectId: id, updatedAt: expect.any(String), sessionToken: expect.any(String) })
    expectError(await app.request('GET', '/1.1/users/me', { session }), 211)
    const { sessionToken } = body
    expect((await app.request('GET', '/1.1/users/me', { session: sessionToken })).body.objectId).toBe(id)
  })
})

describe('a deleted user', () => {
  it('leaves nothing: token, password, linked accounts, name, address and number', async () => {
    const body = {
      username: 'leaving',
      password: 'p',
      email: 'leaving@example.org',
      mobilePhoneNumber: '13500000000',
    }
    const first = (await app.request('POST', '/1.1/users', { body })).body
    const authData = { weixin: { openid: 'leaving', unionid: 'u', platform: 'weixin', main_account: true } }
    await put(first.objectId, { authData }, { session: first.sessionToken })
    await app.request('DELETE', `/1.1/users/${first.objectId}`, { session: first.sessionToken })
    expectError(await me(first.sessionToken), 211)
    for (const table of ['$credentials', '$identities']) {
      const { rows } = await app.sql(`SELECT * FROM "${table}" WHERE user_id = $1`, [first.objectId])
      expect(rows, table).toEqual([])
    }
    const second = await app.request('POST', '/1.1/users', { body })
    expect(second.status).toBe(201)
    const linked = await put(second.body.objectId, { authData }, { session: second.body.sessionToken })
    expect(linked.status).toBe(200)
  })

  it('can be one of several, each with its own permission', async () => {
    const [ann, bo] = [await app.makeUser('several 1'), await app.makeUser('several 2')]
    const both = `/1.1/classes/_User/${ann.id},${bo.id}`
    expectError(await app.request('DELETE', both, { session: bo.session }), 206, 403)
    expect((await me(ann.session)).status).toBe(200)
    expect((await app.request('DELETE', both, { master: true })).body).toEqual({})
    expectError(await me(ann.session), 211)
    expectError(await me(bo.session), 211)
  })

  it('is kept when a condition does not hold: error 305', async () => {
    const { id, session } = await app.makeUser('staying')
    const query = { where: '{"username":"other"}' }
    expectError(await app.request('DELETE', `/1.1/users/${id}`, { session, query }), 305)
    expect((await logIn('staying')).body.sessionToken).toBe(session)
  })

  it('is not restored by a concurrent login', async () => {
    const { id } = await app.makeUser('torn')
    // Without a token, as after an import, the login creates one.
    await app.sql('UPDATE "$credentials" SET session_token = NULL WHERE user_id = $1', [id])
    const deleting = new pg.Client({
      connectionString: inject('databaseUrl'),
      options: `-c search_path="app_${app.appId}"`,
    })
    await deleting.connect()
    onTestFinished(() => deleting.end())
    await deleting.query('BEGIN')
    await deleting.query('DELETE FROM "_User" WHERE id = $1', [id])
    await deleting.query('DELETE FROM "$credentials" WHERE user_id = $1', [id])
    const login = logIn('torn')
    const waiting = 'SELECT pid FROM pg_stat_activity WHERE pg_backend_pid() = ANY(pg_blocking_pids(pid))'
    await vi.waitFor(async () => expect((await deleting.query(waiting)).rowCount).toBe(1), 10_000)
    await deleting.query('COMMIT')
    expectError(await login, 211)
    expect((await app.sql('SELECT * FROM "$credentials" WHERE user_id = $1', [id])).rows).toEqual([])
  })
})
