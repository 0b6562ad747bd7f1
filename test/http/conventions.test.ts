import { once } from 'node:events'
import http from 'node:http'
import net from 'node:net'
import { text } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, inject, it } from 'vitest'
import { call, makeApp, type Reply } from '../support/app.ts'

const app = await makeApp()
const json = { 'content-type': 'application/json' }
const UNAUTHORIZED = { code: 401, error: 'Unauthorized.' }

/** Sends a request with exactly these headers. */
function send(method: string, path: string, headers: Record<string, string>, body?: string): Promise<Reply> {
  return call(app.url, method, path, headers, body)
}

/** Sends a request and returns the response without decompressing it. */
async function sendRaw(method: string, path: string, headers: Record<string, string>, body = '') {
  const request = http.request(app.url + path, { method, headers })
  request.end(body)
  const [response] = (await once(request, 'response')) as [http.IncomingMessage]
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  return { status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) }
}

const post = (await app.request('POST', '/1.1/classes/Post', { body: { title: 'Hello' } })).body as {
  objectId: string
  createdAt: string
}
const POST = `/1.1/classes/Post/${post.objectId}`
const SCAN = '/1.1/scan/classes/Post'
const { appId, appKey, masterKey } = app

describe('authentication', () => {
  const id = { 'x-lc-id': appId }
  const accepted: [form: string, headers: Record<string, string>, path: string][] = [
    ['X-LC-Key', { ...id, 'x-lc-key': appKey }, POST],
    ['X-LC-Key with the master key', { ...id, 'x-lc-key': `${masterKey},master` }, SCAN],
    ['X-AVOSCloud headers', { 'x-avoscloud-application-id': appId, 'x-avoscloud-application-key': appKey }, POST],
    ['X-Uluru headers', { 'x-uluru-application-id': appId, 'x-uluru-application-key': appKey }, POST],
    ['X-AVOSCloud-Master-Key', { 'x-avoscloud-application-id': appId, 'x-avoscloud-master-key': masterKey }, SCAN],
    ['X-Uluru-Master-Key', { 'x-uluru-application-id': appId, 'x-uluru-master-key': masterKey }, SCAN],
    ['an older key name with the suffix', { ...id, 'x-avoscloud-application-key': `${masterKey},master` }, SCAN],
    ['no credentials for the date', {}, '/1.1/date'],
    ['wrong credentials for the date', { ...id, 'x-lc-key': 'wrong' }, '/1.1/date'],
  ]
  it.each(accepted)('%s: accepted', async (_form, headers, path) => {
    expect((await send('GET', path, headers)).status).toBe(200)
  })

  const refused: [form: string, headers: Record<string, string>, path: string][] = [
    ['no headers', {}, POST],
    ['no id', { 'x-lc-key': appKey }, POST],
    ['no key', id, POST],
    ['an unknown id', { 'x-lc-id': 'unknown', 'x-lc-key': appKey }, POST],
    ['an id that is no id', { 'x-lc-id': "'; --", 'x-lc-key': appKey }, POST],
    ['a wrong key', { ...id, 'x-lc-key': `${appKey}x` }, POST],
    ['an empty key', { ...id, 'x-lc-key': '' }, POST],
    ['the app key with the suffix of the master key', { ...id, 'x-lc-key': `${appKey},master` }, POST],
    ['the master key without its suffix', { ...id, 'x-lc-key': masterKey }, POST],
    ['a wrong master key', { ...id, 'x-lc-key': 'wrong,master' }, POST],
    ['the app key as X-AVOSCloud-Master-Key', { ...id, 'x-avoscloud-master-key': appKey }, POST],
    ['the app key for a scan', { ...id, 'x-lc-key': appKey }, SCAN],
    ['the app key for schemas', { ...id, 'x-lc-key': appKey }, '/1.1/schemas'],
  ]
  it.each(refused)('%s: rejected with 401', async (_form, headers, path) => {
    const reply = await send('GET', path, headers)
    expect(reply.status).toBe(401)
    expect(reply.body).toEqual(UNAUTHORIZED)
  })

  it('rejects the keys of another app', async () => {
    const other = await makeKeyed('OtherKeyOtherKeyOtherKey', 'OtherMasterOtherMaster')
    expect(await send('GET', POST, { ...id, 'x-lc-key': other.appKey })).toMatchObject({ status: 401 })
    expect(await send('GET', POST, { 'x-lc-id': other.appId, 'x-lc-key': appKey })).toMatchObject({ status: 401 })
  })

  it('accepts the session token in X-LC-Session and under its legacy names', async () => {
    const { id: userId, session } = await app.makeUser('ann')
    const body = { ACL: { [userId]: { read: true } } }
    const { objectId } = (await app.request('POST', '/1.1/classes/Secret', { body })).body
    for (const name of ['x-lc-session', 'x-avoscloud-session-token', 'x-uluru-session-token']) {
      const headers = { ...id, 'x-lc-key': appKey, [name]: session }
      expect((await send('GET', `/1.1/classes/Secret/${objectId}`, headers)).status).toBe(200)
    }
    expect((await app.request('GET', `/1.1/classes/Secret/${objectId}`)).status).toBe(403)
  })
})

