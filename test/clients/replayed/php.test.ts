import { createHmac } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { makeApp } from '../../support/app.ts'
import { useEngine } from '../../support/engine-process.ts'
import { inputOf, json, standInEngine } from '../../support/stand-in-engine.ts'
import { requestsOf, signOf } from './client-requests.ts'

// LeanCloud's PHP SDK 0.10 to 0.14: what Client, LeanObject, User, Query, File, Cloud, Push, SMS and IM\Conversations
// send, and what they demand of the answers. Its package cannot be had here.

const app = await makeApp()
const ANY_TEXT = expect.any(String)
const ANY_NUMBER = expect.any(Number)
const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const TYPE = 'application/json;charset=utf-8'

/** Client::buildHeaders: the time of a sign is one of seconds, and every request names a type. */
const headersWith = (key: string, more: '' | ',master') => () => ({
  'x-lc-id': app.appId,
  'content-type': TYPE,
  'accept-encoding': 'gzip, deflate',
  'user-agent': 'LeanCloud PHP SDK 0.14.0',
  'x-lc-prod': '1',
  'x-lc-sign': signOf(key, Math.floor(Date.now() / 1000), more),
})
const requestsWith = (key: string, more: '' | ',master' = '') => {
  const send = requestsOf(app, headersWith(key, more), TYPE)
  // Client::request: an answer that is no JSON is an error, and so is one with `error` in it.
  return async (...args: Parameters<typeof send>) => {
    const reply = await send(...args)
    expect(reply.headers.get('content-type')).toMatch(/^application\/json/)
    if (reply.status < 400) expect(reply.body ?? {}).not.toHaveProperty('error')
    else expect(reply.body).toMatchObject({ code: ANY_NUMBER, error: ANY_TEXT })
    return reply
  }
}
const php = requestsWith(app.appKey)
const master = requestsWith(app.masterKey, ',master')

/** LeanObject::save is a batch, whatever is saved; Client::parseBatchResponse wants as many answers as requests. */
async function batch(requests: readonly object[], session?: string) {
  const options = session === undefined ? {} : { session }
  const { status, body } = await php('POST', '/1.1/batch', { body: { requests }, ...options })
  expect(status, JSON.stringify(body)).toBe(200)
  expect(body).toHaveLength(requests.length)
  return body
}
const post = (className: string, body: object) => ({ path: `/1.1/classes/${className}`, method: 'POST', body })

async function save(className: string, body: object): Promise<string> {
  const [answer] = await batch([post(className, body)])
  // LeanObject::mergeAfterSave
  expect(answer).toEqual({ success: { objectId: ANY_TEXT, createdAt: ISO } })
  return answer.success.objectId
}

async function signUp(username: string): Promise<{ objectId: string; sessionToken: string }> {
  const [answer] = await batch([post('_User', { username, password: 'secret' })])
  // User::signUp
  expect(answer).toMatchObject({ success: { objectId: ANY_TEXT, sessionToken: ANY_TEXT } })
  return answer.success
}

