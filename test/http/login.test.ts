import { afterEach, describe, expect, it } from 'vitest'
import { makeApp, type Reply, type RequestOptions } from '../support/app.ts'

const app = await makeApp()
const KNOWN = {
  username: 'known',
  password: 'the password',
  email: 'known@example.org',
  mobilePhoneNumber: '13800000000',
  nick: 'K',
}
const known = (await app.request('POST', '/1.1/users', { body: KNOWN })).body

const logIn = (body: unknown, options: RequestOptions = {}) => app.request('POST', '/1.1/login', { body, ...options })
const me = (options: RequestOptions) => app.request('GET', '/1.1/users/me', options)
const setAccounts = (accounts: object) => app.admin('PATCH', '/settings', { accounts })

function expectError(reply: Reply, code: number, status = 400): void {
  expect(reply.body, JSON.stringify(reply.body)).toEqual({ code, error: expect.any(String) })
  expect(reply.status).toBe(status)
}

describe('a login', () => {
  const password = KNOWN.password

  it.each([
    ['a name', { username: 'known', password }],
    ['an address', { email: 'known@example.org', password }],
    ['a number', { mobilePhoneNumber: '13800000000', password }],
    ['a number with its country code', { mobilePhoneNumber: '+8613800000000', password }],
    ['a name, if the address beside it is null', { username: 'known', email: null, password }],
    [
      'an address, if name and number beside it are nothing',
      { username: null, email: KNOWN.email, mobilePhoneNumber: '', password },
    ],
  ])('by %s returns the whole user and the same token as before', async (_way, body) => {
    const { status, headers, body: user } = await logIn(body)
    expect([status, user]).toEqual([200, known])
    expect([headers.get('location'), headers.get('last-modified')]).toEqual([null, null])
    expect(headers.get('cache-control')).toBe('no-cache,no-store')
  })

  it.each([
    [{ username: 'known', email: 'known@example.org', password }],
    [{ username: 'known', mobilePhoneNumber: '13800000000', password }],
    [{ email: 'known@example.org', mobilePhoneNumber: '13800000000', password }],
    [{ username: 'known', email: 'known@example.org', mobilePhoneNumber: '13800000000', password }],
    [{ username: 'known', mobilePhoneNumber: '13800000000', smsCode: '123456' }],
  ])('with %j names two identities and is rejected', async (body) => {
    const reply = await logIn(body)
    expectError(reply, 1)
    expect(reply.body.error).toContain("one of 'username', 'email', 'mobilePhoneNumber'")
    expect(reply.body.error).not.toContain('known@')
  })

  it('is accepted as a GET, as sent by early SDKs', async () => {
    const { status, body } = await app.request('GET', '/1.1/login', { query: { username: 'known', password } })
    expect([status, body]).toEqual([200, known])
  })

  it('can be an item of a batch', async () => {
    const requests = [{ method: 'POST', path: '/1.1/login', body: { username: 'known', password } }]
    expect((await app.request('POST', '/1.1/batch', { body: { requests } })).body).toEqual([{ success: known }])
  })

  it.each([
    ['an unknown name', { username: 'nobody', password }, 211],
    ['a name in other letters', { username: 'Known', password }, 211],
    ['an unknown address', { email: 'nobody@example.org', password }, 211],
    ['an unknown number', { mobilePhoneNumber: '13999999999', password }, 213],
    ['a wrong password', { username: 'known', password: 'The password' }, 210],
    ['no name', { password }, 200],
    ['an empty name', { username: '', password }, 200],
    ['no password', { username: 'known' }, 201],
    ['an empty password', { username: 'known', password: '' }, 201],
    ['a number that is none', { mobilePhoneNumber: 'x', password }, 127],
    ['a name that is no text', { username: { $ne: null }, password }, 1],
    ['an address that is no text', { email: ['known@example.org'], password }, 1],
    ['a password that is no text', { username: 'known', password: { $ne: null } }, 218],
    ['a name with a NUL', { username: 'known\u0000', password }, 211],
    ['a name with half a character', '{"username":"\\ud800","password":"x"}', 211],
    ['a name of 1 MB', { username: 'x'.repeat(1_000_000), password }, 211],
    ['an array', ['known', password], 107],
    ['a text', '"known"', 107],
    ['no body', undefined, 200],
  ])('with %s is rejected', async (_fault, body, code) => {
    expectError(await logIn(body), code)
  })

  it('of a user without a password is rejected', async () => {
    const authData = { github: { uid: 'no password', access_token: 'x' } }
    const { body } = await app.request('POST', '/1.1/users', { body: { username: 'no password', authData } })
    expect(body.username).toBe('no password')
    expectError(await logIn({ username: 'no password', password: 'null' }), 210)
  })

  it('returns the fields only the user can see', async () => {
    const { id, session } = await app.makeUser('pictured')
    const file = { name: 'a.png', url: 'https://example.org/a.png', ACL: { [id]: { read: true } } }
    const made = await app.request('POST', '/1.1/files', { body: file })
    const body = { avatar: { __type: 'File', id: made.body.objectId } }
    await app.request('PUT', `/1.1/users/${id}`, { body, session })
    const answer = await logIn({ username: 'pictured', password: 'password of pictured' })
    expect(answer.body.avatar).toMatchObject({ __type: 'File', url: file.url })
    expect((await me({ session })).body).toEqual(answer.body)
    expect((await app.request('GET', `/1.1/users/${id}`)).body.avatar.url).toBe(undefined)
  })

  it('changes nothing in the user', async () => {
    await logIn({ username: 'known', password })
    expect((await me({ session: known.sessionToken })).body).toEqual(known)
  })
})

