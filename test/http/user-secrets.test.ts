import { beforeAll, describe, expect, it } from 'vitest'
import { makeApp, type Reply, type RequestOptions } from '../support/app.ts'

const app = await makeApp()
const PASSWORD = 'the password of seen'
const AUTH_DATA = { github: { uid: 'the uid of seen', access_token: 'the access token of seen' } }

const seen = (
  await app.request('POST', '/1.1/users', {
    body: { username: 'seen', password: PASSWORD, email: 'seen@example.org', authData: AUTH_DATA, nick: 'N' },
  })
).body
const { id: viewer, session: viewing } = await app.makeUser('viewer')
const pointer = { __type: 'Pointer', className: '_User', objectId: seen.objectId }
const pointing = (
  await app.request('POST', '/1.1/classes/Pointing', {
    body: { to: pointer, all: [pointer], fans: { __op: 'AddRelation', objects: [pointer] } },
  })
).body.objectId as string

const setPermissions = (permissions: object) => app.admin('PATCH', '/classes/_User', { permissions })
/** Sets options of fields of `_User`. */
const setOptions = (fields: object) => app.admin('PATCH', '/classes/_User', { fields })

function expectError(reply: Reply, code: number, status: number): void {
  expect(reply.body, JSON.stringify(reply.body)).toEqual({ code, error: expect.any(String) })
  expect(reply.status).toBe(status)
}

const get = (path: string, query: Record<string, string> = {}) => {
  return (options: RequestOptions) => app.request('GET', path, { query, ...options })
}
const batched = (path: string, params: object = {}) => {
  return (options: RequestOptions) =>
    app.request('POST', '/1.1/batch', { body: { requests: [{ method: 'GET', path, params }] }, ...options })
}

const tunnelled = (query: object) => (options: RequestOptions) =>
  app.request('POST', `/1.1/users/${seen.objectId}`, {
    ...options,
    headers: { 'content-type': 'text/plain' },
    body: { _method: 'GET', ...query },
  })

/** Every way to read a user. */
const ways: Record<string, (options: RequestOptions) => Promise<Reply>> = {
  'by id': get(`/1.1/users/${seen.objectId}`),
  'as an object': get(`/1.1/classes/_User/${seen.objectId}`),
  'by id with keys': get(`/1.1/users/${seen.objectId}`, { keys: 'nick,authData,password,sessionToken,salt' }),
  'by id with keys of parts': get(`/1.1/users/${seen.objectId}`, { keys: 'nick,authData.github,authData.github.uid' }),
  'by id with include': get(`/1.1/users/${seen.objectId}`, { include: 'authData,authData.github,sessionToken' }),
  'by id with include as an object': get(`/1.1/classes/_User/${seen.objectId}`, { include: 'sessionToken,nick' }),
  'by id without a key': get(`/1.1/users/${seen.objectId}`, { include: 'sessionToken', keys: '-sessionToken' }),
  'by id with include of a part': get(`/1.1/users/${seen.objectId}`, { include: 'nick.sessionToken' }),
  'in a query': get('/1.1/users', { where: '{"nick":"N"}' }),
  'in a query with include': get('/1.1/users', { where: '{"nick":"N"}', include: 'sessionToken' }),
  'in a query of objects': get('/1.1/classes/_User', { where: '{"nick":"N"}', keys: 'nick,authData' }),
  'in a strict query': get('/1.1/users/strictlyQuery', { where: '{"nick":"N"}', keys: 'nick,authData' }),
  'by a relation': get('/1.1/users', {
    where: JSON.stringify({
      $relatedTo: { object: { __type: 'Pointer', className: 'Pointing', objectId: pointing }, key: 'fans' },
    }),
  }),
  'in an included pointer': get(`/1.1/classes/Pointing/${pointing}`, { include: 'to' }),
  'in an included pointer with keys': get('/1.1/classes/Pointing', { keys: 'to.nick,to.authData,to.password' }),
  'in an included pointer with its token': get(`/1.1/classes/Pointing/${pointing}`, {
    include: 'to.sessionToken,sessionToken,to',
    keys: 'to.nick,to.authData,to.sessionToken',
  }),
  'in an included array': get(`/1.1/classes/Pointing/${pointing}`, { include: 'all' }),
  'in a batch': batched(`/1.1/users/${seen.objectId}`),
  'in a batch with include': batched(`/1.1/users/${seen.objectId}`, { include: 'sessionToken' }),
  'in a batch of a query': batched('/1.1/classes/_User', { where: { nick: 'N' } }),
  'through the tunnel': tunnelled({ keys: 'nick,authData' }),
  'through the tunnel with include': tunnelled({ include: 'sessionToken' }),
}