describe('an object', () => {
  it('is saved by a batch of one, and so are its changes', async () => {
    // A list is written for what is empty, be it meant for a list or an object.
    const objectId = await save('Memo', {
      title: 'one',
      n: 1,
      tags: [],
      more: [],
      at: { __type: 'Date', iso: new Date() },
    })
    const changes = { n: { __op: 'Increment', amount: 2 }, tags: { __op: 'AddUnique', objects: ['php'] } }
    const [answer] = await batch([{ path: `/1.1/classes/Memo/${objectId}`, method: 'PUT', body: changes }])
    expect(answer).toMatchObject({ success: { objectId, updatedAt: ISO } })
    const { body } = await php('GET', `/1.1/classes/Memo/${objectId}`)
    // LeanObject::fetch, Client::decode
    expect(body).toMatchObject({ objectId, createdAt: ISO, updatedAt: ISO, n: 3, tags: ['php'], title: 'one' })
  })

  it('under a condition, given beside the body, fails by itself', async () => {
    const objectId = await save('Memo', { n: 1 })
    const params = { where: { n: { $gt: 5 } } }
    const request = { path: `/1.1/classes/Memo/${objectId}`, method: 'PUT', body: { n: 2 }, params }
    // BatchRequestError: `code` and `error` of each
    expect(await batch([request])).toEqual([{ error: { code: 305, error: ANY_TEXT } }])
    const fetching = { ...request, params: { fetchWhenSave: true } }
    expect(await batch([fetching])).toMatchObject([{ success: { n: 2 } }])
  })

  it('is saved with others, its children in a batch before it', async () => {
    const child = { __type: 'Pointer', className: 'Child', objectId: await save('Child', { n: 1 }) }
    const answers = await batch([post('Parent', { child }), post('Parent', { child: 5 }), post('Parent', {})])
    const made = { success: { objectId: ANY_TEXT, createdAt: ISO } }
    expect(answers).toEqual([made, { error: { code: ANY_NUMBER, error: ANY_TEXT } }, made])
  })

  it('is fetched with others, and destroyed with others', async () => {
    const ids = [await save('Memo', { n: 1 }), await save('Memo', { n: 2 })]
    const requests = (method: string) => ids.map((id) => ({ path: `/1.1/classes/Memo/${id}`, method }))
    // LeanObject::fetchAll, LeanObject::destroyAll
    expect(await batch(requests('GET'))).toMatchObject(
      ids.map((objectId) => ({ success: { objectId, createdAt: ISO } })),
    )
    expect(await batch(requests('DELETE'))).toEqual([{ success: {} }, { success: {} }])
  })

  it('is found, counted, and found by CQL', async () => {
    const leaf = { __type: 'Pointer', className: 'Leaf', objectId: await save('Leaf', { name: 'green' }) }
    await save('Tree', { leaf, n: 7 })
    const query = { where: '{"n":{"$gt":5}}', order: '-createdAt', limit: '10', skip: '0', include: 'leaf' }
    const { body } = await php('GET', '/1.1/classes/Tree', { query })
    // Query::find, LeanObject::mergeAfterFetch
    expect(body.results).toMatchObject([{ n: 7, leaf: { __type: ANY_TEXT, className: 'Leaf', name: 'green' } }])
    const counted = await php('GET', '/1.1/classes/Tree', { query: { limit: '0', count: '1' } })
    expect(counted.body.count).toBe(1)
    // Query::doCloudQuery
    const cql = { cql: 'select * from Tree where n > ?', pvalues: '[5]' }
    const found = await php('GET', '/1.1/cloudQuery', { query: cql })
    expect(found.body).toMatchObject({ className: 'Tree', results: [{ n: 7 }] })
  })

  it('has an ACL that it takes away again', async () => {
    const objectId = await save('Memo', { ACL: { '*': { read: true } } })
    const change = { path: `/1.1/classes/Memo/${objectId}`, method: 'PUT', body: { n: 1 } }
    expect(await batch([change])).toMatchObject([{ error: { code: 403 } }])
    await master('PUT', change.path, { body: { ACL: null } })
    expect(await batch([change])).toMatchObject([{ success: { updatedAt: ISO } }])
  })
})

describe('a user', () => {
  it('signs up, logs in, is remembered and logs out', async () => {
    const { objectId } = await signUp('tom')
    const { body } = await php('POST', '/1.1/login', { body: { username: 'tom', password: 'secret' } })
    // User::logIn
    expect(body).toMatchObject({ objectId, sessionToken: ANY_TEXT, username: 'tom', createdAt: ISO })
    const session = body.sessionToken
    // User::become, User::isAuthenticated: 211 is for a token of nobody.
    const me = await php('GET', '/1.1/users/me', { query: { session_token: session } })
    expect(me.body).toMatchObject({ objectId, sessionToken: session })
    const nobody = await php('GET', '/1.1/users/me', { query: { session_token: 'nobody' } })
    expect(nobody.body.code).toBe(211)
    const [put] = await batch([{ path: `/1.1/classes/_User/${objectId}`, method: 'PUT', body: { age: 5 } }], session)
    expect(put).toMatchObject({ success: { updatedAt: ISO } })
  })

  it('changes the password, and takes a new token for a body of null', async () => {
    const { objectId, sessionToken } = await signUp('jerry')
    const session = sessionToken
    const passwords = { old_password: 'secret', new_password: 'more secret' }
    const changed = await php('PUT', `/1.1/users/${objectId}/updatePassword`, { session, body: passwords })
    // User::updatePassword merges the answer, so that the token must be in it.
    expect(changed.body).toMatchObject({ sessionToken: ANY_TEXT })
    const path = `/1.1/users/${objectId}/refreshSessionToken`
    const refreshed = await php('PUT', path, { session: changed.body.sessionToken, body: 'null' })
    // User::refreshSessionToken
    expect(refreshed.body).toMatchObject({ sessionToken: ANY_TEXT })
    expect(refreshed.body.sessionToken).not.toBe(session)
  })

  it('logs in by a code with GET', async () => {
    const query = { mobilePhoneNumber: '+8613800000000', smsCode: '000000' }
    // User::logInWithSmsCode: there is no such number here, but there is such a request.
    const { body } = await php('GET', '/1.1/login', { query })
    expect([213, 211, 603]).toContain(body.code)
  })

  it('comes from elsewhere, by the openid alone, and links another', async () => {
    const body = { authData: { weixin: { openid: 'open id', access_token: 'token', expires_in: 7200 } } }
    const first = await php('POST', '/1.1/users', { body })
    // User::logInWith
    expect(first.body).toMatchObject({ objectId: ANY_TEXT, sessionToken: ANY_TEXT })
    const again = await php('POST', '/1.1/users', { body })
    expect(again.body).toMatchObject({ objectId: first.body.objectId, createdAt: ISO })
    const path = `/1.1/classes/_User/${first.body.objectId}`
    const link = { path, method: 'PUT', body: { authData: { weibo: { uid: '7', access_token: 'token' } } } }
    // User::linkWith, User::unlinkWith
    expect(await batch([link], first.body.sessionToken)).toMatchObject([{ success: { updatedAt: ISO } }])
    const unlink = { path, method: 'PUT', body: { authData: { weibo: null } } }
    expect(await batch([unlink], first.body.sessionToken)).toMatchObject([{ success: { updatedAt: ISO } }])
  })
})

