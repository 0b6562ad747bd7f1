import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { makeApp } from '../../support/app.ts'
import { requestsOf, signOf } from './client-requests.ts'

// LeanCloud's C# SDK 1.0 and 2.x (.NET and Unity): what LCHttpClient, LCObject, LCQuery, LCUser, LCInstallation, LCFile and
// LCCloud send, and what they demand of the answers; at the end the SDK before it, whose classes begin with AV. Neither
// can run here.

const app = await makeApp()
const ANY_TEXT = expect.any(String)
const ANY_NUMBER = expect.any(Number)
const ANY_OBJECT = expect.any(Object)
const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const GUID = '7f8a1c62-3df0-4be0-9a1b-0f4f1f9d2c11'

/** LCHttpClient.FillHeaders */
const commonHeaders = () => ({
  'x-lc-id': app.appId,
  'x-lc-sign': signOf(app.appKey),
  'user-agent': 'LeanCloud-CSharp-SDK/1.0.4',
  accept: 'application/json',
})
const csharp = requestsOf(app, commonHeaders, 'application/json')

async function signUp(username: string): Promise<{ objectId: string; sessionToken: string }> {
  const { status, body } = await csharp('POST', '/1.1/classes/_User', { body: { username, password: 'secret' } })
  expect(status, JSON.stringify(body)).toBe(201)
  // LCObjectData.Decode takes the fields as they come; the token is read as text by LCUser.SessionToken.
  expect(body).toMatchObject({ objectId: ANY_TEXT, createdAt: ISO, sessionToken: ANY_TEXT })
  return body
}

async function save(className: string, body: object): Promise<string> {
  const reply = await csharp('POST', `/1.1/classes/${className}`, { body })
  expect([reply.status, reply.body]).toEqual([201, { objectId: ANY_TEXT, createdAt: ISO }])
  return reply.body.objectId
}

describe('a start', () => {
  it('asks the RTM router without a word about the app but its id', async () => {
    const bare = requestsOf(app, () => ({}), 'application/json')
    const { status, body } = await bare('GET', '/v1/route', { query: { appId: app.appId, secure: '1' } })
    // LCRTMRouter.Fetch, LCRTMServer: `ttl` is an integer, and the addresses must be addresses.
    expect([status, body]).toEqual([200, expect.objectContaining({ server: ANY_TEXT, ttl: ANY_NUMBER })])
    expect(Number.isInteger(body.ttl)).toBe(true)
    expect(() => [new URL(body.server), new URL(body.secondary)]).not.toThrow()
  })

  it('asks the app router where no address was given', async () => {
    const { body } = await csharp('GET', '/2/route', { query: { appId: app.appId } })
    // LCAppServer
    const hosts = { api_server: ANY_TEXT, push_server: ANY_TEXT, engine_server: ANY_TEXT }
    expect(body).toMatchObject({ ...hosts, ttl: ANY_NUMBER })
  })
})