const keyed = await makeKeyed('UtOCzqb67d3sN12Kts4URwy8', 'DyJegPlemooo4X1tg94gQkw1')

function makeKeyed(key: string, master: string) {
  return makeApp(inject('serverUrl'), inject('adminToken'), { appKey: key, masterKey: master })
}

describe('X-LC-Sign', async () => {
  await keyed.request('POST', '/1.1/classes/Post', { body: {} })
  const APP = 'd5bcbb897e19b2f6633c716dfdfaf9be,1453014943466'
  const MASTER = 'e074720658078c898aa0d4b1b82bdf4b,1453014943466,master'
  const statusOf = async (sign: string, path: string, header = 'x-lc-sign') =>
    (await send('GET', path, { 'x-lc-id': keyed.appId, [header]: sign })).status

  it('is the MD5 of time and app key', async () => {
    expect(await statusOf(APP, '/1.1/classes/Post')).toBe(200)
    expect(await statusOf(APP, SCAN)).toBe(401)
  })

  it('of the master key has its suffix, and grants master permissions', async () => {
    expect(await statusOf(MASTER, '/1.1/classes/Post')).toBe(200)
    expect(await statusOf(MASTER, SCAN)).toBe(200)
  })

  it.each(['x-avoscloud-request-sign', 'x-uluru-request-sign'])('is accepted as %s', async (header) => {
    expect(await statusOf(APP, '/1.1/classes/Post', header)).toBe(200)
    expect(await statusOf(MASTER, SCAN, header)).toBe(200)
  })

  it.each([
    ['in uppercase', APP.toUpperCase()],
    ['of the master key in uppercase', MASTER.replace(/^[^,]+/, (hex) => hex.toUpperCase())],
    ['of another time', APP.replace('943466', '943467')],
    ['without a time', APP.replace(/,.*/, '')],
    ['with an empty time', APP.replace(/,.*/, ',')],
    ['of the app key with the suffix of the master key', `${APP},master`],
    ['of the master key without its suffix', MASTER.replace(',master', '')],
    ['with another suffix', MASTER.replace('master', 'Master')],
    ['that is empty', ''],
    ['that is the key itself', `${keyed.appKey},1453014943466`],
  ])('rejects %s', async (_form, sign) => {
    expect(await statusOf(sign, '/1.1/classes/Post')).toBe(401)
  })
})

