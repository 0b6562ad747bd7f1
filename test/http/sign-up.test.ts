import { afterEach, describe, expect, it } from 'vitest'
import { makeApp, type Reply, type RequestOptions } from '../support/app.ts'

const app = await makeApp()

const signUp = (body: unknown, options: RequestOptions = {}) => app.request('POST', '/1.1/users', { body, ...options })
const setAccounts = (accounts: object) => app.admin('PATCH', '/settings', { accounts })
const userOf = async (id: string) => (await app.request('GET', `/1.1/users/${id}`, { master: true })).body

function expectError(reply: Reply, code: number, status = 400): void {
  expect(reply.body, JSON.stringify(reply.body)).toEqual({ code, error: expect.any(String) })
  expect(reply.status).toBe(status)
}

describe('a sign-up', () => {
  it('returns 201, the location of the user and the whole user', async () => {
    const sent = { username: 'whole', password: 'a password', nick: 'W', tags: ['a'] }
    const { status, headers, body } = await signUp(sent)
    expect(status).toBe(201)
    expect(headers.get('location')).toBe(`/1.1/classes/_User/${body.objectId}`)
    expect(body).toEqual({
      objectId: expect.stringMatching(/^[0-9a-f]{24}$/),
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updatedAt: body.createdAt,
      username: 'whole',
      nick: 'W',
      tags: ['a'],
      emailVerified: null,
      mobilePhoneVerified: false,
      sessionToken: expect.stringMatching(/^[a-z0-9]{25}$/),
    })
  })

  it('returns address and number when they were sent', async () => {
    const { body } = await signUp({
      username: 'reachable',
      password: 'a password',
      email: 'reachable@example.org',
      mobilePhoneNumber: '13800000000',
    })
    expect(body).toMatchObject({ email: 'reachable@example.org', mobilePhoneNumber: '13800000000' })
  })

  it('requires only the app key, and ignores a session', async () => {
    const { session } = await app.makeUser('logged in')
    for (const options of [{ session }, { session: 'stale' }, { master: true }]) {
      const { status, body } = await signUp({ username: `with ${JSON.stringify(options)}`, password: 'p' }, options)
      expect([status, body.sessionToken === session]).toEqual([201, false])
    }
  })

  it('is rejected when users can be created only with the master key', async () => {
    await app.admin('PATCH', '/classes/_User', { permissions: { create: 'master' } })
    expectError(await signUp({ username: 'closed', password: 'p' }), 403, 403)
    expect((await signUp({ username: 'closed', password: 'p' }, { master: true })).status).toBe(201)
    await app.admin('PATCH', '/classes/_User', { permissions: { create: 'public' } })
  })

  it('cannot add fields when clients cannot', async () => {
    await app.admin('PATCH', '/classes/_User', { permissions: { addField: 'master' } })
    expectError(await signUp({ username: 'adding', password: 'p', fresh: 1 }), 403, 403)
    expect((await signUp({ username: 'adding', password: 'p' })).status).toBe(201)
    await app.admin('PATCH', '/classes/_User', { permissions: { addField: 'public' } })
  })

  it('makes the user the owner in the default ACL', async () => {
    await app.admin('PATCH', '/classes/_User', { defaultAcl: { _owner: { read: true, write: true } } })
    const { session } = await app.makeUser('an owner')
    const { body } = await signUp({ username: 'owned', password: 'p' }, { session })
    await app.admin('PATCH', '/classes/_User', { defaultAcl: null })
    const path = `/1.1/users/${body.objectId}`
    expect((await app.request('GET', path, { session: body.sessionToken })).body.username).toBe('owned')
    expectError(await app.request('GET', path, { session }), 403, 403)
  })
})

describe('rejects a body', () => {
  const password = 'a password'
  const username = 'refused'

  it.each([
    ['a missing name', { password }, 200],
    ['an empty name', { username: '', password }, 217],
    ['a blank name', { username: ' \t', password }, 217],
    ['a name that is no text', { username: 5, password }, 217],
    ['a name that is null', { username: null, password }, 217],
    ['a name of 1 MB', { username: 'x'.repeat(1_000_000), password }, 217],
    ['a missing password', { username }, 201],
    ['a blank password', { username, password: ' ' }, 218],
    ['a password that is no text', { username, password: ['a'] }, 218],
    ['a password that is null', { username, password: null }, 218],
    ['a password of 1 MB', { username, password: 'x'.repeat(1_000_000) }, 218],
    ['an address that is none', { username, password, email: 'nowhere' }, 125],
    ['an address that is no text', { username, password, email: 5 }, 125],
    ['a number that is none', { username, password, mobilePhoneNumber: 'twelve' }, 127],
    ['a number that is no text', { username, password, mobilePhoneNumber: 13800000000 }, 127],
    ['a dotted key', { username, password, 'profile.city': 'Oslo' }, 105],
    ['a wrong ACL', { username, password, ACL: 'public' }, 123],
    ['a field of another type', { username, password, authData: 'weixin' }, 111],
  ])('%s: its own error', async (_fault, body, code) => {
    expectError(await signUp(body), code)
    expectError(await app.request('POST', '/1.1/login', { body: { username, password } }), 211)
  })

  it('with a taken name: 202, case-sensitive', async () => {
    await signUp({ username: 'Case', password })
    expectError(await signUp({ username: 'Case', password }), 202)
    expect((await signUp({ username: 'case', password })).status).toBe(201)
  })

  it('with a taken address: 203, case-sensitive', async () => {
    await signUp({ username: 'mail 1', password, email: 'Case@example.org' })
    expectError(await signUp({ username: 'mail 2', password, email: 'Case@example.org' }), 203)
    expect((await signUp({ username: 'mail 2', password, email: 'case@example.org' })).status).toBe(201)
  })

  it('with a taken number: 214, with or without its country code', async () => {
    await signUp({ username: 'phone 1', password, mobilePhoneNumber: '13900000000' })
    for (const mobilePhoneNumber of ['13900000000', '+8613900000000']) {
      expectError(await signUp({ username: 'phone 2', password, mobilePhoneNumber }), 214)
    }
    expect((await signUp({ username: 'phone 2', password, mobilePhoneNumber: '+113900000000' })).status).toBe(201)
  })
})