describe('an object', () => {
  it('is saved and changed, with a switch in capitals', async () => {
    const place = { __type: 'GeoPoint', latitude: 40, longitude: -30.5 }
    const objectId = await save('Todo', { title: 'one', n: 1, place, tags: ['a'] })
    const change = { n: { __op: 'Increment', amount: 2 }, tags: { __op: 'AddUnique', objects: ['b'] } }
    // LCObject.Save writes a boolean as C# does.
    const query = { fetchWhenSave: 'True' }
    const { status, body } = await csharp('PUT', `/1.1/classes/Todo/${objectId}`, { query, body: change })
    expect([status, body]).toEqual([200, { objectId, updatedAt: ISO, n: 3, tags: ['a', 'b'] }])
    const { body: stored } = await csharp('GET', `/1.1/classes/Todo/${objectId}`)
    // LCDecoder: dates are texts, and nothing that a decoder casts is null.
    expect(stored).toMatchObject({ objectId, createdAt: ISO, updatedAt: ISO, place })
  })

  it('under a condition that does not hold fails with a number and a text', async () => {
    const objectId = await save('Todo', { n: 1 })
    const query = { where: JSON.stringify({ n: { $gt: 5 } }) }
    const { status, body } = await csharp('PUT', `/1.1/classes/Todo/${objectId}`, { query, body: { n: 2 } })
    // LCHttpClient.HandleErrorResponse
    expect([status, body]).toEqual([400, { code: 305, error: ANY_TEXT }])
  })

  it('is saved with others, their children in a batch before them', async () => {
    const request = (className: string, body: object) => ({ path: `/1.1/classes/${className}`, method: 'POST', body })
    const requests = [request('Child', { name: 'small' }), request('Child', { name: 'smaller' })]
    const { body: children } = await csharp('POST', '/1.1/batch', { body: { requests } })
    // LCObject.SaveBatches: as many answers as requests, each with `success` or with `error`.
    const made = { success: { objectId: ANY_TEXT, createdAt: ISO } }
    expect(children).toEqual([made, made])
    const objectId = children[0].success.objectId
    const bad = { path: `/1.1/classes/Child/${objectId}`, method: 'PUT', body: { name: 5 } }
    const good = request('Parent', { child: { __type: 'Pointer', className: 'Child', objectId } })
    const { body: answers } = await csharp('POST', '/1.1/batch', { body: { requests: [bad, good] } })
    expect(answers).toEqual([{ error: { code: ANY_NUMBER, error: ANY_TEXT } }, made])
  })

  it('is fetched with others, and deleted with others', async () => {
    const ids = [await save('Todo', { n: 1 }), await save('Todo', { n: 2 })]
    const requests = (method: string) => ids.map((id) => ({ path: `/1.1/classes/Todo/${id}`, method }))
    const { body: found } = await csharp('POST', '/1.1/batch', { body: { requests: requests('GET') } })
    // LCObject.FetchAll
    const object = (objectId: string, n: number) => ({ success: expect.objectContaining({ objectId, n }) })
    expect(found).toEqual([object(ids[0]!, 1), object(ids[1]!, 2)])
    const { body: gone } = await csharp('POST', '/1.1/batch', { body: { requests: requests('DELETE') } })
    // LCObject.DeleteAll
    expect(gone).toEqual([{ success: expect.anything() }, { success: expect.anything() }])
  })

  it('is found, counted and included', async () => {
    const child = await save('Leaf', { name: 'green' })
    await save('Tree', { leaf: { __type: 'Pointer', className: 'Leaf', objectId: child }, n: 7 })
    const query = {
      where: '{"n":{"$gt":5}}',
      order: '-createdAt',
      limit: '30',
      skip: '0',
      include: 'leaf',
      keys: 'leaf',
    }
    const { body } = await csharp('GET', '/1.1/classes/Tree', { query })
    // LCQuery.Find, LCDecoder.DecodeObject: a pointer says its class.
    const leaf = { __type: ANY_TEXT, className: 'Leaf', objectId: child, name: 'green', createdAt: ISO }
    expect(body.results).toEqual([expect.objectContaining({ leaf: expect.objectContaining(leaf), createdAt: ISO })])
    const counted = await csharp('GET', '/1.1/classes/Tree', { query: { where: '{}', limit: '0', count: '1' } })
    // LCQuery.Count
    expect(counted.body).toMatchObject({ count: 1 })
  })

  it('of which there is none is told as such', async () => {
    const { status, body } = await csharp('GET', `/1.1/classes/Todo/${'5'.repeat(24)}`)
    // LCObject.Fetch: what is not there comes as an object without fields, or as an error with a number.
    expect([status, body]).toEqual([200, {}])
  })
})

