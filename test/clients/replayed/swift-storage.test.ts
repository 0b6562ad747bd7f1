import { describe, expect, it } from 'vitest'
import { makeApp } from '../../support/app.ts'
import { requestsOf, signOf } from './client-requests.ts'

// LeanCloud's Swift SDK 17: what HTTPClient, ObjectUpdater, LCUser, LCInstallation, LCFile and LCQuery send, and what they
// demand of the answers. It cannot run here.

const app = await makeApp()
const HEX_TOKEN = 'ab'.repeat(32)
const ANY_TEXT = expect.any(String)
const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

/** HTTPClient.createCommonHeaders; Alamofire names a type only where there is a body. */
const commonHeaders = () => ({
  'x-lc-id': app.appId,
  'x-lc-sign': signOf(app.appKey),
  'user-agent': 'LeanCloud-Swift-SDK/17.10.1',
  accept: 'application/json',
  'x-lc-prod': '1',
})
const swift = requestsOf(app, commonHeaders, 'application/json')

const save = (...requests: object[]) => swift('POST', '/1.1/batch/save', { body: { requests } })

/** LCUser.signUp is a save like others; ObjectUpdater.updateObjects takes a dictionary for each internal id. */
async function signUp(username: string): Promise<{ objectId: string; sessionToken: string }> {
  const body = { username, password: 'secret', __internalId: `id of ${username}` }
  const reply = await save({ path: '/1.1/users', method: 'post', body, new: true })
  expect(reply.status, JSON.stringify(reply.body)).toBe(200)
  return reply.body[`id of ${username}`]
}

describe('a start', () => {
  it('asks the RTM router, whose answer has texts for the addresses and a number for the time', async () => {
    const { status, body } = await swift('GET', '/v1/route', { query: { appId: app.appId, secure: '1' } })
    // RTMRouter.result
    expect([status, body]).toEqual([200, expect.objectContaining({ server: ANY_TEXT, ttl: expect.any(Number) })])
    expect(() => [new URL(body.server), new URL(body.secondary)]).not.toThrow()
  })

  it('asks the app router where no address was given', async () => {
    const { body } = await swift('GET', '/2/route', { query: { appId: app.appId } })
    // AppRouter.CacheTable: Codable, so a value of another type makes the whole answer unreadable.
    const hosts = { api_server: ANY_TEXT, engine_server: ANY_TEXT, push_server: ANY_TEXT, rtm_router_server: ANY_TEXT }
    expect(body).toMatchObject({ ...hosts, ttl: expect.any(Number) })
  })
})