describe('a request', () => {
  const headers = { 'x-lc-id': appId, 'x-lc-key': appKey, ...json }

  it.each(['{', '{"a":1', 'nonsense', '{"a":undefined}', "{'a':1}"])(
    'with the body %s gets error 107',
    async (body) => {
      expect(await app.request('POST', '/1.1/classes/Post', { body })).toMatchObject({
        status: 400,
        body: { code: 107 },
      })
    },
  )

  it.each(['[1]', '"text"', '1', 'true'])('with the non-object body %s gets error 107', async (body) => {
    expect(await app.request('POST', '/1.1/classes/Post', { body })).toMatchObject({ status: 400, body: { code: 107 } })
  })

  it.each(['', '{}', 'null', '""', 'nonsense'])('with GET ignores the body %j', async (body) => {
    const length = { 'content-length': String(Buffer.byteLength(body)) }
    expect((await sendRaw('GET', POST, { ...headers, ...length }, body)).status).toBe(200)
  })

  it.each(['', '{}', 'null'])('with DELETE ignores the body %j', async (body) => {
    const length = { 'content-length': String(Buffer.byteLength(body)) }
    const path = '/1.1/classes/Post/0123456789abcdef01234567'
    expect((await sendRaw('DELETE', path, { ...headers, ...length }, body)).status).toBe(200)
  })

  it('accepts any JSON content type', async () => {
    for (const type of ['application/json', 'application/json;charset=UTF-8', 'application/json; charset=utf-8']) {
      const reply = await send('POST', '/1.1/classes/Post', { ...headers, 'content-type': type }, '{"title":"ü"}')
      expect(reply.status).toBe(201)
    }
  })

  it('accepts a trailing slash', async () => {
    const made = await app.request('POST', '/1.1/classes/Post/', { body: { title: 'slash' } })
    expect(made.status).toBe(201)
    expect((await app.request('GET', `/1.1/classes/Post/${made.body.objectId}/`)).body.title).toBe('slash')
    expect((await app.request('GET', '/1.1/date/')).status).toBe(200)
  })

  it('accepts /1/ for /1.1/', async () => {
    const made = await app.request('POST', '/1/classes/Post', { body: { title: 'old' } })
    expect(made.status).toBe(201)
    expect((await app.request('GET', `/1/classes/Post/${made.body.objectId}`)).body.title).toBe('old')
  })

  it('ignores unknown query parameters', async () => {
    expect((await app.request('GET', POST, { query: { cacheTimeout: '10', anything: 'x' } })).status).toBe(200)
  })

  it.each(['/', '/1.1', '/1.1/', '/1.1/unknown', '/1.1/classes', '/1.1/classes/Post/a/b', '/2.0/classes/Post'])(
    'to the unknown path %s gets a 404 with code and text',
    async (path) => {
      const reply = await app.request('GET', path)
      expect(reply.status).toBe(404)
      expect(reply.body).toEqual({ code: expect.any(Number), error: expect.any(String) })
    },
  )

  it.each([
    ['PATCH', POST],
    ['PUT', '/1.1/classes/Post'],
    ['DELETE', '/1.1/classes/Post'],
    ['POST', POST],
    ['GET', '/1.1/batch'],
    ['POST', '/1.1/date'],
  ])('%s %s with an unsupported method gets a 405 with code and text', async (method, path) => {
    const reply = await app.request(method, path, method === 'GET' ? {} : { body: {} })
    expect(reply.status).toBe(405)
    expect(reply.body).toEqual({ code: expect.any(Number), error: expect.any(String) })
  })

  it.each([
    ['an object', POST, 200],
    ['a class, with a slash at the end', '/1.1/classes/Post/', 200],
    ['a path with /1/', '/1/classes/Post', 200],
    ['an object that does not exist, which is empty', '/1.1/classes/Post/0123456789abcdef01234567', 200],
    ['what needs the master key', SCAN, 401],
    ['a path without GET', '/1.1/batch', 405],
    ['an unknown path', '/1.1/unknown', 404],
  ])('with HEAD for %s has the status and type of GET, without its body', async (_what, path, status) => {
    const options = { headers: { ...headers, 'accept-encoding': 'identity' } }
    const get = await fetch(app.url + path, options)
    const head = await fetch(app.url + path, { ...options, method: 'HEAD' })
    expect([get.status, head.status]).toEqual([status, status])
    expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'))
    expect(await head.text()).toBe('')
  })

  it('with HEAD accepts a large body, as GET does', async () => {
    const body = JSON.stringify({ where: { title: 'x'.repeat(20_000) } })
    const length = { 'content-length': String(body.length) }
    for (const method of ['GET', 'HEAD']) {
      expect((await sendRaw(method, '/1.1/classes/Post', { ...headers, ...length }, body)).status).toBe(200)
    }
  })

  it('with a malformed URL gets a 4xx with code and text', async () => {
    const reply = await sendRaw('GET', '/1.1/classes/%zz', headers)
    expect(reply.status).toBeGreaterThanOrEqual(400)
    expect(reply.status).toBeLessThan(500)
    expect(JSON.parse(String(reply.body))).toEqual({ code: expect.any(Number), error: expect.any(String) })
  })

  it('of more than 20 MB gets a 413 before its body is read', async () => {
    const socket = net.connect(Number(new URL(app.url).port), '127.0.0.1')
    socket.write(
      [
        'POST /1.1/classes/Post HTTP/1.1',
        `Host: ${new URL(app.url).host}`,
        ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
        `Content-Length: ${20 * 1024 * 1024 + 1}`,
        'Connection: close',
        '',
        '',
      ].join('\r\n'),
    )
    const answer = await text(socket)
    expect(answer).toMatch(/^HTTP\/1.1 413 /)
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toEqual({ code: 413, error: 'Payload Too Large.' })
  })

  it('of 20 MB is accepted', async () => {
    const frame = '{"requests":[],"padding":""}'
    const body = frame.replace('""', `"${'x'.repeat(20 * 1024 * 1024 - frame.length)}"`)
    expect(await app.request('POST', '/1.1/batch', { body })).toMatchObject({ status: 200, body: [] })
  })
})

