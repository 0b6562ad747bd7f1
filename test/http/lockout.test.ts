import { describe, expect, inject, it } from 'vitest'
import { makeApp, type Reply, type RequestOptions } from '../support/app.ts'

const app = await makeApp()
/** The number of failures that locks a login, and the duration in minutes (protocol/accounts, Login lockout). */
const FAILURES = 7
const MINUTES = 15

const tryPassword = (username: string, password: string, options: RequestOptions = {}) =>
  app.request('POST', '/1.1/login', { body: { username, password }, ...options })
const fail = (username: string, options: RequestOptions = {}) => tryPassword(username, 'wrong', options)
const logIn = (username: string, options: RequestOptions = {}) =>
  tryPassword(username, `password of ${username}`, options)
const codeOf = ({ status, body }: Reply) => (status === 200 ? 200 : (body.code as number))
const repeat = <Result>(count: number, work: (index: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)))

async function failTimes(username: string, count: number): Promise<number[]> {
  const codes: number[] = []
  for (let time = 0; time < count; time++) codes.push(codeOf(await fail(username)))
  return codes
}

async function makeLocked(username: string): Promise<{ id: string; session: string }> {
  const user = await app.makeUser(username)
  await failTimes(username, FAILURES)
  return user
}

/** Backdates the failures of a user. */
async function passMinutes(id: string, minutes: number): Promise<void> {
  const { rowCount } = await app.sql(
    `
    UPDATE "$attempts"
    SET state = state || jsonb_build_object(
      'failures', (
        SELECT coalesce(jsonb_agg(failure::bigint - $2::bigint), '[]')
        FROM jsonb_array_elements_text(state->'failures') AS failure
      ),
      'lockedUntil', (state->>'lockedUntil')::bigint - $2::bigint
    )
    WHERE key = $1`,
    [id, minutes * 60_000],
  )
  expect(rowCount).toBe(1)
}

describe('a login is locked', () => {
  it('after the seventh failure within 15 minutes, also for the right password', async () => {
    await app.makeUser('guessed')
    expect(await failTimes('guessed', FAILURES - 1)).toEqual([210, 210, 210, 210, 210, 210])
    expect(await logIn('guessed')).toMatchObject({ status: 200 })
    const seventh = await fail('guessed')
    expect(seventh).toMatchObject({ status: 400, body: { code: 219, error: expect.any(String) } })
    expect(codeOf(await logIn('guessed'))).toBe(219)
    expect(codeOf(await fail('guessed'))).toBe(219)
  })

  it('whether the guesses use name, address or number', async () => {
    const body = {
      username: 'three names',
      password: 'right',
      email: 'three@example.org',
      mobilePhoneNumber: '13800000000',
    }
    await app.request('POST', '/1.1/users', { body })
    const names = [
      { username: body.username },
      { email: body.email },
      { mobilePhoneNumber: body.mobilePhoneNumber },
      { mobilePhoneNumber: '+8613800000000' },
    ]
    const codes: number[] = []
    for (let time = 0; time < FAILURES; time++) {
      const reply = await app.request('POST', '/1.1/login', { body: { ...names[time % 4], password: 'wrong' } })
      codes.push(codeOf(reply))
    }
    expect(codes).toEqual([210, 210, 210, 210, 210, 210, 219])
    for (const name of names) {
      expect(codeOf(await app.request('POST', '/1.1/login', { body: { ...name, password: 'right' } }))).toBe(219)
    }
  })

  it('by wrong old passwords too, and password changes are rejected while locked', async () => {
    const { id, session } = await app.makeUser('old one')
    const change = async (password: string) => {
      const body = { old_password: password, new_password: 'new' }
      return codeOf(await app.request('PUT', `/1.1/users/${id}/updatePassword`, { body, session }))
    }
    for (let time = 1; time < FAILURES; time++) expect(await change('wrong')).toBe(210)
    expect(await change('wrong')).toBe(219)
    expect(await change('password of old one')).toBe(219)
    expect(codeOf(await logIn('old one'))).toBe(219)
  })

  it('for this user only, and not by guesses at unknown users', async () => {
    await makeLocked('one')
    await app.makeUser('another')
    expect(await failTimes('nobody at all', 10)).toEqual(Array(10).fill(211))
    expect(codeOf(await logIn('another'))).toBe(200)
    expect(codeOf(await logIn('one'))).toBe(219)
  })

  it('but sessions and third-party logins still work', async () => {
    const { id, session } = await makeLocked('with session')
    const authData = { github: { uid: 'with session', access_token: 'x' } }
    const link = await app.request('PUT', `/1.1/users/${id}`, { body: { authData }, session })
    expect(link.status).toBe(200)
    expect((await app.request('POST', '/1.1/users', { body: { authData } })).body.objectId).toBe(id)
    expect((await app.request('GET', '/1.1/users/me', { session })).status).toBe(200)
  })
})

