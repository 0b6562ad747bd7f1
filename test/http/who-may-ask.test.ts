import { createHash } from 'node:crypto'
import AV from 'leancloud-storage'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { makeApp, type TestApp } from '../support/app.ts'
import { startOwnServer } from '../support/own-server.ts'
import { initSdk } from '../support/sdk.ts'

// A separate server: the response to a preflight depends on all its apps.
const server = await startOwnServer([])
const app = await makeApp(server.url, server.adminToken)
const set = (security: object, on: TestApp = app) => on.admin('PATCH', '/settings', { security })

const PAGE = 'https://school.example'
const STRANGER = 'https://evil.example'

describe('security.webOrigins', () => {
  beforeAll(async () => {
    // The app created at startup allows all origins.
    const { apps } = (await adminOf('GET', '/admin/apps')) as { apps: { appId: string }[] }
    for (const { appId } of apps) if (appId !== app.appId) await adminOf('DELETE', `/admin/apps/${appId}`)
    expect((await set({ webOrigins: [PAGE, 'https://*.school.example'] })).status).toBe(200)
  })
  afterAll(() => set({ webOrigins: null }))

  const adminOf = async (method: string, path: string) => {
    const response = await fetch(server.url + path, {
      method,
      headers: { authorization: `Bearer ${server.adminToken}` },
    })
    return response.json()
  }
  const ask = (origin: string | undefined, method = 'POST', path = '/1.1/classes/Post', body: unknown = { n: 1 }) =>
    app.request(method, path, { body, headers: { ...(origin !== undefined && { origin }) } })
  const refused = {
    status: 403,
    body: {
      code: 403,
      error: "The web origin 'https://evil.example' is not allowed (security.webOrigins).",
    },
  }
  const preflight = (origin: string) =>
    fetch(`${server.url}/1.1/classes/Post`, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'x-lc-id' },
    })

  it.each([
    ['a page that is allowed', PAGE],
    ['one of its subdomains', 'https://chat.school.example'],
    ['who is no page', undefined],
    ['a page of the server itself', server.url],
  ])('%s is allowed', async (_, origin) => {
    const reply = await ask(origin)
    expect(reply.status).toBe(201)
    expect(reply.headers.get('access-control-allow-origin')).toBe('*')
  })

  it('a page of another origin is rejected, and its script learns nothing', async () => {
    const reply = await ask(STRANGER)
    expect(reply).toMatchObject(refused)
    expect(reply.headers.get('access-control-allow-origin')).toBeNull()
    expect(await app.request('GET', '/1.1/schemas', { master: true, headers: { origin: STRANGER } })).toMatchObject(
      refused,
    )
  })

  it('is not bypassed by a batch or a text/plain body', async () => {
    const requests = [{ method: 'POST', path: '/1.1/classes/Post', body: { n: 1 } }]
    expect(await ask(STRANGER, 'POST', '/1.1/batch', { requests })).toMatchObject(refused)
    const body = { _ApplicationId: app.appId, _ApplicationKey: app.appKey, n: 1 }
    for (const [origin, status] of [
      [PAGE, 201],
      [STRANGER, 403],
    ] as const) {
      const response = await fetch(`${server.url}/1.1/classes/Post`, {
        method: 'POST',
        headers: { 'content-type': 'text/plain', origin },
        body: JSON.stringify(body),
      })
      expect(response.status).toBe(status)
    }
  })

  it('a preflight succeeds when some app allows the origin', async () => {
    const allowed = await preflight(PAGE)
    expect(allowed.status).toBe(204)
    expect(allowed.headers.get('access-control-allow-origin')).toBe('*')
    const stranger = await preflight(STRANGER)
    expect(stranger.status).toBe(403)
    expect(stranger.headers.get('access-control-allow-origin')).toBeNull()
    // A preflight does not name its app.
    const open = await makeOpenApp()
    expect((await preflight(STRANGER)).status).toBe(204)
    expect(await ask(STRANGER)).toMatchObject(refused)
    expect((await open.request('GET', '/1.1/roles', { headers: { origin: STRANGER } })).status).toBe(200)
    await open.admin('DELETE', '')
  })

  const makeOpenApp = async (): Promise<Pick<TestApp, 'request' | 'admin'>> => {
    const headers = { authorization: `Bearer ${server.adminToken}`, 'content-type': 'application/json' }
    const made = await fetch(`${server.url}/admin/apps`, { method: 'POST', headers, body: '{"name":"open"}' })
    const { appId, appKey } = (await made.json()) as { appId: string; appKey: string }
    const call = async (method: string, path: string, headers: Record<string, string>) => {
      const response = await fetch(server.url + path, { method, headers })
      const text = await response.text()
      return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) }
    }
    return {
      request: (method, path, options) =>
        call(method, path, { 'x-lc-id': appId, 'x-lc-key': appKey, ...options?.headers }),
      admin: (method, path) => call(method, `/admin/apps/${appId}${path}`, { authorization: headers.authorization }),
    }
  }

  /** Returns the result of a handshake: the status of a rejection, or the state after the login. */
  const logIn = (origin: string | undefined, path = '/') =>
    new Promise<number | string>((resolve, reject) => {
      const socket = new WebSocket(server.url.replace('http', 'ws') + path, 'lc.json.3', { ...(origin && { origin }) })
      socket.on('unexpected-response', (_, response) => {
        resolve(response.statusCode!)
        socket.terminate()
      })
      socket.on('error', reject)
      socket.on('open', () =>
        socket.send(JSON.stringify({ cmd: 'session', op: 'open', appId: app.appId, peerId: 'ann', i: 1 })),
      )
      socket.on('message', (data) => {
        resolve(JSON.parse(String(data)).op)
        socket.close()
      })
      socket.on('close', (code, reason) => resolve(`${code} ${reason}`))
    })

  it('applies to WebSockets: at the handshake when no app allows the page, else once the app is known', async () => {
    expect(await logIn(PAGE)).toBe('opened')
    expect(await logIn(undefined)).toBe('opened')
    expect(await logIn(server.url)).toBe('opened')
    expect(await logIn(STRANGER)).toBe(403)
    const open = await makeOpenApp()
    expect(await logIn(STRANGER)).toBe('4110 INVALID_ORIGIN')
    expect(await logIn(STRANGER, `/app/${app.appId}`)).toBe('4110 INVALID_ORIGIN')
    await open.admin('DELETE', '')
  })

  it('accepts only origins, and names an invalid one', async () => {
    const reply = await set({ webOrigins: ['https://school.example/page'] })
    expect(reply).toMatchObject({ status: 400, body: { error: expect.stringContaining('security.webOrigins.0') } })
  })
})

