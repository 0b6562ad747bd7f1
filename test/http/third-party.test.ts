import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { makeApp, type Reply, type RequestOptions } from '../support/app.ts'

const app = await makeApp()

const logIn = (authData: object, options: RequestOptions & { more?: object } = {}) => {
  const { more, ...rest } = options
  return app.request('POST', '/1.1/users', { body: { authData, ...more }, ...rest })
}
const account = (uid: string) => ({ uid, access_token: `token of ${uid}` })
const put = (id: string, body: unknown, options: RequestOptions) =>
  app.request('PUT', `/1.1/classes/_User/${id}`, { body, ...options })
const keysOf = (body: object) => Object.keys(body).toSorted()
const identities = async (userId: string) => {
  const { rows } = await app.sql('SELECT platform, uid FROM "$identities" WHERE user_id = $1 ORDER BY 1, 2', [userId])
  return rows.map(({ platform, uid }) => `${platform} ${uid}`)
}

function expectError(reply: Pick<Reply, 'status' | 'body'>, code: number, status = 400): void {
  expect(reply.body, JSON.stringify(reply.body)).toEqual({ code, error: expect.any(String) })
  expect(reply.status).toBe(status)
}

/** Expects a response for an account of another user, which reveals nothing about the platform or that user. */
function expectLinkedElsewhere(reply: Pick<Reply, 'status' | 'body'>): void {
  const error = 'A unique field was given a value that is already taken.'
  expect([reply.status, reply.body]).toEqual([400, { code: 137, error }])
}