describe('a user', () => {
  it('signs up, logs in and is remembered', async () => {
    const { objectId } = await signUp('tom')
    const login = await csharp('POST', '/1.1/login', { body: { username: 'tom', password: 'secret' } })
    // LCUser.Login: `emailVerified` may be null (Convert.ToBoolean).
    expect(login.body).toMatchObject({ objectId, sessionToken: ANY_TEXT, username: 'tom', createdAt: ISO })
    const session = login.body.sessionToken
    const { body: me } = await csharp('GET', '/1.1/users/me', { session })
    expect(me).toMatchObject({ objectId, sessionToken: session })
    const put = await csharp('PUT', `/1.1/classes/_User/${objectId}`, { session, body: { nickname: 'Tommy' } })
    expect(put.body).toEqual({ objectId, updatedAt: ISO })
    const passwords = { old_password: 'secret', new_password: 'more secret' }
    const changed = await csharp('PUT', `/1.1/users/${objectId}/updatePassword`, { session, body: passwords })
    // LCUser.UpdatePassword
    expect(changed.body).toMatchObject({ objectId, sessionToken: ANY_TEXT })
  })

  it('with a wrong password is an error with a number', async () => {
    await signUp('jerry')
    const { body } = await csharp('POST', '/1.1/login', { body: { username: 'jerry', password: 'wrong' } })
    expect(body).toEqual({ code: 210, error: ANY_TEXT })
  })

  it('comes from elsewhere, unless only those who are known may', async () => {
    const authData = { weixin: { access_token: 'token', expires_in: 7200, openid: 'open id' } }
    // LCUser.LoginWithAuthData
    const query = { failOnNotExist: 'true' }
    const unknown = await csharp('POST', '/1.1/users', { query, body: { authData } })
    expect(unknown.body).toEqual({ code: 211, error: ANY_TEXT })
    const { body } = await csharp('POST', '/1.1/users', { body: { authData } })
    expect(body).toMatchObject({ objectId: ANY_TEXT, sessionToken: ANY_TEXT, authData: { weixin: ANY_OBJECT } })
    const again = await csharp('POST', '/1.1/users', { query, body: { authData } })
    expect(again.body).toMatchObject({ objectId: body.objectId, createdAt: ISO })
  })

  it('is anonymous, and becomes somebody', async () => {
    const authData = { anonymous: { id: GUID } }
    const { body } = await csharp('POST', '/1.1/users', { body: { authData } })
    expect(body).toMatchObject({ objectId: ANY_TEXT, sessionToken: ANY_TEXT, username: ANY_TEXT })
    const session = body.sessionToken
    const path = `/1.1/classes/_User/${body.objectId}`
    // LCUser.AssociateAuthData, LCUser.DisassociateWithAuthData
    const weibo = { authData: { weibo: { uid: '5', access_token: 'token' } } }
    expect((await csharp('PUT', path, { session, body: weibo })).status).toBe(200)
    expect((await csharp('PUT', path, { session, body: { authData: { weibo: null } } })).status).toBe(200)
    const { body: me } = await csharp('GET', '/1.1/users/me', { session })
    expect(me.authData ?? {}).not.toHaveProperty('weibo')
  })
})

it('an installation is saved like any object', async () => {
  const body = { deviceType: 'ios', deviceToken: 'ab'.repeat(32), apnsTopic: 'com.example.app', channels: ['news'] }
  const { body: made } = await csharp('POST', '/1.1/classes/_Installation', { body })
  expect(made).toMatchObject({ objectId: ANY_TEXT, createdAt: ISO })
  const path = `/1.1/classes/_Installation/${made.objectId}`
  const changed = await csharp('PUT', path, { body: { channels: { __op: 'Add', objects: ['sports'] } } })
  expect(changed.body).toMatchObject({ objectId: made.objectId, updatedAt: ISO })
})

it('a file elsewhere is a record, which only the master key may delete', async () => {
  // LCFile.Save of what was made by LCFile(name, uri)
  const body = { name: 'cat.png', url: 'https://example.com/cat.png', mime_type: 'image/png', metaData: {} }
  const { status, body: file } = await csharp('POST', '/1.1/classes/_File', { body })
  expect([status, file]).toEqual([201, expect.objectContaining({ objectId: ANY_TEXT, createdAt: ISO })])
  const objectId = await save('Post', { picture: { __type: 'File', id: file.objectId } })
  const { body: post } = await csharp('GET', `/1.1/classes/Post/${objectId}`)
  // LCDecoder.DecodeFile
  expect(post.picture).toMatchObject({ __type: 'File', objectId: file.objectId, name: 'cat.png', url: body.url })
  // LCFile.Delete
  expect((await csharp('DELETE', `/1.1/files/${file.objectId}`)).body).toEqual({ code: ANY_NUMBER, error: ANY_TEXT })
  const headers = { 'x-lc-sign': signOf(app.masterKey, Date.now(), ',master') }
  expect((await csharp('DELETE', `/1.1/files/${file.objectId}`, { headers })).status).toBe(200)
})

