import { describe, expect, it } from 'vitest'
import { makeApp, type Reply, type RequestOptions } from '../support/app.ts'

const app = await makeApp()
const { id, session } = await app.makeUser('target')

const put = (body: unknown, options: RequestOptions = { session }) =>
  app.request('PUT', `/1.1/users/${id}`, { body, ...options })
const signUp = (body: unknown) => app.request('POST', '/1.1/users', { body })
const schema = async () => (await app.request('GET', '/1.1/schemas/_User', { master: true })).body
const fields = await schema()
const target = async () => (await app.request('GET', '/1.1/users/me', { session })).body
const credentials = async () =>
  (await app.sql('SELECT password, session_token FROM "$credentials" WHERE user_id = $1', [id])).rows
const untouched = await target()
const proofs = await credentials()

function expectError(reply: Reply, code: number, status = 400): void {
  expect(reply.body, JSON.stringify(reply.body)).toEqual({ code, error: expect.any(String) })
  expect(reply.status).toBe(status)
}

/** Expects the user, its password and its session unchanged, and no new fields in its class. */
async function expectUntouched(): Promise<void> {
  expect(await target()).toEqual({ ...untouched, updatedAt: expect.any(String) })
  expect(await credentials()).toEqual(proofs)
  expect(await schema()).toEqual(fields)
}

const operations = [
  { __op: 'Increment', amount: 1 },
  { __op: 'Add', objects: ['x'] },
  { __op: 'AddUnique', objects: ['x'] },
  { __op: 'Remove', objects: ['x'] },
  { __op: 'AddRelation', objects: [{ __type: 'Pointer', className: '_User', objectId: id }] },
  { __op: 'BitOr', value: 1 },
  { __op: 'Batch', ops: [{ __op: 'Increment', amount: 1 }] },
  { __op: 'Unknown' },
]
const others = [
  5,
  true,
  [],
  ['x'],
  {},
  { $ne: null },
  { __type: 'Date', iso: '2026-01-01T00:00:00.000Z' },
  { __type: 'Pointer', className: '_User', objectId: id },
]

describe.each([
  ['username', 217, [...operations, ...others, null, { __op: 'Delete' }, '', ' ', '\u3000', '\n']],
  ['password', 218, [...operations, ...others, null, { __op: 'Delete' }, '', ' ', '\u3000', '\n']],
  [
    'email',
    125,
    [...operations, ...others, '', ' ', 'a', 'a@', '@b.cc', 'a b@c.dd', 'a@b.cc\r\nBcc: d@e.ff', 'a\u0000@b.cc'],
  ],
  [
    'mobilePhoneNumber',
    127,
    [...operations, ...others, '', ' ', '+', '123', '+1 234', '1'.repeat(16), '١٢٣٤٥٦', '12345\n'],
  ],
] as const)('%s', (name, code, values) => {
  it.each(values.map((value) => [JSON.stringify(value), value] as const))('cannot be %s', async (_text, value) => {
    expectError(await put({ [name]: value }), code)
    expectError(await put({ [name]: value }, { master: true }), code)
    expectError(await signUp({ username: 'never', password: 'never', [name]: value }), code)
    await expectUntouched()
  })

  it('rejects operations on parts: error 111', async () => {
    const parts = [1, 'x', { __op: 'Delete' }, { __op: 'Increment', amount: 1 }, { __op: 'Add', objects: [1] }]
    for (const part of parts) {
      expectError(await put({ [`${name}.x`]: part }), 111)
      expectError(await put({ email: 'changed@example.org', [`${name}.x.y`]: part }, { master: true }), 111)
    }
    expectError(await signUp({ username: 'never', password: 'never', [`${name}.x`]: 1 }), 111)
    await expectUntouched()
  })
})

describe('authData', () => {
  it.each([...operations, 5, true, 'x', ['x']].map((value) => [JSON.stringify(value), value]))(
    'and its members cannot be %s: error 111',
    async (_text, value) => {
      expectError(await put({ authData: value }), 111)
      expectError(await put({ authData: { github: value } }), 111)
      expectError(await put({ 'authData.github': value }, { master: true }), 111)
      expectError(await signUp({ username: 'never', password: 'never', authData: { github: value } }), 111)
      await expectUntouched()
    },
  )

  it('cannot be deleted as a whole: error 111', async () => {
    expectError(await put({ authData: { __op: 'Delete' } }), 111)
  })

  it('can be changed only by whole platforms: error 105', async () => {
    for (const key of ['authData.github.uid', 'authData.', 'authData..', 'authData._x_unionid', 'authData.a b'])
      expectError(await put({ [key]: { uid: 'x' } }), 105)
    await expectUntouched()
  })
})