describe('a login with third-party data', () => {
  it('returns 201 with Location and the whole user for a new one, 200 with the same for a known one', async () => {
    const authData = { github: account('first') }
    const made = await logIn(authData)
    expect(made.status).toBe(201)
    expect(keysOf(made.body)).toEqual([
      'authData',
      'createdAt',
      'emailVerified',
      'mobilePhoneVerified',
      'objectId',
      'sessionToken',
      'updatedAt',
      'username',
    ])
    expect(made.body).toMatchObject({
      username: expect.stringMatching(/^[a-z0-9]{25}$/),
      authData,
      emailVerified: null,
      mobilePhoneVerified: false,
    })
    const known = await logIn(authData)
    expect([known.status, known.body]).toEqual([200, made.body])
    for (const { headers } of [made, known])
      expect(headers.get('location')).toBe(`/1.1/classes/_User/${made.body.objectId}`)
  })

  it('applies fields, a name and a password to a new user only', async () => {
    const more = { username: 'chosen', password: 'a password', nick: 'C', email: 'chosen@example.org' }
    const made = await logIn({ github: account('chosen') }, { more })
    expect(made.body).toMatchObject({ username: 'chosen', nick: 'C', email: 'chosen@example.org' })
    const again = await logIn({ github: account('chosen') }, { more: { ...more, nick: 'D', password: 'another' } })
    expect([again.status, again.body]).toEqual([200, made.body])
    const body = { username: 'chosen', password: 'a password' }
    expect((await app.request('POST', '/1.1/login', { body })).body.objectId).toBe(made.body.objectId)
    expectError(await logIn({ github: account('not chosen') }, { more }), 202)
    expect((await app.sql(`SELECT 1 FROM "$identities" WHERE uid = 'not chosen'`)).rows).toEqual([])
  })

  it('with failOnNotExist gets error 211 for a new one', async () => {
    const query = { failOnNotExist: 'true' }
    expectError(await logIn({ github: account('absent') }, { query }), 211)
    expectError(await logIn({ github: account('absent') }, { query }), 211)
    await logIn({ github: account('absent') }, { query: { failOnNotExist: 'false' } })
    expect((await logIn({ github: account('absent') }, { query })).status).toBe(200)
  })

  it('works in a batch and through the tunnel', async () => {
    const authData = { github: account('batched') }
    const requests = [
      { method: 'POST', path: '/1.1/users', body: { authData } },
      { method: 'POST', path: '/1.1/classes/_User', body: { authData } },
    ]
    const { body } = await app.request('POST', '/1.1/batch', { body: { requests } })
    expect(body[1]).toEqual(body[0])
    const tunnelled = await app.request('POST', '/1.1/users', {
      headers: { 'content-type': 'text/plain' },
      body: { authData },
    })
    expect([tunnelled.status, tunnelled.body]).toEqual([200, body[0].success])
  })

  it('with several accounts links them all, and finds the user of any known one', async () => {
    const both = { github: account('both'), weixin: { openid: 'both' } }
    const made = await logIn(both)
    expect(made.body.authData).toEqual(both)
    expect(await identities(made.body.objectId)).toEqual(['github both', 'weixin both'])
    const more = await logIn({ weixin: { openid: 'both' }, qq: { openid: 'both' } })
    expect([more.status, more.body.objectId]).toEqual([200, made.body.objectId])
    expect((await logIn({ qq: { openid: 'both' } })).body.objectId).toBe(made.body.objectId)
  })

  it('treats a numeric id like its text', async () => {
    const made = await logIn({ weibo: { uid: 12345 } })
    const again = await logIn({ weibo: { uid: '12345' } })
    expect([made.status, again.status, again.body.objectId]).toEqual([201, 200, made.body.objectId])
  })

  it('keeps stored account data that was not sent', async () => {
    const made = await logIn({ github: { ...account('partial'), name: 'P' } })
    const { body } = await logIn({ github: { uid: 'partial', access_token: 'new' } })
    expect(body.authData.github).toEqual({ uid: 'partial', access_token: 'new', name: 'P' })
    expect(body.sessionToken).toBe(made.body.sessionToken)
  })

  it.each([
    ['no id', { github: { access_token: 'x' } }, 250],
    ['no id of an anonymous user', { anonymous: { uid: 'x' } }, 250],
    ['an empty id', { github: { uid: '' } }, 250],
    ['an id that is an object', { github: { uid: { $ne: null } } }, 250],
    ['an id that is null', { github: { uid: null } }, 250],
    ['an id of 1 MB', { github: { uid: 'x'.repeat(1_000_000) } }, 250],
    ['an id with a NUL', { github: { uid: 'x\u0000' } }, 250],
    ['an account that is a text', { github: 'x' }, 111],
    ['an account that is an array', { github: [{ uid: 'x' }] }, 111],
    ['an account that is an operation', { github: { __op: 'Add', objects: [] } }, 111],
    ['one good and one bad account', { gitlab: account('good and bad'), github: {} }, 250],
    ['a platform of no name', { '': account('x') }, 105],
    ['a platform with a dot', { 'git.hub': account('x') }, 105],
    ['a platform of 1 MB', { ['x'.repeat(1_000_000)]: account('x') }, 105],
    ['an id with half a character', { github: { uid: 'x\ud800' } }, 250],
    ['a dollar in a key', { github: { uid: 'x', $set: 1 } }, 121],
  ])('is rejected with %s', async (_fault, authData, code) => {
    const before = (await app.sql('SELECT count(*)::int FROM "_User"')).rows[0].count
    expectError(await logIn(authData), code)
    expect((await app.sql('SELECT count(*)::int FROM "_User"')).rows[0].count).toBe(before)
  })

  it.each([
    ['an array', ['github'], 111],
    ['an empty array, which is no data', [], 200],
    ['a text', 'github', 111],
    ['an operation', { __op: 'Increment', amount: 1 }, 111],
    ['null, which is no data', null, 200],
    ['nothing, which is no data', {}, 200],
    ['an account that is null, which is no data', { github: null }, 200],
  ])('is rejected when authData is %s', async (_fault, authData, code) => {
    expectError(await app.request('POST', '/1.1/users', { body: { authData } }), code)
  })

  it('is rejected when it is nested too deeply', async () => {
    const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
    for (const depth of [150, 2000, 100_000]) {
      const body = `{"authData":{"github":{"uid":"deep","nested":${nested(depth)}}}}`
      expectError(await app.request('POST', '/1.1/users', { body }), 107)
    }
    expect((await app.sql(`SELECT 1 FROM "$identities" WHERE uid = 'deep'`)).rows).toEqual([])
  })

  it('handles names of built-in object properties', async () => {
    for (const platform of ['constructor', 'toString', 'hasOwnProperty']) {
      const made = await logIn({ [platform]: account('inherited') })
      expect([made.status, made.body.authData]).toEqual([201, { [platform]: account('inherited') }])
    }
    expectError(await app.request('POST', '/1.1/users', { body: '{"authData":{"__proto__":{"uid":"x"}}}' }), 105)
    expectError(
      await app.request('POST', '/1.1/users', { body: '{"authData":{"github":{"__proto__":{"uid":"x"}}}}' }),
      250,
    )
  })
})