describe('the lock', () => {
  it('ends 15 minutes after the last failure, and the count restarts', async () => {
    const { id } = await makeLocked('waiting')
    await passMinutes(id, MINUTES - 0.5)
    expect(codeOf(await logIn('waiting'))).toBe(219)
    await passMinutes(id, 0.5)
    expect(codeOf(await logIn('waiting'))).toBe(200)
    expect(await failTimes('waiting', FAILURES)).toEqual([210, 210, 210, 210, 210, 210, 219])
  })

  it('ignores failures older than 15 minutes', async () => {
    const { id } = await app.makeUser('slow')
    await failTimes('slow', FAILURES - 1)
    await passMinutes(id, MINUTES + 0.1)
    expect(await failTimes('slow', FAILURES - 1)).toEqual([210, 210, 210, 210, 210, 210])
    expect(codeOf(await logIn('slow'))).toBe(200)
  })

  it('counts failures that are almost 15 minutes old', async () => {
    const { id } = await app.makeUser('patient')
    await failTimes('patient', FAILURES - 1)
    await passMinutes(id, MINUTES - 0.5)
    expect(codeOf(await fail('patient'))).toBe(219)
  })

  it('cannot be lifted with the keys of an app', async () => {
    const { id, session } = await makeLocked('persistent')
    const path = `/1.1/users/${id}`
    const master = { master: true }
    await logIn('persistent', master)
    await app.request('PUT', path, { body: { nick: 'x', password: 'password of persistent' }, ...master })
    await app.request('PUT', path, { body: { password: 'password of persistent' }, session })
    await app.request('PUT', `${path}/refreshSessionToken`, master)
    for (const options of [{}, master, { session }]) expect(codeOf(await logIn('persistent', options))).toBe(219)
    const requests = [
      { method: 'POST', path: '/1.1/login', body: { username: 'persistent', password: 'password of persistent' } },
    ]
    const { body } = await app.request('POST', '/1.1/batch', { body: { requests }, ...master })
    expect(body[0].error.code).toBe(219)
    for (const method of ['DELETE', 'PUT', 'POST'])
      expect((await app.request(method, `${path}/lockout`, master)).status).toBe(404)
  })

  it('can be lifted by the administrator', async () => {
    const { id } = await makeLocked('lifted')
    expect(await app.admin('DELETE', `/users/${id}/lockout`)).toMatchObject({ status: 200, body: {} })
    expect(codeOf(await logIn('lifted'))).toBe(200)
    expect(await failTimes('lifted', FAILURES)).toEqual([210, 210, 210, 210, 210, 210, 219])
  })

  it('is visible to administrators, without credentials', async () => {
    const { id, session } = await makeLocked('told')
    const authData = { weixin: { openid: 'at weixin', access_token: 'secret' } }
    await app.request('PUT', `/1.1/users/${id}`, { body: { authData }, session })
    const state = { hasPassword: true, hasSession: true, linked: [{ platform: 'weixin', uids: ['at weixin'] }] }
    const { body } = await app.admin('GET', `/users/${id}/login`)
    expect(body).toEqual({ ...state, failures: FAILURES, lockedUntil: expect.stringMatching(/Z$/) })
    await passMinutes(id, MINUTES)
    expect((await app.admin('GET', `/users/${id}/login`)).body).toEqual({ ...state, failures: 0, lockedUntil: null })
    expect((await app.admin('GET', `/users/${'0'.repeat(24)}/login`)).body.code).toBe(211)
  })

  it('can be lifted when absent, but only in an existing app', async () => {
    const { id } = await app.makeUser('never locked')
    expect((await app.admin('DELETE', `/users/${id}/lockout`)).status).toBe(200)
    const administrator = { headers: { authorization: `Bearer ${inject('adminToken')}` } }
    const elsewhere = await app.request('DELETE', `/admin/apps/no-such-app/users/${id}/lockout`, administrator)
    expect(elsewhere.status).toBe(404)
    expect(await app.admin('DELETE', '/users/a.b/lockout')).toMatchObject({ status: 400, body: { code: 104 } })
    const asClient = { headers: { authorization: `Bearer ${app.masterKey}` } }
    const path = `/admin/apps/${app.appId}/users/${id}/lockout`
    for (const options of [asClient, { master: true }]) {
      expect((await app.request('DELETE', path, options)).status).toBe(401)
    }
  })
})

describe('a node that crashes while checking passwords', () => {
  it('blocks logins for at most a minute', async () => {
    const { id } = await app.makeUser('left alone')
    const began = Date.now() - 59_000
    const checks = Object.fromEntries(Array.from({ length: FAILURES }, (_, index) => [`check ${index}`, began]))
    const state = { failures: [], checks, lockedUntil: null }
    await app.sql('INSERT INTO "$attempts" (key, state, touched_at) VALUES ($1, $2, now())', [id, state])
    expect(codeOf(await logIn('left alone'))).toBe(200)
    expect(await failTimes('left alone', FAILURES)).toEqual([210, 210, 210, 210, 210, 210, 219])
  })
})

describe('concurrently', () => {
  it('50 wrong passwords are six failures and a lock', async () => {
    await app.makeUser('stormed')
    const codes = (await repeat(50, () => fail('stormed'))).map(codeOf)
    expect([codes.filter((code) => code === 210).length, codes.filter((code) => code === 219).length]).toEqual([6, 44])
    expect(codeOf(await logIn('stormed'))).toBe(219)
  })

  it('20 right passwords are 20 logins', async () => {
    await app.makeUser('popular')
    expect((await repeat(20, () => logIn('popular'))).map(codeOf)).toEqual(Array(20).fill(200))
  })

  it('right passwords are accepted among few wrong ones', async () => {
    await app.makeUser('mixed')
    const codes = await repeat(26, async (index) => codeOf(await (index % 5 === 1 ? fail : logIn)('mixed')))
    expect(codes).toEqual(Array.from({ length: 26 }, (_, index) => (index % 5 === 1 ? 210 : 200)))
  })

  it('a right password among too many wrong ones reveals no more than six guesses would', async () => {
    await app.makeUser('hunted')
    const replies = await repeat(40, (index) => (index === 20 ? logIn('hunted') : fail('hunted')))
    const codes = replies.map(codeOf)
    expect(codes.filter((code) => code !== 219).length).toBeLessThanOrEqual(FAILURES)
    expect(codes.filter((code) => code === 210)).toHaveLength(6)
  })
})