describe('a response', () => {
  const headersOf = async (method: string, path: string, options = {}) =>
    (await app.request(method, path, options)).headers

  it.each([
    ['a success', POST],
    ['an error', '/1.1/classes/NoSuchClass'],
    ['an unknown path', '/1.1/unknown'],
  ])('of %s has a content type and forbids caching', async (_kind, path) => {
    const headers = await headersOf('GET', path)
    expect(headers.get('content-type')).toBe('application/json;charset=utf-8')
    expect(headers.get('cache-control')).toBe('no-cache,no-store')
    expect(headers.get('pragma')).toBe('no-cache')
    expect(headers.get('vary')?.toLowerCase()).toContain('accept-encoding')
  })

  it('of a creation has the relative path of the object in its class', async () => {
    const acl = { ACL: { '*': { read: true } } }
    const creations: [path: string, className: string, body: object][] = [
      ['/1.1/classes/Post', 'Post', {}],
      ['/1.1/classes/_User', '_User', { username: 'located', password: 'of it' }],
      ['/1.1/roles', '_Role', { name: 'Located', ...acl }],
      ['/1.1/classes/_Role', '_Role', { name: 'Located2', ...acl }],
    ]
    for (const [path, className, body] of creations) {
      for (const query of [{}, { fetchWhenSave: 'true' }]) {
        if ('fetchWhenSave' in query && className !== 'Post') continue
        const reply = await app.request('POST', path, { body, query, master: true })
        expect(reply.headers.get('location')).toBe(`/1.1/classes/${className}/${reply.body.objectId}`)
      }
    }
  })

  it('of one object has the Last-Modified of the object', async () => {
    const { body, headers } = await app.request('GET', POST)
    const modified = headers.get('last-modified')!
    expect(modified).toMatch(/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d\.\d{3} GMT$/)
    expect(new Date(modified).toISOString()).toBe(body.updatedAt)
  })

  it('of a missing object has no Last-Modified', async () => {
    const headers = await headersOf('GET', '/1.1/classes/Post/0123456789abcdef01234567')
    expect(headers.has('last-modified')).toBe(false)
  })

  it('of a query has the Last-Modified of its class, also when it is empty', async () => {
    const none = { query: { where: '{"title":"none"}' } }
    const modified = async () => Date.parse((await headersOf('GET', '/1.1/classes/Dated', none)).get('last-modified')!)
    const made = await app.request('POST', '/1.1/classes/Dated', { body: {} })
    const first = await modified()
    expect(first).toBeGreaterThanOrEqual(Date.parse(made.body.createdAt))
    expect(await modified()).toBe(first)
    const path = `/1.1/classes/Dated/${made.body.objectId}`
    const changed = await app.request('PUT', path, { body: { n: 1 } })
    expect(await modified()).toBeGreaterThanOrEqual(Date.parse(changed.body.updatedAt))
  })

  it('of a scan or batch has no Last-Modified', async () => {
    expect((await headersOf('GET', SCAN, { master: true })).has('last-modified')).toBe(false)
    expect((await headersOf('POST', '/1.1/batch', { body: { requests: [] } })).has('last-modified')).toBe(false)
  })

  it('is compressed with an encoding the client accepts', async () => {
    const { objectId } = (await app.request('POST', '/1.1/classes/Long', { body: { text: 'long '.repeat(2000) } })).body
    const read = (encoding: string) =>
      sendRaw('GET', `/1.1/classes/Long/${objectId}`, {
        'x-lc-id': appId,
        'x-lc-key': appKey,
        'accept-encoding': encoding,
      })
    const plain = await read('identity')
    expect(plain.headers['content-encoding']).toBeUndefined()
    const zipped = await read('gzip, deflate')
    expect(zipped.headers['content-encoding']).toBe('gzip')
    expect(gunzipSync(zipped.body)).toEqual(plain.body)
    const brotli = await read('gzip, deflate, br')
    expect(brotli.headers['content-encoding']).toBe('br')
    expect(brotliDecompressSync(brotli.body)).toEqual(plain.body)
    for (const { headers, body } of [zipped, brotli]) {
      expect(headers.vary?.toLowerCase()).toContain('accept-encoding')
      expect(body.length).toBeLessThan(plain.body.length / 10)
    }
  })
})