describe('a conditional login', () => {
  afterEach(() => setAccounts({ requireVerifiedEmail: false, requireVerifiedPhone: false }))
  const flag = (flags: object) => app.request('PUT', `/1.1/users/${known.objectId}`, { body: flags, master: true })

  it('requires a verified address if the app is configured so and the user has one: error 216', async () => {
    await setAccounts({ requireVerifiedEmail: true })
    const withoutEmail = await app.makeUser('without email')
    const { password } = KNOWN
    for (const body of [
      { username: 'known', password },
      { email: KNOWN.email, password },
    ])
      expectError(await logIn(body), 216)
    expectError(await logIn({ username: 'known', password: 'wrong' }), 210)
    expect((await logIn({ username: 'without email', password: 'password of without email' })).body.objectId).toBe(
      withoutEmail.id,
    )
    await flag({ emailVerified: true })
    expect((await logIn({ username: 'known', password })).status).toBe(200)
    await flag({ emailVerified: null })
  })

  it('requires a verified number if the app is configured so and the login uses the number: error 215', async () => {
    await setAccounts({ requireVerifiedPhone: true })
    const { mobilePhoneNumber, password } = KNOWN
    expectError(await logIn({ mobilePhoneNumber, password }), 215)
    expectError(await logIn({ mobilePhoneNumber, password: 'wrong' }), 210)
    expect((await logIn({ username: 'known', password })).status).toBe(200)
    await flag({ mobilePhoneVerified: true })
    expect((await logIn({ mobilePhoneNumber, password })).status).toBe(200)
    await flag({ mobilePhoneVerified: false })
  })
})

describe('users/me', () => {
  it('returns the user of the session in a header, the URL, a tunneled body or a batch', async () => {
    const session = known.sessionToken
    const expected = (await me({ session })).body
    expect(expected).toMatchObject({ objectId: known.objectId, sessionToken: session })
    expect((await me({ query: { session_token: session } })).body).toEqual(expected)
    expect((await me({ session, master: true })).body).toEqual(expected)
    const requests = [{ method: 'GET', path: '/1.1/users/me' }]
    expect((await app.request('POST', '/1.1/batch', { session, body: { requests } })).body).toEqual([
      { success: expected },
    ])
    const tunnelled = await app.request('POST', '/1.1/users/me', {
      headers: { 'content-type': 'text/plain' },
      body: { _method: 'GET', _SessionToken: session },
    })
    expect(tunnelled.body).toEqual(expected)
  })

  it('requires a valid token: error 211', async () => {
    for (const options of [
      {},
      { master: true },
      { session: 'stale' },
      { session: 'stale', master: true },
      { query: { session_token: 'stale' } },
      { query: { session_token: '' } },
      { query: { session_token: 'nul\u0000' } },
      { query: { 'session_token[]': known.sessionToken } },
    ])
      expectError(await me(options), 211)
  })
})

describe('refreshSessionToken', () => {
  const refresh = (id: string, options: RequestOptions) =>
    app.request('PUT', `/1.1/users/${id}/refreshSessionToken`, options)

  it('returns the whole user and a new token, and revokes the old one at once', async () => {
    const { id, session } = await app.makeUser('refreshing')
    const before = (await me({ session })).body
    const { status, body } = await refresh(id, { session })
    expect([status, body]).toEqual([
      200,
      { ...before, updatedAt: expect.any(String), sessionToken: expect.stringMatching(/^[a-z0-9]{25}$/) },
    ])
    expect(body.sessionToken).not.toBe(session)
    expectError(await me({ session }), 211)
    expectError(await refresh(id, { session }), 206, 403)
    expect((await me({ session: body.sessionToken })).body).toEqual(body)
    const byMaster = await refresh(id, { master: true })
    expect([byMaster.status, byMaster.body.sessionToken === body.sessionToken]).toEqual([200, false])
  })

  it('is restricted to the user itself and the master key', async () => {
    const { id } = await app.makeUser('to be refreshed')
    for (const options of [{}, { session: 'stale' }, { session: known.sessionToken }])
      expectError(await refresh(id, options), 206, 403)
    expectError(await refresh('0123456789abcdef01234567', { master: true }), 211)
    expectError(await refresh('a.b', { master: true }), 104)
  })

  it('concurrently leaves one valid token', async () => {
    const { id, session } = await app.makeUser('refreshed at once')
    const replies = await Promise.all(Array.from({ length: 20 }, () => refresh(id, { master: true })))
    const tokens = replies.map(({ body }) => body.sessionToken as string)
    expect(new Set([session, ...tokens]).size).toBe(21)
    const alive = await Promise.all([session, ...tokens].map(async (token) => (await me({ session: token })).status))
    expect(alive.filter((status) => status === 200)).toHaveLength(1)
  })
})

