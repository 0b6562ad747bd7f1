import { describe, expect, it } from 'vitest'
import { makeApp, type Reply } from '../../support/app.ts'
import { requestsOf, signOf } from './client-requests.ts'

// LeanCloud's leancloud_storage 0.7 and 0.8 for Dart and Flutter: what _LCHttpClient, LCObject, LCQuery, LCUser, LCFile and
// LCCloud send, and what they demand of the answers. It cannot run here. leancloud_official_plugin, for chats, hands all
// it does to the Java and Swift SDKs, which have tests of their own.

const app = await makeApp()
const ANY_TEXT = expect.any(String)
const ANY_OBJECT = expect.any(Object)
const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

/** _LCHttpClient: every request says the type of a body, whether it has one or not. */
const commonHeaders = () => ({
  'x-lc-id': app.appId,
  'user-agent': 'LeanCloud-Flutter-SDK/0.8.1',
  'x-lc-sign': signOf(app.appKey),
  'content-type': 'application/json',
})
const dart = requestsOf(app, commonHeaders, 'application/json')

/** _LCHttpClient._handleError: the code is an `int` for Dart and the error a `String`. */
function expectFailure({ status, body }: Reply, code: number): void {
  expect(status).toBeGreaterThanOrEqual(400)
  expect(body).toEqual({ code, error: ANY_TEXT })
}

/** LCObject.save of a new object; _LCObjectData.decode parses the dates, which must be texts. */
async function save(className: string, body: object): Promise<string> {
  const reply = await dart('POST', `/1.1/classes/${className}`, { body })
  expect([reply.status, reply.body]).toEqual([201, { objectId: ANY_TEXT, createdAt: ISO }])
  return reply.body.objectId
}

async function signUp(username: string): Promise<{ objectId: string; sessionToken: string }> {
  const { body } = await dart('POST', '/1.1/classes/_User', { body: { username, password: 'secret' } })
  expect(body).toMatchObject({ objectId: ANY_TEXT, createdAt: ISO, sessionToken: ANY_TEXT })
  return body
}

it('a start asks the app router where no address was given', async () => {
  const { body } = await dart('GET', '/2/route', { query: { appId: app.appId } })
  // _LCAppServer.fromJson
  expect(body).toMatchObject({ api_server: ANY_TEXT, engine_server: ANY_TEXT, push_server: ANY_TEXT })
  expect(Number.isInteger(body.ttl)).toBe(true)
})

describe('an object', () => {
  it('is saved and changed; the answer shows it where asked', async () => {
    const objectId = await save('Todo', {
      title: 'one',
      n: 1.5,
      done: false,
      at: { __type: 'Date', iso: '2026-01-02T03:04:05.678Z' },
    })
    const query = { fetchWhenSave: 'true' }
    const body = { n: { __op: 'Increment', amount: 1 }, title: { __op: 'Delete' } }
    const changed = await dart('PUT', `/1.1/classes/Todo/${objectId}`, { query, body })
    expect(changed.body).toMatchObject({ objectId, updatedAt: ISO, n: 2.5 })
    const { body: stored } = await dart('GET', `/1.1/classes/Todo/${objectId}`)
    // _LCDecoder.decodeDate
    expect(stored).toMatchObject({ objectId, createdAt: ISO, updatedAt: ISO, at: { __type: 'Date', iso: ISO } })
  })

  it('is changed only where a condition holds', async () => {
    const objectId = await save('Todo', { n: 1 })
    const query = { where: JSON.stringify({ n: { $gt: 1 } }) }
    expectFailure(await dart('PUT', `/1.1/classes/Todo/${objectId}`, { query, body: { n: 2 } }), 305)
  })

  it('has coordinates that are floats, even where they are whole', async () => {
    // Dart writes 40.0, and _LCDecoder.decodePoint takes nothing but a double: 40 would be an int.
    const body = '{"place":{"__type":"GeoPoint","latitude":40.0,"longitude":-0.0},"name":"Dart"}'
    const { body: made } = await dart('POST', '/1.1/classes/Place', { body })
    const written = /"latitude": ?40\.0, ?"longitude": ?0\.0[,}]/
    const texts = async (path: string, init: RequestInit = {}) =>
      (await fetch(`${app.url}/1.1/${path}`, { headers: commonHeaders(), ...init })).text()
    expect(await texts(`classes/Place/${made.objectId}`)).toMatch(written)
    expect(await texts('classes/Place')).toMatch(written)
    expect(await texts('classes/Place?keys=place')).toMatch(written)
    const requests = [{ method: 'GET', path: `/1.1/classes/Place/${made.objectId}` }]
    expect(await texts('batch', { method: 'POST', body: JSON.stringify({ requests }) })).toMatch(written)
  })

  it('is saved with others, its children before it', async () => {
    const request = (className: string, body: object) => ({ path: `/1.1/classes/${className}`, method: 'POST', body })
    const made = { success: { objectId: ANY_TEXT, createdAt: ISO } }
    const children = await dart('POST', '/1.1/batch', { body: { requests: [request('Child', { n: 1 })] } })
    // LCObject._saveBatches
    expect(children.body).toEqual([made])
    const { objectId } = children.body[0].success
    const child = { __type: 'Pointer', className: 'Child', objectId }
    const bad = { path: `/1.1/classes/Child/${objectId}`, method: 'PUT', body: { n: 'no number' } }
    const answers = await dart('POST', '/1.1/batch', { body: { requests: [request('Parent', { child }), bad] } })
    expect(answers.body).toEqual([made, { error: { code: expect.any(Number), error: ANY_TEXT } }])
  })

  it('is fetched with others, and deleted with others', async () => {
    const ids = [await save('Todo', { n: 1 }), await save('Todo', { n: 2 })]
    const requests = (method: string) => ids.map((id) => ({ path: `/1.1/classes/Todo/${id}`, method }))
    const found = await dart('POST', '/1.1/batch', { body: { requests: requests('GET') } })
    // LCObject.fetchAll: each `success` is a Map.
    expect(found.body).toMatchObject(ids.map((objectId) => ({ success: { objectId, createdAt: ISO } })))
    const gone = await dart('POST', '/1.1/batch', { body: { requests: requests('DELETE') } })
    expect(gone.body).toEqual([{ success: ANY_OBJECT }, { success: ANY_OBJECT }])
  })

  it('is found, counted and included', async () => {
    const leaf = { __type: 'Pointer', className: 'Leaf', objectId: await save('Leaf', { name: 'green' }) }
    await save('Tree', { leaf, n: 7 })
    const query = { where: '{"n":{"$gt":5}}', order: '-createdAt', limit: '30', skip: '0', include: 'leaf' }
    const { body } = await dart('GET', '/1.1/classes/Tree', { query })
    // _LCDecoder.decodeNestedObject
    expect(body.results).toMatchObject([
      { leaf: { __type: ANY_TEXT, className: 'Leaf', name: 'green', createdAt: ISO } },
    ])
    const counted = await dart('GET', '/1.1/classes/Tree', { query: { where: '{}', limit: '0', count: '1' } })
    // LCQuery.count gives back an `int`.
    expect(counted.body.count).toBe(1)
  })

  it('has an ACL of texts and booleans, where the app lets it be seen', async () => {
    await app.admin('PATCH', '/settings', { storage: { returnAclInQueries: true } })
    const ACL = { '*': { read: true }, 'role:admin': { read: true, write: true } }
    const objectId = await save('Secret', { ACL })
    const query = { returnACL: 'true' }
    const { body } = await dart('GET', `/1.1/classes/Secret/${objectId}`, { query })
    // _LCDecoder.decodeACL
    expect(body.ACL).toEqual(ACL)
  })
})

