import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { call, makeApp } from '../support/app.ts'
import { useEngine } from '../support/engine-process.ts'
import { inputOf, json, standInEngine } from '../support/stand-in-engine.ts'

const app = await makeApp()
const engine = await standInEngine()
const staging = await standInEngine()
const { hookKey } = (await app.admin('GET', '')).body

beforeAll(() => useEngine(app, { production: engine.url, staging: staging.url }))

afterEach(() => {
  for (const { functions, calls } of [engine, staging]) {
    functions.clear()
    calls.length = 0
  }
})

const run = (name: string, options = {}) => app.request('POST', `/1.1/functions/${name}`, { body: {}, ...options })

describe('a function', () => {
  it('receives the parameters and responds, under both addresses', async () => {
    engine.functions.set('hello', json({ result: 'world' }))
    engine.functions.set('/1.1/call/hello', json({ result: { __type: 'Object', className: 'Post' } }))
    const plain = await run('hello', { body: { name: 'mia' } })
    expect([plain.status, plain.body]).toEqual([200, { result: 'world' }])
    expect(plain.headers.get('content-type')).toMatch(/^application\/json/)
    expect(plain.headers.get('access-control-allow-origin')).toBe('*')
    const typed = await app.request('POST', '/1.1/call/hello', { body: { name: 'mia' } })
    expect(typed.body).toEqual({ result: { __type: 'Object', className: 'Post' } })
    expect(engine.calls.map(inputOf)).toEqual([{ name: 'mia' }, { name: 'mia' }])
  })

  it('is called without the query string, and with {} when there are no parameters', async () => {
    engine.functions.set('hello', json({}))
    await app.request('POST', '/1.1/functions/hello', { query: { a: 'b' } })
    expect(engine.calls).toMatchObject([{ url: '/1.1/functions/hello', body: '{}' }])
  })

  it('receives no parameters that are not an object', async () => {
    expect(await run('hello', { body: [1] })).toMatchObject({ status: 400, body: { code: 107 } })
    expect(engine.calls).toEqual([])
  })

  it("receives the caller's permissions, session and address, and ignores forged values", async () => {
    engine.functions.set('hello', json({}))
    const made = { 'x-real-ip': '198.51.100.1', 'x-lc-hook-key': 'wrong' }
    await run('hello', { session: 'nobody', headers: made })
    await run('hello', { master: true, headers: { 'x-lc-hook-key': hookKey } })
    const [client, master] = engine.calls.map(({ headers }) => headers)
    expect(client).toMatchObject({ 'x-lc-key': app.appKey, 'x-lc-session': 'nobody', 'x-real-ip': '127.0.0.1' })
    expect(client).toMatchObject({ 'x-forwarded-for': '127.0.0.1' })
    expect(client).not.toHaveProperty('x-lc-hook-key')
    expect(master).toMatchObject({ 'x-lc-key': `${app.masterKey},master`, 'x-lc-hook-key': hookKey })
  })

  it('runs in staging with X-LC-Prod: 0', async () => {
    engine.functions.set('where', json({ result: 'production' }))
    staging.functions.set('where', json({ result: 'staging' }))
    const results = await Promise.all(['0', '1'].map((prod) => run('where', { headers: { 'x-lc-prod': prod } })))
    expect(results.map(({ body }) => body.result)).toEqual(['staging', 'production'])
  })

  it('fails with its own status and body', async () => {
    engine.functions.set('hello', json({ code: 42, error: 'no', detail: [1] }, 401))
    expect(await run('hello')).toMatchObject({ status: 401, body: { code: 42, error: 'no', detail: [1] } })
  })

  it('requires a key', async () => {
    const headers = { 'x-lc-id': app.appId, 'x-lc-key': 'wrong' }
    expect((await call(app.url, 'POST', '/1.1/functions/hello', headers, {})).status).toBe(401)
    expect(engine.calls).toEqual([])
  })

  it.each([
    '__before_save_for_Post',
    '%5F%5Fbefore_save_for_Post',
    '_messageReceived',
    '_ops',
    '_ops/metadatas',
    '_ops%2Fmetadatas',
    '_User',
    '_User/onLogin',
    'Post/beforeSave',
    'Post%2FbeforeSave',
    'onVerified/sms',
    'a%20b',
    '%2e%2e',
  ])('named like a hook or another path is not found: %s', async (name) => {
    for (const path of ['functions', 'call']) {
      const { status, body } = await app.request('POST', `/1.1/${path}/${name}`, { master: true, body: {} })
      expect([status, body.code]).toEqual([404, 1])
    }
    expect(engine.calls).toEqual([])
  })
})

it('a tunneled call keeps parameters that begin with an underscore, except credentials', async () => {
  engine.functions.set('hello', json({ result: 1 }))
  const body = {
    _ApplicationId: app.appId,
    _MasterKey: app.masterKey,
    _SessionToken: 'nobody',
    _ApplicationProduction: '1',
    _InstallationId: 'i',
    _private: 1,
    __type: 'Date',
    name: 'mia',
  }
  const { status } = await call(app.url, 'POST', '/1.1/functions/hello', { 'content-type': 'text/plain' }, body)
  expect(status).toBe(200)
  expect(inputOf(engine.calls[0])).toEqual({ _private: 1, __type: 'Date', name: 'mia' })
  expect(engine.calls[0]!.headers).toMatchObject({ 'x-lc-key': `${app.masterKey},master`, 'x-lc-session': 'nobody' })
})