describe('when users can be created only with the master key', () => {
  afterEach(() => app.admin('PATCH', '/classes/_User', { permissions: { create: 'public', addField: 'public' } }))

  it('existing ones can still log in', async () => {
    const made = await logIn({ github: account('made before') })
    await app.admin('PATCH', '/classes/_User', { permissions: { create: 'master', addField: 'master' } })
    expectError(await logIn({ github: account('too late') }), 403, 403)
    const again = await logIn({ github: account('made before') }, { more: { fresh: 1 } })
    expect([again.status, again.body.objectId]).toEqual([200, made.body.objectId])
    expect((await logIn({ github: account('too late') }, { master: true })).status).toBe(201)
  })
})

describe('when addresses must be verified', () => {
  afterEach(() => app.admin('PATCH', '/settings', { accounts: { requireVerifiedEmail: false } }))

  it('a user with an unverified address cannot log in by an account either: error 216', async () => {
    const authData = { github: account('unverified') }
    const made = await logIn(authData, { more: { email: 'unverified@example.org' } })
    await app.admin('PATCH', '/settings', { accounts: { requireVerifiedEmail: true } })
    expectError(await logIn(authData), 216)
    await put(made.body.objectId, { emailVerified: true }, { master: true })
    expect((await logIn(authData)).status).toBe(200)
  })
})