describe('a save', () => {
  it('of a new object is answered by its internal id', async () => {
    const body = { __internalId: 'A', title: 'One', done: false, n: 1.5 }
    const reply = await save({ path: '/1.1/classes/Todo', method: 'post', body, new: true })
    expect(reply.status).toBe(200)
    expect(reply.body).toEqual({ A: expect.objectContaining({ objectId: ANY_TEXT, createdAt: ISO }) })
    expect(reply.body.A.title ?? 'One').toBe('One')
  })

  it('of a family puts the children first, and the parent points to them', async () => {
    const child = { path: '/1.1/classes/Child', method: 'post', body: { __internalId: 'C', name: 'small' }, new: true }
    const __children = [{ className: 'Child', cid: 'C', key: 'child' }]
    const body = { __internalId: 'P', name: 'big', __children }
    const { body: saved } = await save(child, { path: '/1.1/classes/Parent', method: 'post', body, new: true })
    expect(Object.keys(saved)).toEqual(['C', 'P'])
    const { body: stored } = await swift('GET', `/1.1/classes/Parent/${saved.P.objectId}`)
    expect(stored.child).toEqual({ __type: 'Pointer', className: 'Child', objectId: saved.C.objectId })
  })

  it('of a change says the id twice, and is answered by it', async () => {
    const { body: made } = await save({ path: '/1.1/classes/Todo', method: 'post', body: { __internalId: 'B', n: 1 } })
    const { objectId } = made.B
    const path = `/1.1/classes/Todo/${objectId}`
    const body = { __internalId: objectId, n: { __op: 'Increment', amount: 2 }, 'deep.key': 'value' }
    const params = { fetchWhenSave: true }
    const reply = await save({ path, method: 'put', params, body })
    expect(reply.body).toEqual({ [objectId]: expect.objectContaining({ objectId, updatedAt: ISO, n: 3 }) })
  })

  it('under a condition that does not hold fails with code 305', async () => {
    const { body: made } = await save({ path: '/1.1/classes/Todo', method: 'post', body: { __internalId: 'D', n: 1 } })
    const { objectId } = made.D
    const request = { path: `/1.1/classes/Todo/${objectId}`, method: 'put', body: { __internalId: objectId, n: 2 } }
    const reply = await save({ ...request, params: { where: { n: 7 } } })
    // LCError(response:)
    expect([reply.status, reply.body]).toEqual([400, expect.objectContaining({ code: 305, error: ANY_TEXT })])
  })

  it('of relations adds to them, one request after another for the same object', async () => {
    const { body: made } = await save({ path: '/1.1/classes/Tag', method: 'post', body: { __internalId: 'T' } })
    const objects = [{ __type: 'Pointer', className: 'Tag', objectId: made.T.objectId }]
    const { body: owner } = await save({ path: '/1.1/classes/Post', method: 'post', body: { __internalId: 'O' } })
    const { objectId } = owner.O
    const request = (tags: object) => ({
      path: `/1.1/classes/Post/${objectId}`,
      method: 'put',
      body: { __internalId: objectId, tags },
    })
    const reply = await save(request({ __op: 'AddRelation', objects }), request({ __op: 'RemoveRelation', objects }))
    expect([reply.status, reply.body[objectId].objectId]).toEqual([200, objectId])
    const query = {
      where: JSON.stringify({ $relatedTo: { key: 'tags', object: { ...objects[0], className: 'Post', objectId } } }),
    }
    expect((await swift('GET', '/1.1/classes/Tag', { query })).body.results).toEqual([])
  })
})

it('objects are fetched and deleted in batches, by methods in small letters', async () => {
  const { body: made } = await save({ path: '/1.1/classes/Todo', method: 'post', body: { __internalId: 'E', n: 1 } })
  const path = `/1.1/classes/Todo/${made.E.objectId}`
  const batch = (method: string, more: object = {}) =>
    swift('POST', '/1.1/batch', { body: { requests: [{ path, method, ...more }] } })
  // ObjectUpdater.handleObjectFetchedResult: a `success` that has an `objectId`
  const fetched = await batch('get', { params: { keys: 'n' } })
  expect(fetched.body).toEqual([{ success: expect.objectContaining({ objectId: made.E.objectId, n: 1 }) }])
  expect((await batch('delete')).body).toEqual([{ success: {} }])
  // Anything but a dictionary is an object that is not there.
  expect((await batch('get')).body).toEqual([{ success: null }])
})

describe('a query', () => {
  it('finds, with its condition as JSON in the address', async () => {
    await save({ path: '/1.1/classes/Found', method: 'post', body: { __internalId: 'F', name: 'a.b' } })
    const where = JSON.stringify({ name: { $regex: '^a\\.b', $options: '' } })
    const { status, body } = await swift('GET', '/1.1/classes/Found', {
      query: { where, order: '-createdAt', limit: '10' },
    })
    expect([status, body]).toEqual([200, { results: [expect.objectContaining({ name: 'a.b', createdAt: ISO })] }])
  })

  it('counts', async () => {
    const { body } = await swift('GET', '/1.1/classes/Found', { query: { count: '1', limit: '0' } })
    // LCCountResult(response:) reads `count` as a number.
    expect(body).toEqual({ count: expect.any(Number), results: [] })
  })
})