describe('cross-origin requests', () => {
  const HEADERS = [
    ...['X-LC-Id', 'X-LC-Key', 'X-LC-Sign', 'X-LC-Session', 'X-LC-Prod', 'X-LC-Hook-Key', 'X-LC-UA'],
    ...['User-Agent', 'Content-Type', 'Accept-Encoding'],
  ]
  const list = (value: string | null) => value!.toLowerCase().split(/,\s*/)

  it.each(['GET', 'POST', 'PUT', 'DELETE'])('preflight allows %s with every header, without keys', async (method) => {
    const response = await fetch(app.url + POST, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://example.com',
        'access-control-request-method': method,
        'access-control-request-headers': HEADERS.join(','),
      },
    })
    expect(response.ok).toBe(true)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(list(response.headers.get('access-control-allow-methods'))).toContain(method.toLowerCase())
    expect(list(response.headers.get('access-control-allow-headers'))).toEqual(
      expect.arrayContaining(HEADERS.map((name) => name.toLowerCase())),
    )
    expect(Number(response.headers.get('access-control-max-age'))).toBeGreaterThan(0)
  })

  it('can read responses and errors', async () => {
    const headers = { origin: 'https://example.com' }
    for (const path of [POST, '/1.1/classes/NoSuchClass', '/1.1/unknown']) {
      expect((await app.request('GET', path, { headers })).headers.get('access-control-allow-origin')).toBe('*')
    }
    const refused = await send('GET', POST, headers)
    expect(refused.status).toBe(401)
    expect(refused.headers.get('access-control-allow-origin')).toBe('*')
  })

  it('can read Location', async () => {
    const headers = { origin: 'https://example.com' }
    const reply = await app.request('POST', '/1.1/classes/Post', { body: {}, headers })
    expect(list(reply.headers.get('access-control-expose-headers'))).toContain('location')
  })
})

