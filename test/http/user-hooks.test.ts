import { afterAll, describe, expect, it } from 'vitest'
import { makeApp, type Reply, type RequestOptions } from '../support/app.ts'
import { startEngine } from '../support/engine-process.ts'
import { NOTE, notesOf, PATIENTLY } from '../support/hook-notes.ts'
import { connectPhones } from '../support/phones.ts'

const app = await makeApp()
const phones = await connectPhones(app)
const hookKey: string = (await app.admin('GET', '')).body.hookKey

const engine = await startEngine(
  app,
  `${NOTE}
  const refuse = (what) => { throw new AV.Cloud.Error('no ' + what) }
  AV.Cloud.beforeSave('_User', (request) => {
    note('beforeSave', request)
    const { object } = request
    const wish = object.get('wish')
    object.unset('wish')
    if (wish === 'refuse') refuse('beforeSave')
    if (wish === 'rename') {
      object.set('username', object.get('username') + '-renamed')
      object.set('email', object.get('username') + '@example.org')
      object.set('emailVerified', true)
      object.set('password', 'password of the hook')
      object.set('authData', { acme: { uid: 'of the hook' } })
      object.set('sessionToken', 'token of the hook')
    }
    if (wish === 'other number') object.set('mobilePhoneNumber', object.get('number'))
    if (wish === 'no name') object.unset('username')
    if (wish === 'bad address') object.set('email', 'nowhere')
  })
  for (const hook of ['afterSave', 'beforeUpdate', 'afterUpdate', 'beforeDelete', 'afterDelete'])
    AV.Cloud[hook]('_User', (request) => {
      note(hook, request)
      if (request.object.get('refuse') === hook) refuse(hook)
    })
  AV.Cloud.onLogin((request) => {
    note('onLogin', request)
    if (request.object.get('banned')) refuse('login')
  })
  AV.Cloud.onAuthData(({ authData }) => {
    const { acme } = authData
    if (acme && acme.refuse) refuse('accounts')
    if (acme && acme.nothing) return {}
    if (acme && acme.code) return { acme: { uid: 'acme ' + acme.code, access_token: 't' } }
  })
  for (const kind of ['sms', 'email']) AV.Cloud.onVerified(kind, (request) => note('onVerified ' + kind, request))
  `,
  afterAll,
)

const post = (path: string, body: object, options: RequestOptions = {}) =>
  app.request('POST', `/1.1/${path}`, { body, ...options })
const put = (path: string, body: object, options: RequestOptions = {}) =>
  app.request('PUT', `/1.1/${path}`, { body, ...options })
const signUp = (username: string, more: object = {}, options: RequestOptions = {}) =>
  post('users', { username, password: 'password', ...more }, options)
const logIn = (username: string, password = 'password') => post('login', { username, password })
const userAt = async (id: string) => (await app.request('GET', `/1.1/users/${id}`, { master: true })).body

interface Member {
  readonly id: string
  readonly session: string
}
async function makeMember(username: string, more: object = {}): Promise<Member> {
  const { body } = await signUp(username, more)
  await told(body.objectId, ['afterSave'])
  return { id: body.objectId, session: body.sessionToken }
}

/** Returns the hooks called for an existing user, in order. */
const hooksOf = (id: string) => notesOf(engine, { id }).map(({ hook }) => hook)
const told = (id: string, hooks: readonly string[]) =>
  expect.poll(() => hooksOf(id).toSorted(), PATIENTLY).toEqual(hooks.toSorted())
const lastNote = (id: string, hook: string) => notesOf(engine, { id, hook }).at(-1)!

function expectRefused(reply: Reply, detail: string, status = 400): void {
  const error = `Cloud Code validation failed. Error detail : ${detail}`
  expect([reply.status, reply.body]).toEqual([status, { code: 142, error }])
}

/** Returns whether a user with this name was stored. */
const exists = async (username: string) =>
  (await app.sql(`SELECT 1 FROM "_User" WHERE data->>'username' = $1`, [username])).rows.length > 0

async function codeFor(path: string, number: string, options: RequestOptions = {}): Promise<string> {
  expect((await post(path, { mobilePhoneNumber: number }, options)).status).toBe(200)
  return phones.codeOf(number)
}