it('in a batch functions run sequentially and fail independently', async () => {
  let running = 0
  engine.functions.set('slow', (response) => {
    const atOnce = ++running
    setImmediate(() => {
      running--
      response.end(JSON.stringify({ result: atOnce }))
    })
  })
  engine.functions.set('bad', json({ code: 42, error: 'no' }, 400))
  const paths = ['/1.1/functions/slow', '/1.1/functions/bad', '/1.1/functions/slow', '/1.1/functions/__x']
  const requests = paths.map((path) => ({ method: 'POST', path, body: {} }))
  const { body } = await app.request('POST', '/1.1/batch', { body: { requests } })
  expect(body).toEqual([
    { success: { result: 1 } },
    { error: { code: 42, error: 'no' } },
    { success: { result: 1 } },
    { error: { code: 1, error: expect.any(String) } },
  ])
})

it('pending functions block no other requests', async () => {
  const waiting: (() => void)[] = []
  engine.functions.set('slow', (response) => void waiting.push(() => response.end('{"result":1}')))
  const slow = Array.from({ length: 60 }, () => run('slow'))
  await expect.poll(() => waiting.length).toBe(60)
  // A request that a function could send back.
  const made = await app.request('POST', '/1.1/classes/Post', { body: { a: 1 } })
  expect(made.status).toBe(201)
  for (const answer of waiting) answer()
  expect((await Promise.all(slow)).map(({ status }) => status)).toEqual(Array(60).fill(200))
})

it('an app without an engine has no functions', async () => {
  const { request } = await makeApp()
  expect(await request('POST', '/1.1/functions/hello', { body: {} })).toMatchObject({
    status: 503,
    body: { code: 503, error: 'The cloud code of the app cannot be reached.' },
  })
})

describe('a function with a name beyond ASCII', () => {
  const name = '发送验证码'

  it.each(['functions', 'call'])('is called by its escaped name under %s', async (encoding) => {
    engine.functions.set(name, json({ result: 1 }))
    const path = `/1.1/${encoding}/${encodeURIComponent(name)}`
    expect(await app.request('POST', path, { body: {} })).toMatchObject({ status: 200, body: { result: 1 } })
    expect(engine.calls.at(-1)!.url).toBe(path)
  })

  it('is called in a batch', async () => {
    engine.functions.set(name, json({ result: 1 }))
    const requests = [name, encodeURIComponent(name)].map((part) => ({
      method: 'POST',
      path: `/1.1/functions/${part}`,
      body: {},
    }))
    const { body } = await app.request('POST', '/1.1/batch', { body: { requests } })
    expect(body).toEqual([{ success: { result: 1 } }, { success: { result: 1 } }])
  })

  it('is reported when the engine does not decode escapes', async () => {
    engine.undoesEscapes = false
    try {
      engine.functions.set(name, json({ result: 1 }))
      const { status, body } = await run(encodeURIComponent(name))
      expect([status, body.code]).toEqual([404, 1])
      expect(body.error).toContain(`define the function under the escaped name`)
      engine.functions.set(encodeURIComponent(name), json({ result: 2 }))
      expect((await run(encodeURIComponent(name))).body).toEqual({ result: 2 })
    } finally {
      engine.undoesEscapes = true
    }
  })

  it.each(['..', '%2e%2e', 'a%2Fb', 'a%00b', 'a%3Fb', 'a%20b', '_messageReceived', '__before_save_for_发'])(
    'cannot be %s',
    async (path) => {
      const before = engine.calls.length
      expect((await run(path)).status).toBe(404)
      expect(engine.calls).toHaveLength(before)
    },
  )
})

it('a call of staging without a staging engine is reported', async () => {
  const { request, admin } = await makeApp()
  await admin('PATCH', '/settings', { 'engine.production': engine.url })
  engine.functions.set('hello', json({ result: 1 }))
  const call = (prod: string) => request('POST', '/1.1/functions/hello', { body: {}, headers: { 'x-lc-prod': prod } })
  expect(await call('1')).toMatchObject({ status: 200 })
  expect(await call('0')).toMatchObject({
    status: 503,
    body: { code: 503, error: expect.stringMatching(/no staging engine.*X-LC-Prod.*engine\.staging/) },
  })
})

describe('POST /admin/apps/:appId/engine/refresh', () => {
  it('reloads the functions of each engine', async () => {
    engine.functions.set('hello', json({})).set('__before_save_for_Post', json({})).set('_messageReceived', json({}))
    await useEngine(app, { staging: null })
    const first = await app.admin('POST', '/engine/refresh')
    expect(first.body).toEqual({
      production: { answers: true, functions: ['hello'], hooks: ['__before_save_for_Post', '_messageReceived'] },
      staging: null,
    })
    engine.functions.clear()
    engine.functions.set('other', json({}))
    const second = await app.admin('POST', '/engine/refresh')
    expect(second.body.production).toEqual({ answers: true, functions: ['other'], hooks: [] })
  })

  it('shows the functions of the last response of an engine', async () => {
    engine.functions.set('hello', json({}))
    await app.admin('POST', '/engine/refresh')
    engine.metadata = json({ code: 1, error: 'no' }, 500)
    const { body } = await app.admin('POST', '/engine/refresh')
    engine.metadata = null
    expect(body.production).toEqual({ answers: false, functions: ['hello'], hooks: [] })
  })
})