describe('a platform of any name', () => {
  it.each(['weixinapp', 'weixin_mini_app', 'test', 'github'])(
    'on %s identifies the user by openid alone',
    async (platform) => {
      const data = { openid: `o of ${platform}`, access_token: 'a', expires_in: 7200 }
      const made = await logIn({ [platform]: data })
      expect([made.status, made.body.authData]).toEqual([201, { [platform]: data }])
      const again = await logIn({ [platform]: { ...data, access_token: 'b' } })
      expect([again.status, again.body.objectId]).toEqual([200, made.body.objectId])
      expect(again.body.authData).toEqual({ [platform]: { ...data, access_token: 'b' } })
    },
  )

  const orders: [string, object[], string[]][] = [
    ['uid, then both', [{ uid: 'u1' }, { uid: 'u1', openid: 'o1' }], ['o1', 'u1']],
    ['openid, then both', [{ openid: 'o2' }, { uid: 'u2', openid: 'o2' }], ['o2', 'u2']],
    ['both, then each', [{ uid: 'u3', openid: 'o3' }, { openid: 'o3' }, { uid: 'u3' }], ['o3', 'u3']],
    ['openid, both, then uid', [{ openid: 'o4' }, { uid: 'u4', openid: 'o4' }, { uid: 'u4' }], ['o4', 'u4']],
    ['what was once sent as openid as uid', [{ openid: 'same' }, { uid: 'same' }], ['same']],
    [
      'another openid',
      [
        { uid: 'u5', openid: 'o5' },
        { uid: 'u5', openid: 'o6' },
      ],
      ['o6', 'u5'],
    ],
  ]
  it.each(orders)('recognizes a user by %s', async (_order, sent, uids) => {
    const replies = []
    for (const data of sent) replies.push(await logIn({ ordered: data }))
    expect(replies.map(({ status }) => status)).toEqual([201, ...sent.slice(1).map(() => 200)])
    expect(new Set(replies.map(({ body }) => body.objectId)).size).toBe(1)
    expect(replies.at(-1)!.body.authData).toEqual({ ordered: Object.assign({}, ...sent) })
    expect(await identities(replies[0]!.body.objectId)).toEqual(uids.map((uid) => `ordered ${uid}`))
  })

  it('prefers the user with the uid when openid belongs to another, and leaves that openid', async () => {
    const one = (await logIn({ mixed: { uid: 'of one' } })).body
    const other = (await logIn({ mixed: { openid: 'of the other' } })).body
    const { status, body } = await logIn({ mixed: { uid: 'of one', openid: 'of the other', n: 1 } })
    expect([status, body.objectId, body.authData]).toEqual([200, one.objectId, { mixed: { uid: 'of one', n: 1 } }])
    expect((await logIn({ mixed: { openid: 'of the other' } })).body.objectId).toBe(other.objectId)
    const linking = { authData: { mixed: { uid: 'new', openid: 'of the other' } } }
    expectLinkedElsewhere(await put(one.objectId, linking, { session: one.sessionToken }))
    expect(await identities(one.objectId)).toEqual(['mixed of one'])
  })

  it('unlinking removes both ids of the user', async () => {
    const { objectId, sessionToken } = (await logIn({ leaving: { uid: 'u', openid: 'o' } })).body
    await put(objectId, { 'authData.leaving': { __op: 'Delete' } }, { session: sessionToken })
    expect(await identities(objectId)).toEqual([])
  })
})

describe('a platform verified by the app', () => {
  // The platform check verifies only the uid; the other data comes from the client.
  const check = createServer((_request, response) => response.end())
  beforeAll(() => new Promise<void>((listening) => check.listen(0, '127.0.0.1', listening)))
  const set = (endpoints: object) => app.admin('PATCH', '/settings', { accounts: { platforms: { endpoints } } })
  afterEach(() => set({ checked: null }))
  afterAll(() => new Promise((closed) => check.close(closed)))

  it('finds no user by the second id', async () => {
    const { port } = check.address() as AddressInfo
    await set({ checked: { url: `http://127.0.0.1:${port}` } })
    const victim = (await logIn({ checked: { uid: 'victim', openid: 'of the victim' } })).body
    const attacker = await logIn({ checked: { uid: 'attacker', openid: 'of the victim' } })
    expect(attacker.status).toBe(201)
    expect(attacker.body.objectId).not.toBe(victim.objectId)
    expect(await identities(attacker.body.objectId)).toEqual(['checked attacker'])
  })
})