describe('a sign-up', () => {
  it('passes the user without its password to the before hook, and as stored to the after hook', async () => {
    const { body } = await signUp('shown', { email: 'shown@example.org', nick: 'S' })
    await told(body.objectId, ['afterSave'])
    const [before] = notesOf(engine, { hook: 'beforeSave' }).filter(({ object }) => object.username === 'shown')
    expect(before).toMatchObject({ user: null })
    expect(before!.object).toEqual({
      __type: 'Object',
      className: '_User',
      username: 'shown',
      email: 'shown@example.org',
      nick: 'S',
    })
    const after = lastNote(body.objectId, 'afterSave')
    expect(after).toMatchObject({ user: null, object: { username: 'shown', nick: 'S', emailVerified: null } })
    expect(JSON.stringify(notesOf(engine))).not.toContain('password"')
  })

  it.each(['users', 'classes/_User'])('through %s can be rejected, and leaves nothing', async (path) => {
    const username = `refused ${path}`
    expectRefused(await post(path, { username, password: 'password', wish: 'refuse' }), 'no beforeSave')
    expect(await exists(username)).toBe(false)
  })

  it('in a batch can be rejected separately', async () => {
    const item = (username: string, more = {}) => {
      return { method: 'POST', path: '/1.1/users', body: { username, password: 'password', ...more } }
    }
    const requests = [item('batched 1', { wish: 'refuse' }), item('batched 2')]
    expect((await post('batch', { requests })).body).toMatchObject([{ error: { code: 142 } }, { success: {} }])
  })

  it('takes name and address from the hook, the password from the request, and no token', async () => {
    const { body } = await signUp('mia', { wish: 'rename' })
    expect(body).toMatchObject({ username: 'mia-renamed', email: 'mia-renamed@example.org', emailVerified: true })
    expect(body).not.toHaveProperty('wish')
    expect(body).not.toHaveProperty('authData')
    expect(body.sessionToken).not.toBe('token of the hook')
    expect((await logIn('mia-renamed')).status).toBe(200)
    expect((await logIn('mia-renamed', 'password of the hook')).body.code).toBe(210)
    expect(await userAt(body.objectId)).not.toHaveProperty('wish')
  })

  it('is validated after the hook like a request', async () => {
    await makeMember('leo-renamed')
    expect((await signUp('leo', { wish: 'rename' })).body.code).toBe(202)
    expect((await signUp('noname', { wish: 'no name', nick: 'N' })).body.code).toBe(200)
    expect((await signUp('bad', { wish: 'bad address' })).body.code).toBe(125)
    for (const username of ['leo', 'noname', 'bad']) expect(await exists(username)).toBe(false)
  })

  it('can skip hooks only with the hook key', async () => {
    const ignoring = { wish: 'refuse', __ignore_hooks: ['beforeSave', 'afterSave'] }
    expectRefused(await signUp('ignoring', ignoring), 'no beforeSave')
    const { body } = await signUp('ignoring', ignoring, { headers: { 'x-lc-hook-key': hookKey } })
    expect(body).toMatchObject({ username: 'ignoring', wish: 'refuse' })
    expect(body).not.toHaveProperty('__ignore_hooks')
  })
})

describe('a sign-up by phone', () => {
  it('runs the hook, and a rejection keeps the code usable', async () => {
    const number = phones.newNumber()
    const smsCode = await codeFor('requestSmsCode', number)
    const body = { mobilePhoneNumber: number, smsCode }
    expectRefused(await post('usersByMobilePhone', { ...body, wish: 'refuse' }), 'no beforeSave')
    const made = await post('usersByMobilePhone', body)
    expect([made.status, made.body.mobilePhoneVerified]).toEqual([201, true])
    await told(made.body.objectId, ['afterSave'])
  })

  it('does not verify a number the hook set in place of the verified one', async () => {
    const number = phones.newNumber()
    const other = phones.newNumber()
    const smsCode = await codeFor('requestSmsCode', number)
    const body = { mobilePhoneNumber: number, smsCode, wish: 'other number', number: other }
    const made = await post('usersByMobilePhone', body)
    expect(made.body).toMatchObject({ mobilePhoneNumber: other, mobilePhoneVerified: false })
  })
})