describe('a user', () => {
  it('signs up by a batch, and is answered a session', async () => {
    const user = await signUp('swift one')
    expect(user).toMatchObject({
      objectId: ANY_TEXT,
      sessionToken: ANY_TEXT,
      createdAt: ISO,
      mobilePhoneVerified: false,
    })
  })

  it('logs in, and returns by the session', async () => {
    const { objectId, sessionToken } = await signUp('swift two')
    const login = await swift('POST', '/1.1/login', { body: { username: 'swift two', password: 'secret' } })
    // LCUser.logIn: LCValueResult(response:) makes the whole user of the answer.
    expect(login.body).toMatchObject({ objectId, sessionToken, username: 'swift two', createdAt: ISO, updatedAt: ISO })
    const me = await swift('GET', '/1.1/users/me', { query: { session_token: sessionToken } })
    expect(me.body).toMatchObject({ objectId, sessionToken })
  })

  it('changes the password, and is answered the session', async () => {
    const { objectId, sessionToken } = await signUp('swift three')
    const body = { old_password: 'secret', new_password: 'better' }
    const reply = await swift('PUT', `/1.1/users/${objectId}/updatePassword`, { body, session: sessionToken })
    // ObjectProfiler.updateObject takes the session from it.
    expect(reply.body).toMatchObject({ objectId, sessionToken: ANY_TEXT, updatedAt: ISO })
  })

  it('logs in with a third party, is bound to another, and let go of it', async () => {
    const authData = { lc_apple: { uid: 'apple id', identity_token: 'i', code: 'c' } }
    const failing = await swift('POST', '/1.1/users?failOnNotExist=true', { body: { authData } })
    expect([failing.status, failing.body]).toEqual([400, expect.objectContaining({ code: 211 })])
    const { body: user } = await swift('POST', '/1.1/users', { body: { authData } })
    expect(user).toMatchObject({ objectId: ANY_TEXT, sessionToken: ANY_TEXT, authData })
    const put = (body: object) => swift('PUT', `/1.1/users/${user.objectId}`, { body, session: user.sessionToken })
    const weixin = {
      openid: 'o',
      access_token: 't',
      expires_in: 7200,
      unionid: 'u',
      platform: 'weixin',
      main_account: true,
    }
    // LCUser.associate and disassociate: the answer is a dictionary.
    expect((await put({ authData: { weixin } })).body).toMatchObject({ updatedAt: ISO })
    expect((await put({ 'authData.weixin': { __op: 'Delete' } })).body).toMatchObject({ updatedAt: ISO })
    const me = await swift('GET', '/1.1/users/me', { query: { session_token: user.sessionToken } })
    expect(Object.keys(me.body.authData)).toEqual(['lc_apple'])
  })
})

it('an installation is posted every time, the second time with its id', async () => {
  const path = '/1.1/installations'
  const device = {
    deviceType: 'ios',
    deviceToken: HEX_TOKEN,
    apnsTeamId: 'TEAM',
    apnsTopic: 'org.app',
    timeZone: 'Asia/Shanghai',
  }
  const { body: first } = await save({ method: 'post', path, body: { ...device, __internalId: 'I' } })
  expect(first).toEqual({ I: expect.objectContaining({ objectId: ANY_TEXT, createdAt: ISO }) })
  const { objectId } = first.I
  // LCInstallation.preferredBatchRequest
  const body = { ...device, objectId, badge: 0, channels: ['news'], __internalId: objectId }
  const { body: second } = await save({ method: 'post', path, body })
  expect(second).toEqual({ [objectId]: expect.objectContaining({ objectId }) })
  const { body: stored } = await app.request('GET', `/1.1/installations/${objectId}`, { master: true })
  expect(stored).toMatchObject({ ...device, badge: 0, channels: ['news'] })
})

describe('a file', () => {
  it('that is elsewhere is a record, saved with the whole of itself', async () => {
    const url = 'https://example.com/a.png'
    const metaData = { __source: 'external' }
    // LCFile.save; handleSaveResult makes the answer part of the file.
    const body = { name: 'a.png', url, mime_type: 'image/png', metaData }
    const reply = await swift('POST', '/1.1/files', { body })
    expect([reply.status, reply.body]).toEqual([201, expect.objectContaining({ objectId: ANY_TEXT, createdAt: ISO })])
    const stored = await swift('GET', `/1.1/classes/_File/${reply.body.objectId}`)
    expect(stored.body).toMatchObject({ url, name: 'a.png', mime_type: 'image/png', metaData })
  })
})

it('a function that does not exist is a failure with a number and a text', async () => {
  const reply = await swift('POST', '/1.1/functions/none', { body: { n: 1 } })
  // LCError(response:) wants a number and a text.
  expect(reply.body).toEqual(expect.objectContaining({ code: expect.any(Number), error: ANY_TEXT }))
})