/** Ways in which a user reads its own token: by its id, with the token in `keys`. */
const OWN_TOKEN = new Set([
  'by id with keys',
  'by id with include',
  'by id with include as an object',
  'in a batch with include',
  'through the tunnel with include',
])

/** Ways in which the master key reads the token: of a single user, unless `keys` excludes it. */
const MASTER_TOKEN = new Set([
  ...OWN_TOKEN,
  'by id',
  'as an object',
  'by id with include of a part',
  'in a query with include',
  'in a query',
  'by a relation',
  'in a batch',
  'in a batch of a query',
])

const kinds: [string, () => Promise<unknown>][] = [
  ['objects that go out as they are stored', async () => {}],
  [
    'objects that are looked into, for a field with a default value',
    async () => {
      const flag = { body: { flag: true }, session: viewing }
      await app.request('PUT', `/1.1/users/${viewer}`, flag)
      await setOptions({ flag: { default: true } })
    },
  ],
]

describe.each(kinds)('secrets of %s', (_kind, prepare) => {
  beforeAll(async () => {
    await setPermissions({ find: 'public' })
    await prepare()
    return () => setPermissions({ find: 'master' })
  })

  it.each(Object.keys(ways))(
    'a user read %s never shows its password, and shows its token only to permitted callers',
    async (way) => {
      const { rows } = await app.sql('SELECT password FROM "$credentials" WHERE user_id = $1', [seen.objectId])
      for (const options of [{}, { session: viewing }, { session: seen.sessionToken }, { master: true }]) {
        const { status, body } = await ways[way]!(options)
        const text = JSON.stringify(body)
        expect([status, text.includes('"nick":"N"')], text).toEqual([200, true])
        expect(text).not.toMatch(/"(password|salt|bcryptPassword)"/)
        for (const secret of [PASSWORD, rows[0].password]) expect(text).not.toContain(secret)
        const isSelf = 'session' in options && options.session === seen.sessionToken
        const isShown = 'master' in options ? MASTER_TOKEN.has(way) : isSelf && OWN_TOKEN.has(way)
        expect(text.includes('"sessionToken"'), text).toBe(isShown)
        expect(text.includes(seen.sessionToken)).toBe(isShown)
      }
    },
  )

  it.each(Object.keys(ways))(
    'a user read %s shows its linked accounts only to itself and the master key',
    async (way) => {
      for (const options of [{}, { session: viewing }, { session: 'stale' }]) {
        const text = JSON.stringify((await ways[way]!(options)).body)
        for (const part of ['authData', ...Object.values(AUTH_DATA.github)]) expect(text).not.toContain(part)
      }
      const strict = way === 'in a strict query'
      const text = async (options: RequestOptions) => JSON.stringify((await ways[way]!(options)).body)
      expect((await text({ session: seen.sessionToken })).includes(AUTH_DATA.github.uid)).toBe(!strict)
      expect(await text({ master: true })).toContain(AUTH_DATA.github.uid)
    },
  )
})

describe('a write', () => {
  const path = `/1.1/users/${seen.objectId}`

  it('with fetchWhenSave returns no secret', async () => {
    const body = { nick: 'N', password: PASSWORD, sessionToken: 'x', salt: 'x', 'authData.github': AUTH_DATA.github }
    const options = { body, query: { fetchWhenSave: 'true' }, session: seen.sessionToken }
    const reply = await app.request('PUT', path, options)
    expect(Object.keys(reply.body).toSorted()).toEqual(['authData', 'nick', 'objectId', 'updatedAt'])
    expect(reply.body.authData).toEqual(AUTH_DATA)
  })

  it('that fails reveals no secrets', async () => {
    const bodies = [
      { password: { secret: 'hunter2' } },
      { password: ['hunter2'] },
      { 'password.hunter2': 'hunter2' },
      { authData: { github: { access_token: 'hunter2' } } },
      { authData: { 'a b': { uid: 'hunter2' } } },
    ]
    for (const body of bodies) {
      const reply = await app.request('PUT', path, { body, session: seen.sessionToken })
      expect(reply.status).toBe(400)
      if (!('password.hunter2' in body)) expect(JSON.stringify(reply.body)).not.toContain('hunter2')
    }
  })
})