describe('a registration by third-party data', () => {
  const by = (acme: object, more = {}) => post('users', { authData: { acme }, ...more })

  it('runs onAuthData, beforeSave and afterSave, and stores the result of onAuthData', async () => {
    const made = await by({ code: 'one' })
    expect([made.status, made.body.authData]).toEqual([201, { acme: { uid: 'acme one', access_token: 't' } }])
    await told(made.body.objectId, ['afterSave'])
    const [before] = notesOf(engine, { hook: 'beforeSave' }).filter(
      ({ object }) => object.authData?.acme?.uid === 'acme one',
    )
    expect(before).toBeDefined()
    const again = await by({ code: 'one' })
    expect([again.status, again.body.objectId]).toEqual([200, made.body.objectId])
    await told(made.body.objectId, ['afterSave', 'onLogin'])
  })

  it('ignores changes of beforeSave to the accounts', async () => {
    const made = await by({ code: 'two' }, { username: 'two', wish: 'rename' })
    expect(made.body).toMatchObject({ username: 'two-renamed', authData: { acme: { uid: 'acme two' } } })
    expect((await by({ code: 'two' })).body.objectId).toBe(made.body.objectId)
  })

  it('can be rejected by either hook, and leaves nothing', async () => {
    expectRefused(await by({ refuse: true }), 'no accounts')
    expectRefused(await by({ code: 'three' }, { username: 'three', wish: 'refuse' }), 'no beforeSave')
    expect(await exists('three')).toBe(false)
    const { rows } = await app.sql(`SELECT 1 FROM "$identities" WHERE uid = 'acme three'`)
    expect(rows).toEqual([])
  })

  it('creates no user when onAuthData returns no account', async () => {
    expect((await by({ nothing: true }, { username: 'nobody' })).body.code).toBe(142)
    expect(await exists('nobody')).toBe(false)
  })

  it('stores an account unchanged when onAuthData ignores it', async () => {
    const made = await post('users', { authData: { github: { uid: 'plain' } } })
    expect(made.body.authData).toEqual({ github: { uid: 'plain' } })
    expect((await by({})).body.code).toBe(250)
  })

  it('runs onAuthData for linking, but not for unlinking', async () => {
    const { id, session } = await makeMember('linker')
    const path = `users/${id}`
    expectRefused(await put(path, { authData: { acme: { refuse: true } } }, { session }), 'no accounts')
    expect((await put(path, { authData: { acme: { code: 'four' } } }, { session })).status).toBe(200)
    expect((await userAt(id)).authData).toEqual({ acme: { uid: 'acme four', access_token: 't' } })
    await told(id, ['afterSave', 'beforeUpdate', 'afterUpdate'])
    expect(lastNote(id, 'beforeUpdate')).toMatchObject({
      updatedKeys: ['authData'],
      object: { authData: { acme: { uid: 'acme four' } } },
    })
    expect((await put(path, { 'authData.acme': { __op: 'Delete' } }, { session })).status).toBe(200)
    expect((await userAt(id)).authData).toEqual({})
  })
})

describe('an update', () => {
  it('of plain fields runs the hooks of updates, with the user', async () => {
    const { id, session } = await makeMember('updater')
    expect((await put(`users/${id}`, { nick: 'U' }, { session })).status).toBe(200)
    await told(id, ['afterSave', 'beforeUpdate', 'afterUpdate'])
    for (const hook of ['beforeUpdate', 'afterUpdate']) {
      const note = lastNote(id, hook)
      expect(note).toMatchObject({ user: id, sessionToken: session, updatedKeys: ['nick'] })
      expect(note.object).toMatchObject({ username: 'updater', nick: 'U' })
    }
  })

  it('of an account runs them too, with the requested keys', async () => {
    const { id, session } = await makeMember('mover')
    const body = { email: 'mover@example.org', password: 'new password', nick: 'M' }
    expect((await put(`classes/_User/${id}`, body, { session })).status).toBe(200)
    await told(id, ['afterSave', 'beforeUpdate', 'afterUpdate'])
    for (const hook of ['beforeUpdate', 'afterUpdate']) {
      const note = lastNote(id, hook)
      expect([...note.updatedKeys!].toSorted()).toEqual(['email', 'nick', 'password'])
      expect(note.object).toMatchObject({ email: 'mover@example.org', emailVerified: false, nick: 'M' })
      expect(JSON.stringify(note)).not.toContain('new password')
    }
  })

  it.each([{ nick: 'x' }, { password: 'other password' }, { email: 'x@example.org' }])(
    'can be rejected, and changes nothing: %j',
    async (change) => {
      const username = `refuser of ${Object.keys(change)[0]}`
      const { id, session } = await makeMember(username, { refuse: 'beforeUpdate' })
      expectRefused(await put(`users/${id}`, change, { session }), 'no beforeUpdate')
      expect(await userAt(id)).not.toHaveProperty(Object.keys(change)[0]!)
      expect((await logIn(username)).status).toBe(200)
    },
  )

  it('of the password with the old one can be rejected', async () => {
    const { id, session } = await makeMember('keeper', { refuse: 'beforeUpdate' })
    const body = { old_password: 'password', new_password: 'another' }
    expectRefused(await put(`users/${id}/updatePassword`, body, { session }), 'no beforeUpdate')
    expect(lastNote(id, 'beforeUpdate').updatedKeys).toEqual(['password'])
    expect((await logIn('keeper')).status).toBe(200)
  })

  it('by a caller without permission runs no hook', async () => {
    const { id } = await makeMember('stranger')
    expect((await put(`users/${id}`, { email: 's@example.org' })).body.code).toBe(206)
    expect((await app.request('DELETE', `/1.1/users/${id}`)).body.code).toBe(206)
    expect(hooksOf(id)).toEqual(['afterSave'])
  })
})