describe('a user', () => {
  it('signs up, logs in, is remembered and takes a new password', async () => {
    const { objectId } = await signUp('tom')
    const login = await dart('POST', '/1.1/login', { body: { username: 'tom', password: 'secret' } })
    // LCUser._login: what is told of the mail is a bool or null.
    expect(login.body).toMatchObject({ objectId, sessionToken: ANY_TEXT, username: 'tom', createdAt: ISO })
    expect([true, false, null, undefined]).toContain(login.body.emailVerified)
    const session = login.body.sessionToken
    expect((await dart('GET', '/1.1/users/me', { session })).body).toMatchObject({ objectId, sessionToken: session })
    const passwords = { old_password: 'secret', new_password: 'more secret' }
    const changed = await dart('PUT', `/1.1/users/${objectId}/updatePassword`, { session, body: passwords })
    // LCUser.updatePassword
    expect(changed.body).toMatchObject({ objectId, sessionToken: ANY_TEXT })
    expectFailure(await dart('POST', '/1.1/login', { body: { username: 'tom', password: 'secret' } }), 210)
  })

  it('comes from elsewhere, unless only those who are known may', async () => {
    const authData = { weixin: { openid: 'open id', access_token: 'token', expires_in: 7200 } }
    const query = { failOnNotExist: 'true' }
    // LCUser._loginWithAuthData
    expectFailure(await dart('POST', '/1.1/users', { query, body: { authData } }), 211)
    const { body } = await dart('POST', '/1.1/users', { body: { authData } })
    expect(body).toMatchObject({ objectId: ANY_TEXT, sessionToken: ANY_TEXT, authData: { weixin: ANY_OBJECT } })
    const again = await dart('POST', '/1.1/users', { query, body: { authData } })
    expect(again.body).toMatchObject({ objectId: body.objectId, createdAt: ISO })
  })

  it('is anonymous, and then is not', async () => {
    const authData = { anonymous: { id: '0f8e6a34-94f8-4ae4-9f2d-7e1ac1b2f0aa' } }
    const { body } = await dart('POST', '/1.1/users', { body: { authData } })
    expect(body).toMatchObject({ objectId: ANY_TEXT, sessionToken: ANY_TEXT, authData })
    const session = body.sessionToken
    const path = `/1.1/classes/_User/${body.objectId}`
    // LCUser.associateAuthData, LCUser.disassociateWithAuthData
    const weibo = { authData: { weibo: { uid: '5', access_token: 'token' } } }
    expect((await dart('PUT', path, { session, body: weibo })).body).toMatchObject({ updatedAt: ISO })
    expect((await dart('PUT', path, { session, body: { authData: { weibo: null } } })).status).toBe(200)
  })

  it('who is nobody is refused', async () => {
    expectFailure(await dart('GET', '/1.1/users/me', { session: 'no such token' }), 211)
  })
})

it('a file elsewhere is a record', async () => {
  // LCFile.fromUrl and LCFile.save
  const file = { name: 'cat.png', url: 'https://example.com/cat.png', metaData: {} }
  const { status, body } = await dart('POST', '/1.1/classes/_File', { body: file })
  expect([status, body]).toEqual([201, expect.objectContaining({ objectId: ANY_TEXT, createdAt: ISO })])
  const objectId = await save('Post', { picture: { __type: 'File', id: body.objectId } })
  const { body: post } = await dart('GET', `/1.1/classes/Post/${objectId}`)
  // _LCDecoder.decodeFile
  expect(post.picture).toMatchObject({ __type: 'File', objectId: body.objectId, url: file.url, name: file.name })
})