describe('an anonymous user', () => {
  const makeAnonymous = async (id: string) => {
    const { body } = await logIn({ anonymous: { id } })
    return { id: body.objectId as string, session: body.sessionToken as string }
  }
  /** Expects that the former anonymous id no longer logs in the user, and creates a new one instead. */
  const expectNotAnonymous = async (userId: string, id: string) => {
    expect((await identities(userId)).filter((name) => name.startsWith('anonymous'))).toEqual([])
    const { body: user } = await app.request('GET', `/1.1/users/${userId}`, { master: true })
    expect(Object.keys(user.authData ?? {})).not.toContain('anonymous')
    const next = await logIn({ anonymous: { id } })
    expect(next.status).toBe(201)
    expect(next.body.objectId).not.toBe(userId)
  }

  const ways: [string, (id: string) => object][] = [
    ['authData', (id) => ({ authData: { weixin: { openid: id } } })],
    ['a dotted key', (id) => ({ 'authData.test': { openid: id } })],
    ['all authData that it has read', (id) => ({ authData: { anonymous: { id }, qq: { openid: id } } })],
    [
      'an account of a union',
      (id) => ({ authData: { weixin: { openid: id, unionid: id, platform: 'weixin', main_account: true } } }),
    ],
  ]
  it.each(ways)('that links a platform by %s is no longer anonymous', async (way, body) => {
    const { id, session } = await makeAnonymous(way)
    const answer = await put(id, body(way), { session, query: { new: 'true' } })
    expect(answer.status).toBe(200)
    expect(answer.body.authData).not.toHaveProperty('anonymous')
    await expectNotAnonymous(id, way)
  })

  it('that logs in with a platform beside its id is no longer anonymous', async () => {
    const { id } = await makeAnonymous('beside')
    const both = { anonymous: { id: 'beside' }, github: account('beside') }
    const known = await logIn(both)
    expect([known.status, known.body.objectId, known.body.authData]).toEqual([200, id, { github: account('beside') }])
    await expectNotAnonymous(id, 'beside')
    // The id now belongs to a new anonymous user; the platform takes precedence.
    expect((await logIn(both)).body.objectId).toBe(id)
  })

  it('is not created by a first login with a platform', async () => {
    const { body } = await logIn({ anonymous: { id: 'at first' }, github: account('at first') })
    expect(body.authData).toEqual({ github: account('at first') })
    await expectNotAnonymous(body.objectId, 'at first')
  })

  it('whose linking is rejected stays anonymous', async () => {
    await logIn({ github: account('taken from all') })
    const { id, session } = await makeAnonymous('staying')
    expectLinkedElsewhere(await put(id, { authData: { github: account('taken from all') } }, { session }))
    expect((await logIn({ anonymous: { id: 'staying' } })).body.objectId).toBe(id)
  })

  it('that gets only a name stays anonymous: it could not log in otherwise', async () => {
    const { id, session } = await makeAnonymous('named only')
    await put(id, { username: 'named only' }, { session })
    expect((await logIn({ anonymous: { id: 'named only' } })).body.objectId).toBe(id)
  })
})