describe('fields set only by the server', () => {
  const values = ['x', 5, null, [], {}, ...operations]

  it.each(['sessionToken', 'salt', 'bcryptPassword', 'emailVerified', 'mobilePhoneVerified'])(
    '%s and its parts are ignored for any value',
    async (name) => {
      for (const value of values) {
        expect(await put({ [name]: value })).toMatchObject({ status: 200, body: { objectId: id } })
        expect((await put({ [`${name}.x`]: value })).status).toBe(200)
      }
      await expectUntouched()
    },
  )

  it.each(['sessionToken', 'salt', 'bcryptPassword'])('%s is ignored from the master key too', async (name) => {
    for (const value of values) expect((await put({ [name]: value }, { master: true })).status).toBe(200)
    await expectUntouched()
  })

  it.each(['emailVerified', 'mobilePhoneVerified'])(
    '%s can be set to true or false with the master key',
    async (name) => {
      for (const value of ['x', 5, [], {}, ...operations]) {
        const isUnknown = (value as { __op?: string }).__op === 'Unknown'
        expectError(await put({ [name]: value }, { master: true }), isUnknown ? 1 : 111)
      }
      await expectUntouched()
    },
  )

  it.each(['objectId', 'createdAt', 'updatedAt', 'className'])('%s stays unchanged', async (name) => {
    for (const value of ['x', 5, null, {}]) expect((await put({ [name]: value })).status).toBe(200)
    for (const value of operations) expectError(await put({ [name]: value }), 117)
    await expectUntouched()
  })
})

describe('a body', () => {
  const wrong = ['[[]]', '[{}]', '5', '"x"', 'true', '{', '{"a":}', "{'a':1}", '\u0000', '{"a":1}{"b":2}']

  it.each(wrong)('cannot be %s: error 107', async (text) => {
    expectError(await put(text), 107)
    expectError(await signUp(text), 107)
    await expectUntouched()
  })

  it('that is empty changes nothing', async () => {
    for (const body of [undefined, 'null', '{}', '[]']) expect((await put(body)).status).toBe(200)
    for (const body of [undefined, 'null', '{}', '[]']) expectError(await signUp(body), 200)
    await expectUntouched()
  })

  it('handles __proto__ safely', async () => {
    const hidden = '{"username":"never","__proto__":{"password":"never","admin":true}}'
    expectError(await signUp(hidden), 201)
    expect((await put('{"__proto__":{"username":"x","password":"x","emailVerified":true}}')).status).toBe(200)
    expectError(await put('{"__proto__.polluted":1,"constructor.prototype.polluted":1,"email":"x"}'), 125)
    const polluted: object = {}
    expect('polluted' in polluted).toBe(false)
    await expectUntouched()
  })

  it('accepts a name in any script', async () => {
    for (const username of [
      '名前',
      '😀',
      'é',
      'e\u0301',
      'x'.repeat(1024),
      '{"$ne":null}',
      "'; DROP TABLE",
      '__proto__',
    ]) {
      const made = await signUp({ username, password: ' 密码\u0000😀 ' })
      expect([made.status, made.body.username]).toEqual([201, username])
      const body = { username, password: ' 密码\u0000😀 ' }
      expect((await app.request('POST', '/1.1/login', { body })).body.objectId).toBe(made.body.objectId)
    }
    expectError(await signUp({ username: 'x'.repeat(1025), password: 'p' }), 217)
    expectError(await signUp({ username: '名'.repeat(342), password: 'p' }), 217)
  })

  it('accepts a password of 4096 bytes, all significant', async () => {
    const password = 'x'.repeat(4096)
    await signUp({ username: 'long password', password })
    const logIn = (given: string) =>
      app.request('POST', '/1.1/login', { body: { username: 'long password', password: given } })
    expect((await logIn(password)).status).toBe(200)
    expectError(await logIn(`${password.slice(1)}y`), 210)
    expectError(await signUp({ username: 'too long', password: 'x'.repeat(4097) }), 218)
  })
})