describe('fields set only by the server', () => {
  const sent = {
    password: 'a password',
    objectId: '0123456789abcdef01234567',
    createdAt: '2000-01-01T00:00:00.000Z',
    updatedAt: '2000-01-01T00:00:00.000Z',
    sessionToken: 'chosenbytheclient00000000',
    salt: 'chosen',
    bcryptPassword: 'chosen',
    emailVerified: true,
    mobilePhoneVerified: true,
  }

  it('are ignored in the body of a client', async () => {
    const { body } = await signUp({ username: 'choosing', ...sent })
    expect(body).toEqual({
      objectId: expect.not.stringContaining(sent.objectId),
      createdAt: body.updatedAt,
      updatedAt: expect.stringMatching(/^20[2-9]/),
      username: 'choosing',
      sessionToken: expect.not.stringContaining(sent.sessionToken),
      emailVerified: null,
      mobilePhoneVerified: false,
    })
    expectError(await app.request('GET', '/1.1/users/me', { session: sent.sessionToken }), 211)
    expect(await userOf(body.objectId)).toEqual(body)
  })

  it('except that the master key sets the two flags', async () => {
    const { body } = await signUp({ username: 'set by the master', ...sent }, { master: true })
    expect([body.emailVerified, body.mobilePhoneVerified]).toEqual([true, true])
    expect(await userOf(body.objectId)).toMatchObject({ emailVerified: true, mobilePhoneVerified: true })
    expect(body.sessionToken).not.toBe(sent.sessionToken)
  })
})

// protocol/accounts, emailVerified
describe('emailVerified of a new user', () => {
  afterEach(() => setAccounts({ sendVerificationEmail: false }))

  it('is null while addresses are not verified, with an address or without', async () => {
    expect((await signUp({ username: 'off 1', password: 'p' })).body.emailVerified).toBe(null)
    const { body } = await signUp({ username: 'off 2', password: 'p', email: 'off@example.org' })
    expect([body.emailVerified, (await userOf(body.objectId)).emailVerified]).toEqual([null, null])
  })

  it('is false while they are verified, and null without an address', async () => {
    await setAccounts({ sendVerificationEmail: true })
    expect((await signUp({ username: 'on 1', password: 'p' })).body.emailVerified).toBe(null)
    const { body } = await signUp({ username: 'on 2', password: 'p', email: 'on@example.org' })
    expect([body.emailVerified, (await userOf(body.objectId)).emailVerified]).toEqual([false, false])
  })

  it('becomes false with a new address, whatever it was, and null without one', async () => {
    const { body } = await signUp({ username: 'moving', password: 'p', email: 'one@example.org' })
    const change = async (change: object, options: RequestOptions = { session: body.sessionToken }) => {
      const reply = await app.request('PUT', `/1.1/users/${body.objectId}`, { body: change, ...options })
      expect(reply.status).toBe(200)
      return (await userOf(body.objectId)).emailVerified
    }
    expect(await change({ emailVerified: true }, { master: true })).toBe(true)
    expect(await change({ nick: 'x', emailVerified: false })).toBe(true)
    expect(await change({ email: 'two@example.org' })).toBe(false)
    expect(await change({ emailVerified: true }, { master: true })).toBe(true)
    expect(await change({ email: 'three@example.org', emailVerified: true })).toBe(false)
    expect(await change({ email: 'four@example.org', emailVerified: true }, { master: true })).toBe(true)
    expect(await change({ email: { __op: 'Delete' } })).toBe(null)
  })
})

describe('of many concurrent sign-ups with the same', () => {
  const COUNT = 40
  const same = [
    ['name', 202, () => ({ username: 'at once' })],
    ['address', 203, (index: number) => ({ username: `address ${index}`, email: 'at.once@example.org' })],
    ['number', 214, (index: number) => ({ username: `number ${index}`, mobilePhoneNumber: '13700000000' })],
  ] as const

  it.each(same)(
    '%s one succeeds, and the others leave nothing',
    async (_what, code, fields) => {
      const before = await counts()
      const replies = await Promise.all(
        Array.from({ length: COUNT }, (_, index) => signUp({ ...fields(index), password: 'p' })),
      )
      const made = replies.filter(({ status }) => status === 201)
      expect(made).toHaveLength(1)
      for (const reply of replies) if (reply !== made[0]) expectError(reply, code)
      expect(await counts()).toEqual({ users: before.users + 1, credentials: before.credentials + 1 })
      const me = await app.request('GET', '/1.1/users/me', { session: made[0]!.body.sessionToken })
      expect(me.body).toEqual(made[0]!.body)
    },
    120_000,
  )

  const counts = async () => {
    const { rows } = await app.sql(
      'SELECT (SELECT count(*)::int FROM "_User") AS users, (SELECT count(*)::int FROM "$credentials") AS credentials',
    )
    return rows[0] as { users: number; credentials: number }
  }
})