describe('linking', () => {
  it('adds an account; with new=true the response has all accounts', async () => {
    const { id, session } = await app.makeUser('linking')
    const plain = await put(id, { authData: { github: account('linking') } }, { session })
    expect([plain.status, plain.body]).toEqual([200, { objectId: id, updatedAt: expect.any(String) }])
    const authData = { weixin: { openid: 'linking' } }
    const { body } = await put(id, { authData }, { session, query: { new: 'true' } })
    expect(body).toEqual({
      objectId: id,
      updatedAt: expect.any(String),
      authData: { github: account('linking'), ...authData },
    })
    const dotted = await put(id, { 'authData.qq': { openid: 'linking' } }, { session })
    expect(dotted.status).toBe(200)
    for (const data of [{ github: account('linking') }, authData, { qq: { openid: 'linking' } }])
      expect((await logIn(data)).body.objectId).toBe(id)
  })

  it("of another user's account gets error 137 with a fixed text, and changes nothing", async () => {
    await logIn({ github: account('foreign') })
    const { id, session } = await app.makeUser('greedy')
    const body = { nick: 'x', authData: { gitlab: account('own'), github: account('foreign') } }
    expectLinkedElsewhere(await put(id, body, { session }))
    expectLinkedElsewhere(await put(id, { 'authData.github': account('foreign') }, { master: true }))
    expect(await identities(id)).toEqual([])
    const stored = (await app.request('GET', `/1.1/users/${id}`, { master: true })).body
    expect([stored.authData, stored.nick]).toEqual([undefined, undefined])
  })

  const union = (openid: string) => ({ openid, unionid: 'taken', platform: 'weixin', main_account: true })

  it.each<[string, object]>([
    ['an object', { authData: { github: account('taken') } }],
    ['a dotted key', { 'authData.github': account('taken') }],
    ['an openid', { authData: { qq: { openid: 'taken' } } }],
    ['an openid beside a uid', { authData: { github: { uid: 'free', openid: 'taken' } } }],
    ['one of several platforms', { authData: { gitlab: account('free'), github: account('taken') } }],
    ['a union id', { authData: { weixin: union('free') } }],
    ['an anonymous id', { authData: { anonymous: { id: 'taken' } } }],
    ['a link beside a password', { password: 'other', authData: { github: account('taken') } }],
  ])("gives the same response for another user's account sent as %s", async (_form, body) => {
    for (const owned of [account('taken'), { openid: 'taken' }]) await logIn({ github: owned })
    await logIn({ qq: { openid: 'taken' } })
    await logIn({ weixin: union('taken') })
    await logIn({ anonymous: { id: 'taken' } })
    const { id, session } = await app.makeUser(`taking ${JSON.stringify(body)}`)
    for (const path of [`/1.1/users/${id}`, `/1.1/classes/_User/${id}`])
      for (const caller of [{ session }, { master: true }])
        expectLinkedElsewhere(await app.request('PUT', path, { body, ...caller }))
    const requests = [{ method: 'PUT', path: `/1.1/users/${id}`, body }]
    const [item] = (await app.request('POST', '/1.1/batch', { body: { requests }, session })).body
    expectLinkedElsewhere({ status: 400, body: item.error })
    expect(await identities(id)).toEqual([])
  })

  it('of one account by many users concurrently succeeds for one', async () => {
    const users = await Promise.all(Array.from({ length: 10 }, (_, index) => app.makeUser(`wanting ${index}`)))
    const authData = { github: account('wanted'), gitlab: account('wanted') }
    const reversed = { gitlab: account('wanted'), github: account('wanted') }
    const replies = await Promise.all(
      users.map(({ id, session }, index) => put(id, { authData: index % 2 ? authData : reversed }, { session })),
    )
    const linked = replies.flatMap(({ status }, index) => (status === 200 ? [users[index]!.id] : []))
    expect(linked).toHaveLength(1)
    for (const reply of replies) if (reply.status !== 200) expectLinkedElsewhere(reply)
    expect(await identities(linked[0]!)).toEqual(['github wanted', 'gitlab wanted'])
    const { rows } = await app.sql(`SELECT count(*)::int FROM "$identities" WHERE uid = 'wanted'`)
    expect(rows[0].count).toBe(2)
  })

  it('requires the id of the account: error 250', async () => {
    const { id, session } = await app.makeUser('nameless')
    expectError(await put(id, { authData: { github: { access_token: 'x' } } }, { session }), 250)
  })

  it('leaves the union entries to the server', async () => {
    const { id, session } = await app.makeUser('forging')
    const union = { openid: 'has union', unionid: 'u', platform: 'weixin', main_account: true }
    const owner = (await logIn({ weixin: union })).body
    const body = { authData: { _weixin_unionid: { uid: 'u' } } }
    expect((await put(id, body, { session })).status).toBe(200)
    expectError(await put(id, { 'authData._weixin_unionid': { uid: 'u' } }, { session }), 105)
    expect(await identities(id)).toEqual([])
    // A client can send back the data it has read.
    const own = { session: owner.sessionToken }
    expect((await put(owner.objectId, { authData: owner.authData }, own)).status).toBe(200)
    await put(owner.objectId, { authData: { _weixin_unionid: null } }, own)
    expect(await identities(owner.objectId)).toEqual(['_weixin_unionid u', 'weixin has union'])
  })
})