describe('the text/plain tunnel', () => {
  const credentials = { _ApplicationId: appId, _ApplicationKey: appKey }
  const tunnel = (path: string, body: object | string, type = 'text/plain') =>
    send('POST', path, { 'content-type': type }, typeof body === 'string' ? body : JSON.stringify(body))
  const make = async (fields: object) =>
    (await app.request('POST', '/1.1/classes/Tunnelled', { body: fields })).body.objectId as string
  const read = async (id: string) => (await app.request('GET', `/1.1/classes/Tunnelled/${id}`)).body

  it('without a method is a POST', async () => {
    for (const method of [{}, { _method: 'POST' }]) {
      const made = await tunnel('/1.1/classes/Tunnelled', {
        ...credentials,
        ...method,
        title: 'x',
        _ClientVersion: 'js1',
      })
      expect(made.status).toBe(201)
      expect(Object.keys(made.body).toSorted()).toEqual(['createdAt', 'objectId'])
      expect(Object.keys(await read(made.body.objectId)).toSorted()).toEqual([
        'createdAt',
        'objectId',
        'title',
        'updatedAt',
      ])
    }
  })

  it.each(['text/plain', 'text/plain;charset=UTF-8', 'text/plain; charset=utf-8'])('accepts %s', async (type) => {
    expect((await tunnel('/1.1/classes/Tunnelled', credentials, type)).status).toBe(201)
  })

  it('carries a GET of one object', async () => {
    const id = await make({ title: 'one', n: 1 })
    const body = { ...credentials, _method: 'GET', keys: 'title' }
    const reply = await tunnel(`/1.1/classes/Tunnelled/${id}`, body)
    expect(reply.status).toBe(200)
    expect(reply.body.title).toBe('one')
    expect(reply.body).not.toHaveProperty('n')
  })

  it.each([
    ['an object', (where: object) => where],
    ['a text', (where: object) => JSON.stringify(where)],
  ])('carries a query whose where is %s', async (form, encode) => {
    await Promise.all([1, 2, 3].map((n) => make({ form, n })))
    const where = encode({ form, n: { $gt: 1 } })
    const body = { ...credentials, _method: 'GET', where, order: '-n', limit: 1, count: 1 }
    const reply = await tunnel('/1.1/classes/Tunnelled', body)
    expect(reply.body.results.map((result: { n: number }) => result.n)).toEqual([3])
    expect(reply.body.count).toBe(2)
  })

  it('carries a PUT', async () => {
    const id = await make({ title: 'old', n: 1 })
    const body = { ...credentials, _method: 'PUT', title: 'new', n: { __op: 'Increment', amount: 1 } }
    const reply = await tunnel(`/1.1/classes/Tunnelled/${id}`, body)
    expect(reply.status).toBe(200)
    expect(Object.keys(reply.body).toSorted()).toEqual(['objectId', 'updatedAt'])
    expect(await read(id)).toMatchObject({ title: 'new', n: 2 })
  })

  it('carries a PUT with its condition in the URL', async () => {
    const id = await make({ n: 1 })
    const path = `/1.1/classes/Tunnelled/${id}?where=${encodeURIComponent('{"n":2}')}`
    expect(await tunnel(path, { ...credentials, _method: 'PUT', n: 5 })).toMatchObject({
      status: 400,
      body: { code: 305 },
    })
    expect((await read(id)).n).toBe(1)
  })

  it('carries a DELETE', async () => {
    const id = await make({})
    expect(await tunnel(`/1.1/classes/Tunnelled/${id}`, { ...credentials, _method: 'DELETE' })).toMatchObject({
      status: 200,
      body: {},
    })
    expect(await read(id)).toEqual({})
  })

  it('accepts the master key in both forms', async () => {
    const get = { _ApplicationId: appId, _method: 'GET' }
    expect((await tunnel(SCAN, { ...get, _ApplicationKey: `${masterKey},master` })).status).toBe(200)
    expect((await tunnel(SCAN, { ...get, _MasterKey: masterKey })).status).toBe(200)
    expect((await tunnel(SCAN, { ...get, _ApplicationKey: appKey })).status).toBe(401)
  })

  it('accepts a session token', async () => {
    const { id: userId, session } = await app.makeUser('tunneller')
    const id = await make({ ACL: { [userId]: { read: true } } })
    const get = { ...credentials, _method: 'GET' }
    expect((await tunnel(`/1.1/classes/Tunnelled/${id}`, { ...get, _SessionToken: session })).status).toBe(200)
    expect((await tunnel(`/1.1/classes/Tunnelled/${id}`, get)).status).toBe(403)
  })

  it('uses credentials from the headers when the body has none', async () => {
    const headers = { 'x-lc-id': appId, 'x-lc-key': appKey, 'content-type': 'text/plain' }
    expect((await send('POST', '/1.1/classes/Tunnelled', headers, '{"title":"x"}')).status).toBe(201)
  })

  it('is rejected with wrong credentials', async () => {
    const reply = await tunnel('/1.1/classes/Tunnelled', { ...credentials, _ApplicationKey: 'wrong' })
    expect(reply).toMatchObject({ status: 401, body: UNAUTHORIZED })
    expect((await tunnel('/1.1/classes/Tunnelled', { title: 'x' })).status).toBe(401)
  })

  it('requires a JSON object: error 107', async () => {
    for (const body of ['{', '[1]', '"x"']) {
      expect(await tunnel('/1.1/classes/Tunnelled', body)).toMatchObject({ status: 400, body: { code: 107 } })
    }
  })

  it('is not applied to a JSON body, where such keys are data', async () => {
    const body = { _SessionToken: 'x', _method: 'DELETE' }
    const made = await app.request('POST', '/1.1/classes/Tunnelled', { body })
    expect(made.status).toBe(201)
    expect(await read(made.body.objectId)).toMatchObject(body)
  })
})

