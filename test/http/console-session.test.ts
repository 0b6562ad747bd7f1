import { type IncomingHttpHeaders, request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { AdministratorBrowser } from '../support/administrator-browser.ts'
import { makeApp } from '../support/app.ts'
import { startOwnServer } from '../support/own-server.ts'

// Where the console session is valid, and what the audit log records of it.

const { url, adminToken } = await startOwnServer([])
const app = await makeApp(url, adminToken)
const token = { authorization: `Bearer ${adminToken}` }
const script = (method: string, path: string, body?: unknown) =>
  new AdministratorBrowser(url).send(method, path, body, token)
const { body: made } = await script('POST', '/admin/administrators', { name: 'owner of the test', role: 'owner' })
const owner = new AdministratorBrowser(url)
await owner.enter('/admin/login/link', { token: made.link.token })
await owner.send('PUT', '/admin/me/password', { password: 'password of the owner' })

interface Operation {
  readonly method: string
  /** The path with variable parts filled in: the app's id, and names of missing items. */
  readonly path: string
  readonly template: string
}

const { body: openApi } = await script('GET', '/admin/openapi.json')
const operations = Object.entries(openApi.paths as Record<string, Record<string, unknown>>).flatMap(
  ([template, methods]): Operation[] =>
    Object.keys(methods).map((method) => ({
      method: method.toUpperCase(),
      path: template.replace('{appId}', app.appId).replaceAll(/\{\w+\}/g, 'none'),
      template,
    })),
)
const reads = operations.filter(({ method, template }) => method === 'GET' && template !== '/admin/openapi.json')

interface Reply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
}

/** Sends a request with the session cookie, without the headers of console scripts. */
function carry(path: string, headers: Record<string, string>, method = 'GET'): Promise<Reply> {
  // `fetch` would send Fetch Metadata headers.
  return new Promise((resolve, reject) => {
    request(url + path, { method, headers: { cookie: owner.cookie, ...headers } }, (response) => {
      resolve({ status: response.statusCode!, headers: response.headers })
      response.on('error', () => {}).destroy()
    })
      .on('error', reject)
      .end()
  })
}

describe('the session cookie', () => {
  // Requests triggered by client-written data: an image, a link, a frame, a style, a download.
  it.each([
    ['picture', { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'image', 'sec-fetch-mode': 'no-cors' }],
    ['link', { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'document', 'sec-fetch-mode': 'navigate' }],
    ['saved link', { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'empty', 'sec-fetch-mode': 'navigate' }],
    ['frame', { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'iframe', 'sec-fetch-mode': 'navigate' }],
    ['page of another port', { 'sec-fetch-site': 'same-site', 'sec-fetch-dest': 'empty', 'sec-fetch-mode': 'cors' }],
    ['browser without Fetch Metadata', {}],
  ] as const)('authenticates no read for a %s', async (_what, headers) => {
    expect(reads.length).toBeGreaterThan(40)
    const statuses = await Promise.all(reads.map(async ({ path }) => [path, (await carry(path, headers)).status]))
    expect(statuses).toEqual(reads.map(({ path }) => [path, 403]))
  })

  it('authenticates reads of a console script', async () => {
    const fetched = { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'empty', 'sec-fetch-mode': 'cors' }
    expect((await carry('/admin/me', fetched)).status).toBe(200)
    // From a browser without Fetch Metadata.
    expect((await carry('/admin/me', { 'x-requested-with': 'fetch' })).status).toBe(200)
    expect((await carry('/admin/me', { 'x-csrf-token': owner.csrfToken })).status).toBe(200)
    expect((await carry('/admin/me', { 'x-csrf-token': 'wrong' })).status).toBe(403)
  })

  it('authenticates no change without the CSRF token', async () => {
    const headers = { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'empty', 'sec-fetch-mode': 'cors' }
    const changes = operations.filter(
      ({ method, template }) => method !== 'GET' && !/^\/admin\/login(\/link)?$/.test(template),
    )
    const statuses = await Promise.all(
      changes.map(async ({ method, path }) => [method, path, (await carry(path, headers, method)).status]),
    )
    expect(statuses).toEqual(changes.map(({ method, path }) => [method, path, 403]))
  })

  it('is valid only for the management API', async () => {
    const { headers } = await carry('/admin/me', { 'x-csrf-token': owner.csrfToken })
    expect(headers['cross-origin-resource-policy']).toBe('same-origin')
    expect((await fetch(`${url}/console/`)).headers.get('cross-origin-resource-policy')).toBe('same-origin')
  })
})