it('a session is signed for: the time is a number that does not fit into 32 bits', async () => {
  const { sessionToken } = await signUp('signed')
  const { body } = await csharp('POST', '/1.1/rtm/sign', { body: { session_token: sessionToken } })
  // LCIMSignatureFactory of a user
  expect(body).toMatchObject({ signature: ANY_TEXT, timestamp: ANY_NUMBER, nonce: ANY_TEXT })
  expect(body.timestamp).toBeGreaterThan(2 ** 31)
})

describe('the SDK before it', () => {
  /** AVCommandRunner: the sign is made once at the start, with a hash of the time in it. */
  const sign = signOf(app.appKey)
  const headers = {
    'x-lc-id': app.appId,
    'x-lc-sign': sign,
    'x-lc-installation-id': GUID,
    'x-lc-client-version': 'net-portable-1.0.6685.25186',
    'content-type': 'application/json',
  }

  /** Every request has a body, that of a GET being the word null, which fetch does not send. */
  const send = (method: string, path: string, body: unknown = null) =>
    // biome-ignore lint/suspicious/noExplicitAny: an answer, read by the test
    new Promise<{ status: number; body: any }>((resolve, reject) => {
      const text = JSON.stringify(body)
      const length = { 'content-length': String(Buffer.byteLength(text)) }
      const outgoing = request(app.url + path, { method, headers: { ...headers, ...length } }, async (incoming) => {
        const answer = (await incoming.toArray()).join('')
        resolve({ status: incoming.statusCode!, body: JSON.parse(answer) })
      })
      outgoing.on('error', reject)
      outgoing.end(text)
    })

  it('finds and gets with a body of null', async () => {
    const { status, body } = await send('POST', '/1.1/classes/Old', { n: 1, when: null })
    // AVObjectController.SaveAsync: new is what is answered with 201.
    expect([status, body]).toEqual([201, { objectId: ANY_TEXT, createdAt: ISO }])
    const found = await send('GET', `/1.1/classes/Old?where=${encodeURIComponent('{"n":1}')}&limit=10`)
    expect([found.status, found.body]).toEqual([
      200,
      { results: [expect.objectContaining({ objectId: body.objectId })] },
    ])
    const got = await send('GET', `/1.1/classes/Old/${body.objectId}`)
    expect(got.body).toMatchObject({ objectId: body.objectId, n: 1, createdAt: ISO, updatedAt: ISO })
    expect((await send('DELETE', `/1.1/classes/Old/${body.objectId}`)).status).toBe(200)
  })

  it('saves several at once', async () => {
    const requests = [1, 2].map((n) => ({ method: 'POST', path: '/1.1/classes/Old', body: { n } }))
    const { body } = await send('POST', '/1.1/batch', { requests })
    // AVObjectController.ExecuteBatchRequest
    const made = { success: { objectId: ANY_TEXT, createdAt: ISO } }
    expect(body).toEqual([made, made])
  })

  it('logs in, by name and from elsewhere, where 201 means new', async () => {
    await send('POST', '/1.1/classes/_User', { username: 'old tom', password: 'secret' })
    const login = await send('POST', '/1.1/login', { username: 'old tom', password: 'secret' })
    expect(login.body).toMatchObject({ objectId: ANY_TEXT, sessionToken: ANY_TEXT })
    // AVUserController.LogInAsync
    const authData = { qq: { openid: 'open', access_token: 'token', expires_in: 7200 } }
    const first = await send('POST', '/1.1/users', { authData })
    const second = await send('POST', '/1.1/users', { authData })
    expect([first.status, second.status]).toEqual([201, 200])
    expect(second.body).toMatchObject({ objectId: first.body.objectId, sessionToken: ANY_TEXT, createdAt: ISO })
    // AVUser.RefreshSessionTokenAsync
    const withSession = { ...headers, 'x-lc-session': second.body.sessionToken }
    const path = `${app.url}/1.1/users/${second.body.objectId}/refreshSessionToken`
    const refreshed = await fetch(path, { method: 'PUT', headers: withSession, body: 'null' })
    expect(await refreshed.json()).toMatchObject({ sessionToken: ANY_TEXT })
  })

  it('saves an installation by its own id', async () => {
    const { status, body } = await send('POST', '/1.1/classes/_Installation', {
      installationId: GUID,
      deviceType: 'dotnet',
      timeZone: 'Asia/Shanghai',
    })
    expect([status, body]).toEqual([201, expect.objectContaining({ objectId: ANY_TEXT, createdAt: ISO })])
  })
})