describe('updatePassword', () => {
  const change = (id: string, body: unknown, options: RequestOptions) =>
    app.request('PUT', `/1.1/users/${id}/updatePassword`, { body, ...options })

  it('returns objectId, updatedAt and the token', async () => {
    const { id, session } = await app.makeUser('changing')
    const body = { old_password: 'password of changing', new_password: 'new' }
    expect(await change(id, body, { session })).toMatchObject({
      status: 200,
      body: { objectId: id, updatedAt: expect.any(String), sessionToken: session },
    })
    expectError(await logIn({ username: 'changing', password: 'password of changing' }), 210)
    expect((await logIn({ username: 'changing', password: 'new' })).status).toBe(200)
  })

  it('requires the session of the user, also with the master key', async () => {
    const body = { old_password: KNOWN.password, new_password: 'new' }
    for (const options of [
      {},
      { session: 'stale' },
      { session: (await app.makeUser('a thief')).session },
      { master: true },
    ])
      expectError(await change(known.objectId, body, options), 206, 403)
    expect((await logIn({ username: 'known', password: KNOWN.password })).status).toBe(200)
  })

  it.each([
    ['a wrong old password', { old_password: 'wrong', new_password: 'new' }, 210],
    ['no old password', { new_password: 'new' }, 1],
    ['an old password that is no text', { old_password: { $ne: null }, new_password: 'new' }, 1],
    ['no new password', { old_password: KNOWN.password }, 201],
    ['an empty new password', { old_password: KNOWN.password, new_password: '' }, 201],
    ['a blank new password', { old_password: KNOWN.password, new_password: ' ' }, 218],
    ['a new password that is no text', { old_password: KNOWN.password, new_password: { __op: 'Delete' } }, 218],
    ['a new password of 1 MB', { old_password: KNOWN.password, new_password: 'x'.repeat(1_000_000) }, 218],
    ['an array', [KNOWN.password, 'new'], 107],
  ])('with %s is rejected', async (_fault, body, code) => {
    expectError(await change(known.objectId, body, { session: known.sessionToken }), code)
    expect((await logIn({ username: 'known', password: KNOWN.password })).status).toBe(200)
  })
})

// protocol/moving-in, Users in exports
describe('an imported password', () => {
  const formOf = async (id: string) =>
    (await app.sql('SELECT password FROM "$credentials" WHERE user_id = $1', [id])).rows[0].password as string
  const stored: [string, string, string][] = [
    [
      'an export of the hosted service',
      'password',
      '$sha512-512$h60d8x797d3oa0naxybxxv9bn7xpt2yiowz68mpiwou7gwr2$tA7BLW+NK0UeARng0693gCaVnljkglCB9snqlpCSUKjx2RgYp8VZZOQt0S5iUtlDrkJXfT3gknS4rRqjYsd/Ug==',
    ],
    ['a bcrypt hash', 'bcrypt me', '$2b$04$abcdefghijklmnopqrstuuEz1Iu1WIQi1vazqB3ogUGk4rc9CzWUS'],
  ]

  it.each(stored)('such as %s logs in, and is stored as argon2id from then on', async (origin, password, hash) => {
    const { id, session } = await app.makeUser(`from ${origin}`)
    await app.sql('UPDATE "$credentials" SET password = $2 WHERE user_id = $1', [id, hash])
    expectError(await logIn({ username: `from ${origin}`, password: 'wrong' }), 210)
    expect(await formOf(id)).toBe(hash)
    const { body } = await logIn({ username: `from ${origin}`, password })
    expect([body.objectId, body.sessionToken]).toEqual([id, session])
    const renewed = await formOf(id)
    expect(renewed).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    expect((await logIn({ username: `from ${origin}`, password })).status).toBe(200)
    expect(await formOf(id)).toBe(renewed)
    expectError(await logIn({ username: `from ${origin}`, password: 'wrong' }), 210)
  })

  it('of a user without a token gets one at the first login', async () => {
    const { id, session } = await app.makeUser('imported')
    await app.sql('UPDATE "$credentials" SET session_token = NULL WHERE user_id = $1', [id])
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => logIn({ username: 'imported', password: 'password of imported' })),
    )
    const tokens = new Set(answers.map(({ body }) => body.sessionToken))
    expect([tokens.size, tokens.has(session)]).toEqual([1, false])
    expect((await me({ session: [...tokens][0] as string })).body.objectId).toBe(id)
  })

  it('in an unknown format never logs in', async () => {
    const { id } = await app.makeUser('damaged')
    for (const hash of ['', 'plain', '$argon2id$v=19$m=19456,t=2,p=1$broken', '$2b$99$x']) {
      await app.sql('UPDATE "$credentials" SET password = $2 WHERE user_id = $1', [id, hash])
      expectError(await logIn({ username: 'damaged', password: hash || 'x' }), 210)
    }
  })
})