describe('GET /2/route', () => {
  it('returns this server for every service', async () => {
    const reply = await send('GET', `/2/route?appId=${appId}`, {})
    const { host } = new URL(app.url)
    expect(reply.status).toBe(200)
    expect(reply.body).toEqual({
      api_server: host,
      engine_server: host,
      play_server: host,
      push_server: host,
      rtm_router_server: host,
      stats_server: host,
      ttl: 3600,
    })
    expect(reply.headers.get('cache-control')).toBe('public,max-age=3600')
  })
})

describe('a JSON body is parsed', () => {
  const send = async (type: string | null, body: string) => {
    const headers = { 'x-lc-id': app.appId, 'x-lc-key': app.appKey, ...(type !== null && { 'content-type': type }) }
    // `fetch` sets a content type for text, but not for bytes.
    const bytes = new TextEncoder().encode(body)
    const answer = await fetch(`${app.url}/1.1/classes/Typed`, { method: 'POST', headers, body: bytes })
    return { status: answer.status, body: (await answer.json()) as object }
  }

  it.each([
    null,
    '',
    'json',
    'application/json; charset=utf-8',
    'Application/JSON',
    'text/json',
    'application/x-www-form-urlencoded',
    'application/octet-stream',
  ])('with the Content-Type %j', async (type) => {
    expect((await send(type, '{"title":"x"}')).status).toBe(201)
  })

  it('and malformed JSON is reported', async () => {
    expect(await send('multipart/form-data; boundary=x', '--x--')).toMatchObject({
      status: 400,
      body: { code: 107, error: expect.stringContaining("its Content-Type is 'multipart/form-data; boundary=x'") },
    })
  })
})