describe('a deletion', () => {
  it('runs its hooks on both paths, and can be rejected', async () => {
    for (const path of ['users', 'classes/_User']) {
      const { id, session } = await makeMember(`goer of ${path}`)
      expect((await app.request('DELETE', `/1.1/${path}/${id}`, { session })).status).toBe(200)
      await told(id, ['afterSave', 'beforeDelete', 'afterDelete'])
      const { id: stays, session: own } = await makeMember(`stayer of ${path}`, { refuse: 'beforeDelete' })
      expectRefused(await app.request('DELETE', `/1.1/${path}/${stays}`, { session: own }), 'no beforeDelete')
      expect((await userAt(stays)).username).toBe(`stayer of ${path}`)
    }
  })

  it('can skip hooks with the hook key', async () => {
    const { id, session } = await makeMember('quiet')
    const options = { session, headers: { 'x-lc-hook-key': hookKey }, body: { __ignore_hooks: ['beforeDelete'] } }
    await app.request('DELETE', `/1.1/users/${id}`, options)
    await told(id, ['afterSave', 'afterDelete'])
  })
})

describe('onLogin', () => {
  it('runs at every login with credentials, with the user and its token', async () => {
    const number = phones.newNumber()
    const { id, session } = await makeMember('visitor', { mobilePhoneNumber: number, email: 'visitor@example.org' })
    const logins = [
      await logIn('visitor'),
      await post('login', { email: 'visitor@example.org', password: 'password' }),
      await post('login', { mobilePhoneNumber: number, password: 'password' }),
      await app.request('GET', '/1.1/login', { query: { username: 'visitor', password: 'password' } }),
    ]
    expect(logins.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    await codeFor('requestLoginSmsCode', number)
    await post('login', { mobilePhoneNumber: number, smsCode: phones.codeOf(number) })
    await phones.wait(number, 60)
    await codeFor('requestLoginSmsCode', number)
    await post('usersByMobilePhone', { mobilePhoneNumber: number, smsCode: phones.codeOf(number) })
    expect(hooksOf(id)).toEqual(['afterSave', ...Array(6).fill('onLogin')])
    expect(lastNote(id, 'onLogin')).toMatchObject({ user: id, sessionToken: session })
  })

  it('does not run for wrong credentials, sign-ups and sessions', async () => {
    const { id, session } = await makeMember('quiet visitor')
    expect((await logIn('quiet visitor', 'wrong')).body.code).toBe(210)
    expect((await app.request('GET', '/1.1/users/me', { session })).status).toBe(200)
    expect(hooksOf(id)).toEqual(['afterSave'])
  })

  it('rejects with 401 and 142', async () => {
    await makeMember('banned', { banned: true, authData: undefined })
    expectRefused(await logIn('banned'), 'no login', 401)
    const made = await post('users', { authData: { github: { uid: 'banned' } }, banned: true })
    expect(made.status).toBe(201)
    expectRefused(await post('users', { authData: { github: { uid: 'banned' } } }), 'no login', 401)
  })
})

describe('onVerified', () => {
  it('runs when a number is verified, and when another one replaces it', async () => {
    const number = phones.newNumber()
    const { id, session } = await makeMember('caller', { mobilePhoneNumber: number })
    const code = await codeFor('requestMobilePhoneVerify', number)
    expect((await post(`verifyMobilePhone/${code}`, { mobilePhoneNumber: number })).status).toBe(200)
    await told(id, ['afterSave', 'onVerified sms'])
    expect(lastNote(id, 'onVerified sms').object).toMatchObject({ username: 'caller', mobilePhoneVerified: true })

    const next = phones.newNumber()
    const change = await codeFor('requestChangePhoneNumber', next, { session })
    const body = { mobilePhoneNumber: next, code: change }
    expect((await post('changePhoneNumber', body, { session })).status).toBe(200)
    await told(id, ['afterSave', 'onVerified sms', 'beforeUpdate', 'afterUpdate', 'onVerified sms'])
    expect(lastNote(id, 'beforeUpdate').updatedKeys).toEqual(['mobilePhoneNumber'])
  })
})