describe('security.masterKeyAddresses', async () => {
  const closed = await makeApp()
  // The range includes the proxy, which the server trusts by default.
  await set({ masterKeyAddresses: ['loopback', '192.0.2.0/24', '2001:db8::/32'] }, closed)
  const from = (address: string, headers: Record<string, string>) =>
    closed.request('GET', '/1.1/schemas', { headers: { 'x-forwarded-for': address, ...headers } })
  const sign = (key: string, at = Date.now()) => `${createHash('md5').update(`${at}${key}`).digest('hex')},${at}`

  it.each([
    ['X-LC-Key', () => ({ 'x-lc-key': `${closed.masterKey},master` })],
    ['X-LC-Sign', () => ({ 'x-lc-sign': `${sign(closed.masterKey)},master` })],
  ])('the master key is valid only from there: %s', async (_, proof) => {
    const send = (address: string) =>
      fetch(`${closed.url}/1.1/schemas`, {
        headers: { 'x-lc-id': closed.appId, 'x-forwarded-for': address, ...proof() },
      })
    expect((await send('192.0.2.77')).status).toBe(200)
    expect((await send('2001:db8::7')).status).toBe(200)
    const refused = await send('198.51.100.1')
    expect(refused.status).toBe(403)
    expect(await refused.json()).toEqual({
      code: 403,
      error: expect.stringMatching(
        /^The master key is not accepted from 198\.51\.100\.1 .*\(security\.masterKeyAddresses\)\.$/,
      ),
    })
  })

  it('applies to text/plain and large bodies; a wrong key is still 401, and the app key is unrestricted', async () => {
    const tunnel = (key: string, filler = '') =>
      fetch(`${closed.url}/1.1/classes/Post`, {
        method: 'POST',
        headers: { 'content-type': 'text/plain', 'x-forwarded-for': '198.51.100.1' },
        body: JSON.stringify({ _ApplicationId: closed.appId, _ApplicationKey: key, text: filler }),
      }).then(({ status }) => status)
    expect(await tunnel(`${closed.masterKey},master`)).toBe(403)
    expect(await tunnel('wrong,master')).toBe(401)
    expect(await tunnel(closed.appKey)).toBe(201)
    const body = { text: 'x'.repeat(100_000) }
    const headers = { 'x-forwarded-for': '198.51.100.1' }
    expect((await closed.request('POST', '/1.1/classes/Post', { body, headers, master: true })).status).toBe(403)
    expect((await from('192.0.2.1', { 'x-lc-key': 'wrong,master' })).status).toBe(401)
  })

  it('accepts only addresses and ranges', async () => {
    expect((await set({ masterKeyAddresses: ['somewhere'] }, closed)).status).toBe(400)
  })
})

describe('security.signatureMaxAge', async () => {
  const signed = await makeApp()
  const ask = async (at: number, key = signed.appKey) => {
    const sign = `${createHash('md5').update(`${at}${key}`).digest('hex')},${at}`
    const response = await fetch(`${signed.url}/1.1/roles`, { headers: { 'x-lc-id': signed.appId, 'x-lc-sign': sign } })
    return { status: response.status, body: (await response.json()) as object }
  }
  const HOUR = 3_600_000

  it('is off by default, because client clocks are wrong', async () => {
    expect((await ask(1)).status).toBe(200)
    expect((await ask(Date.now() + 1000 * HOUR)).status).toBe(200)
  })

  it('rejects a signature that is older, or from the future', async () => {
    await set({ signatureMaxAge: 600 }, signed)
    expect((await ask(Date.now())).status).toBe(200)
    expect((await ask(Date.now() - HOUR / 12)).status).toBe(200)
    for (const at of [Date.now() - HOUR, Date.now() + HOUR, 1]) {
      expect(await ask(at)).toEqual({
        status: 401,
        body: {
          code: 401,
          error: "Unauthorized. The timestamp of X-LC-Sign differs from the server's time by more than 600 seconds.",
        },
      })
    }
    expect((await ask(Date.now() - HOUR, 'wrong')).body).toEqual({ code: 401, error: 'Unauthorized.' })
    // The official client signs with its own clock.
    await initSdk({ appId: signed.appId, appKey: signed.appKey, url: signed.url })
    await new AV.Object('Post').save()
  })
})