it('a file elsewhere is a record, with null and lists where it says nothing', async () => {
  // File::createWithUrl, File::save
  const metaData = { owner: 'unknown', __source: 'external' }
  const file = { name: 'cat.png', ACL: null, mime_type: null, metaData, url: 'https://example.com/cat.png' }
  const { status, body } = await php('POST', '/1.1/files', { body: file })
  expect([status, body]).toEqual([201, expect.objectContaining({ objectId: ANY_TEXT, createdAt: ISO })])
  const bare = await php('POST', '/1.1/files', { body: { ...file, metaData: [] } })
  expect(bare.status).toBe(201)
  const objectId = await save('Post', { picture: { __type: 'File', id: body.objectId } })
  const { body: record } = await php('GET', `/1.1/files/${body.objectId}`)
  // File::fetch
  expect(record).toMatchObject({ objectId: body.objectId, name: 'cat.png', url: file.url })
  const { body: stored } = await php('GET', `/1.1/classes/Post/${objectId}`)
  // Client::decode
  expect(stored.picture).toMatchObject({ __type: 'File', name: 'cat.png', url: file.url })
  expect((await master('DELETE', `/1.1/files/${body.objectId}`)).status).toBe(200)
})

describe('a function', async () => {
  const engine = await standInEngine()
  beforeAll(async () => {
    engine.functions.set('hello', json({ result: { __type: 'Date', iso: '2026-01-02T03:04:05.678Z' } }))
    engine.functions.set('__before_save_for_Signed', json({}))
    engine.functions.set('Signed/beforeSave', json({}))
    // LeanEngine does not name the key of hooks among the headers that it allows, and so is sent signs.
    engine.knowsHookKey = false
    await useEngine(app, { production: engine.url })
  })

  it('is run with a list for no parameters, and for a user', async () => {
    // Cloud::run
    const { body } = await php('POST', '/1.1/functions/hello', { body: [] })
    expect(body).toEqual({ result: expect.objectContaining({ __type: 'Date' }) })
    expect(inputOf(engine.calls.at(-1))).toEqual({})
    const { sessionToken } = await signUp('caller')
    await php('POST', '/1.1/functions/hello', { session: sessionToken, body: { a: 1 } })
    expect(engine.calls.at(-1)!.headers).toMatchObject({ 'x-lc-session': sessionToken })
  })

  it('for a class is asked with a sign inside the object, for its engine to check', async () => {
    await save('Signed', { name: 'mine' })
    const { object } = inputOf(engine.calls.at(-1)) as { object: { __before: string } }
    const time = object.__before.split(',')[0]
    // LeanEngine::dispatchHook, Client::signHook
    const hmac = createHmac('sha1', app.masterKey).update(`__before_for_Signed:${time}`).digest('hex')
    expect(object.__before).toBe(`${time},${hmac}`)
  })
})

it('a push is sent by the master, to a channel or where a condition holds', async () => {
  // Push::send
  const data = { alert: 'hello' }
  const toChannel = await master('POST', '/1.1/push', { body: { prod: 'prod', data, channels: ['news'] } })
  expect([toChannel.status, toChannel.body]).toEqual([200, expect.objectContaining({ objectId: ANY_TEXT })])
  const where = { deviceType: 'ios' }
  const { status } = await master('POST', '/1.1/push', { body: { prod: 'dev', data, where, expiration_interval: 60 } })
  expect(status).toBe(200)
})

it('a conversation is made, joined and written to by the master', async () => {
  // IM\Conversations
  const { body } = await master('POST', '/1.2/rtm/conversations', { body: { name: 'PHP', m: ['tom', 'jerry'] } })
  expect(body).toMatchObject({ objectId: ANY_TEXT })
  const path = `/1.2/rtm/conversations/${body.objectId}`
  expect((await master('POST', `${path}/members`, { body: { client_ids: ['ann'] } })).status).toBe(200)
  const members = await master('GET', `${path}/members`)
  expect(members.body).toMatchObject({ result: expect.arrayContaining(['tom', 'jerry', 'ann']) })
  const message = { from_client: 'tom', message: '{"_lctype":-1,"_lctext":"hi"}', transient: false }
  expect((await master('POST', `${path}/messages`, { body: message })).status).toBe(200)
})