describe('a download ticket', () => {
  const path = `/admin/apps/${app.appId}/export`
  const link = { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'document', 'sec-fetch-mode': 'navigate' }
  const ticketFor = async (of: string, browser = owner): Promise<string> => {
    const { status, body } = await browser.send('POST', '/admin/me/download-tickets', { path: of })
    expect(status).toBe(200)
    return body.ticket
  }
  const follow = (ticket: string, at = path, headers: Record<string, string> = link) =>
    carry(`${at}?ticket=${ticket}`, headers)

  it('lets the browser download its path', async () => {
    const response = await follow(await ticketFor(path))
    expect(response.status).toBe(200)
    expect(response.headers['content-disposition']).toBe(`attachment; filename="${app.appId}-export.tar"`)
  })

  it('is bound to one path, one session and one minute', async () => {
    const ticket = await ticketFor(path)
    const other = await makeApp(url, adminToken)
    expect((await follow(ticket, `/admin/apps/${other.appId}/export`)).status).toBe(403)
    expect((await follow(ticket, path, { ...link, cookie: '' })).status).toBe(401)
    const second = new AdministratorBrowser(url)
    await second.enter('/admin/login', { name: 'owner of the test', password: 'password of the owner' })
    expect((await follow(ticket, path, { ...link, cookie: second.cookie })).status).toBe(403)
    const [expires, signature] = ticket.split('.')
    expect(Number(expires) * 1000 - Date.now()).toBeLessThanOrEqual(60_000)
    expect((await follow(`${Number(expires) + 60}.${signature}`)).status).toBe(403)
    for (const wrong of ['', '.', `${expires}.`, `${expires}`, `NaN.${signature}`])
      expect((await follow(wrong)).status, wrong).toBe(403)
  })

  it('is valid only for downloads', async () => {
    const me = '/admin/me'
    expect((await follow(await ticketFor(me), me)).status).toBe(403)
    const { status } = await owner.send('POST', '/admin/me/download-tickets', { path: 'https://example.org/' })
    expect(status).toBe(400)
  })
})

describe('a login', () => {
  const login = JSON.stringify({ name: 'owner of the test', password: 'password of the owner' })
  const post = (path: string, headers: Record<string, string>, body = login) =>
    fetch(url + path, { method: 'POST', headers, body })

  it.each(['/admin/login', '/admin/login/link'])('by a page of another origin is rejected: %s', async (path) => {
    const json = { 'content-type': 'application/json' }
    const bodies = path === '/admin/login' ? login : JSON.stringify({ token: 'x' })
    for (const headers of [
      { 'content-type': 'text/plain' },
      { 'content-type': 'text/plain;application/json' },
      { 'content-type': 'application/x-www-form-urlencoded' },
      { ...json, 'sec-fetch-site': 'cross-site' },
      { ...json, 'sec-fetch-site': 'same-site' },
      { ...json, origin: 'https://example.org' },
      { ...json, origin: 'null' },
      { ...json, origin: new URL(url).origin.replace(/\d+$/, '1') },
    ]) {
      const response = await post(path, headers, bodies)
      expect([403, 415], JSON.stringify(headers)).toContain(response.status)
      expect(response.headers.getSetCookie()).toEqual([])
    }
  })

  it('by the console or a program starts a session', async () => {
    const json = { 'content-type': 'application/json; charset=utf-8' }
    for (const headers of [
      json,
      { ...json, origin: new URL(url).origin },
      // Behind a proxy with another host name.
      { ...json, origin: 'https://console.example.org', 'sec-fetch-site': 'same-origin' },
    ]) {
      const response = await post('/admin/login', headers)
      expect(response.status).toBe(200)
      expect(response.headers.getSetCookie()).toHaveLength(1)
    }
  })
})

it('the management API accepts no method override in a text/plain body', async () => {
  const { headers: _, ...rest } = await owner.send('GET', '/admin/me')
  expect(rest.status).toBe(200)
  const response = await fetch(`${url}/admin/apps/${app.appId}`, {
    method: 'POST',
    headers: { ...token, 'content-type': 'text/plain' },
    body: JSON.stringify({ _method: 'DELETE' }),
  })
  expect(response.status).toBe(415)
  expect((await script('GET', '/admin/apps')).body.apps.map(({ appId }: { appId: string }) => appId)).toContain(
    app.appId,
  )
})

describe('the audit log', () => {
  /** Changes nothing, or belongs to an operation with its own line. */
  const WITHOUT = new Set([
    'POST /admin/login',
    'POST /admin/login/link',
    'POST /admin/logout',
    'POST /admin/doctor',
    'POST /admin/me/download-tickets',
    'POST /admin/apps/{appId}/push-credentials/check',
    'POST /admin/apps/{appId}/moves/check',
    'POST /admin/apps/{appId}/classes/{className}/find',
    'POST /admin/apps/{appId}/classes/{className}/count',
    // The import of the batch has a line.
    'POST /admin/apps/{appId}/imports/{importId}/batches',
  ])

  it('has a line for each request that can change data', async () => {
    const scratch = await makeApp(url, adminToken)
    const changes = operations
      .filter(({ method, template }) => method !== 'GET' && !WITHOUT.has(`${method} ${template}`))
      .map(({ method, path, template }) => ({ method, template, path: path.replace(app.appId, scratch.appId) }))
      // The app is deleted last.
      .sort(
        (one, other) =>
          Number(one.template === '/admin/apps/{appId}') - Number(other.template === '/admin/apps/{appId}'),
      )
    expect(changes.length).toBeGreaterThan(40)
    for (const { method, path } of changes) {
      const { status } = await fetch(`${url}${path}?key=none`, {
        method,
        headers: { ...token, 'content-type': 'application/json' },
        body: '{}',
      })
      expect(status, `${method} ${path}`).not.toBe(500)
    }
    const { body } = await script('GET', '/admin/audit?limit=200')
    const lines = new Set(body.changes.map((line: { method: string; path: string }) => `${line.method} ${line.path}`))
    expect(changes.filter(({ method, path }) => !lines.has(`${method} ${path}`))).toEqual([])
  })
})