describe('a condition', () => {
  const find = (className: string, query: Record<string, string>, options: RequestOptions) =>
    app.request('GET', `/1.1/classes/${className}`, { query, ...options })
  const selecting = (key: string) => ({
    nick: { $select: { query: { className: '_User', where: { nick: 'N' } }, key } },
  })
  const asking = (where: object) => ({ where: JSON.stringify(where) })
  const githubUid = { 'authData.github.uid': AUTH_DATA.github.uid }

  beforeAll(async () => {
    await setPermissions({ find: 'public' })
    return () => setPermissions({ find: 'master' })
  })

  it.each(['password', 'sessionToken', 'salt', '$credentials'])(
    'on %s matches nothing, for every caller',
    async (field) => {
      for (const options of [{}, { session: seen.sessionToken }, { master: true }]) {
        for (const where of [{ [field]: { $exists: true } }, { [field]: PASSWORD }, { [field]: seen.sessionToken }]) {
          const { status, body } = await find('_User', asking(where), options)
          if (status === 200) expect(body.results).toEqual([])
          else expect([status, body.code]).toEqual([400, 102])
        }
      }
    },
  )

  it.each<[string, string, Record<string, string>]>([
    ['where', '_User', asking(githubUid)],
    ['where on existence', '_User', asking({ authData: { $exists: true } })],
    ['where below $or and $and', '_User', asking({ $or: [{ $and: [{ nick: 'N' }, githubUid] }] })],
    ['order', '_User', { order: 'authData' }],
    ['order by a part', '_User', { order: '-nick,authData.github.uid' }],
    ['an inner query', 'Pointing', asking({ to: { $inQuery: { className: '_User', where: githubUid } } })],
    ['an inner query without its class', 'Pointing', asking({ to: { $inQuery: { where: githubUid } } })],
    [
      'the order of an inner query',
      'Pointing',
      asking({ to: { $inQuery: { where: { nick: 'N' }, order: 'authData' } } }),
    ],
    ['the key of an inner query', 'Pointing', asking(selecting('authData.github.uid'))],
    ['the whole key of an inner query', 'Pointing', asking(selecting('authData'))],
  ])('on linked accounts is rejected for clients: %s', async (_place, className, query) => {
    expectError(await find(className, query, {}), 403, 403)
    expectError(await find(className, query, { session: seen.sessionToken }), 403, 403)
    expect((await find(className, query, { master: true })).status).toBe(200)
  })

  it('of a write on linked accounts is rejected for clients', async () => {
    const query = asking(githubUid)
    const options = { session: viewing, query }
    expectError(await app.request('PUT', `/1.1/users/${viewer}`, { ...options, body: { nick: 'V' } }), 403, 403)
    expectError(await app.request('DELETE', `/1.1/users/${viewer}`, options), 403, 403)
    const inQuery = asking({ to: { $inQuery: { className: '_User', where: githubUid } } })
    const update = { query: inQuery, body: { n: 1 } }
    expectError(await app.request('PUT', `/1.1/classes/Pointing/${pointing}`, update), 403, 403)
  })
})

describe('a field hidden by the administrator', () => {
  beforeAll(async () => {
    await setPermissions({ find: 'public' })
    await setOptions({ email: { hidden: true } })
    return async () => {
      await setOptions({ email: { hidden: false } })
      await setPermissions({ find: 'master' })
    }
  })

  it.each(Object.keys(ways))('is not returned to clients: %s', async (way) => {
    for (const options of [{}, { session: viewing }, { session: seen.sessionToken }])
      expect(JSON.stringify((await ways[way]!(options)).body)).not.toContain('seen@example.org')
  })

  it('is returned to the master key', async () => {
    expect((await ways['by id']!({ master: true })).body.email).toBe('seen@example.org')
  })

  it('is absent from login responses too', async () => {
    const body = { email: 'seen@example.org', password: PASSWORD }
    const reply = await app.request('POST', '/1.1/login', { body })
    expect([reply.body.objectId, 'email' in reply.body]).toEqual([seen.objectId, false])
  })

  it('cannot be used in conditions', async () => {
    const queries = [{ where: '{"email":{"$regex":"^s"}}' }, { order: 'email' }]
    for (const query of queries) expectError(await app.request('GET', '/1.1/users', { query }), 403, 403)
    const where = '{"email":"seen@example.org"}'
    expectError(await app.request('GET', '/1.1/users/strictlyQuery', { query: { where } }), 403, 403)
  })
})