describe('unlinking', () => {
  const deletions: [string, object][] = [
    ['a Delete on the dotted key', { 'authData.github': { __op: 'Delete' } }],
    ['a Delete that says so twice', { 'authData.github': { __op: 'Delete', delete: true } }],
    ['null', { authData: { github: null } }],
    ['null on the dotted key', { 'authData.github': null }],
  ]

  it.each(deletions)('by %s removes one account and keeps the others', async (how, body) => {
    const made = (await logIn({ github: account(how), gitlab: account(how) })).body
    const session = made.sessionToken
    const { status, body: answer } = await put(made.objectId, body, { session })
    expect([status, answer]).toEqual([200, { objectId: made.objectId, updatedAt: expect.any(String) }])
    expect(await identities(made.objectId)).toEqual([`gitlab ${how}`])
    expect((await app.request('GET', '/1.1/users/me', { session })).body.authData).toEqual({ gitlab: account(how) })
    expect((await logIn({ github: account(how) })).status).toBe(201)
    expect((await put(made.objectId, body, { session })).status).toBe(200)
  })

  it('is restricted to the user itself and the master key', async () => {
    const made = (await logIn({ github: account('held') })).body
    const { session } = await app.makeUser('unlinker')
    for (const options of [{}, { session }])
      expectError(await put(made.objectId, { authData: { github: null } }, options), 206, 403)
    expect((await put(made.objectId, { authData: { github: null } }, { master: true })).status).toBe(200)
  })

  it('combined with linking applies both changes', async () => {
    const made = (await logIn({ github: account('out') })).body
    const body = { authData: { github: null, gitlab: account('in') } }
    const { body: answer } = await put(made.objectId, body, { session: made.sessionToken, query: { new: 'true' } })
    expect(answer.authData).toEqual({ gitlab: account('in') })
  })
})

describe('many concurrent first logins', () => {
  const atOnce = async (count: number, authData: (index: number) => object) => {
    const replies = await Promise.all(Array.from({ length: count }, (_, index) => logIn(authData(index))))
    const tokens = new Set(replies.map(({ body }) => `${body.objectId} ${body.sessionToken}`))
    const codes = replies.map(({ status }) => status).toSorted()
    return { tokens: tokens.size, codes, id: replies[0]!.body.objectId as string }
  }

  it('with one account create one user, and all return it', async () => {
    const { tokens, codes, id } = await atOnce(50, () => ({ github: account('at once') }))
    expect(tokens).toBe(1)
    expect(codes).toEqual([...Array(49).fill(200), 201])
    const { rows } = await app.sql(`SELECT id FROM "_User" WHERE data->'authData'->'github'->>'uid' = 'at once'`)
    expect(rows).toEqual([{ id }])
    const orphans = await app.sql('SELECT user_id FROM "$credentials" WHERE user_id NOT IN (SELECT id FROM "_User")')
    expect(orphans.rows).toEqual([])
  })

  it('with two accounts in either order create one user', async () => {
    const [a, b] = [account('a of two'), account('b of two')]
    const { tokens, codes } = await atOnce(30, (index) => (index % 2 ? { aa: a, bb: b } : { bb: b, aa: a }))
    expect([tokens, codes]).toEqual([1, [...Array(29).fill(200), 201]])
  })

  it('with uid, openid or both of one account create one user', async () => {
    const forms = [{ uid: 'u at once', openid: 'o at once' }, { openid: 'o at once' }]
    const { tokens, codes, id } = await atOnce(30, (index) => ({ test: forms[index % 2]! }))
    expect([tokens, codes]).toEqual([1, [...Array(29).fill(200), 201]])
    expect(await identities(id)).toEqual(['test o at once', 'test u at once'])
  })

  it('with one union account create one user', async () => {
    const union = { unionid: 'at once', platform: 'weixin', main_account: true }
    const { tokens, id } = await atOnce(30, (index) => ({ [`app${index}`]: { ...account('union at once'), ...union } }))
    expect(tokens).toBe(1)
    expect(await identities(id)).toHaveLength(31)
  })
})
