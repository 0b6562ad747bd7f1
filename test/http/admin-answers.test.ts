import { expect, inject, it } from 'vitest'
import { EndpointTable } from '../../src/api/endpoint-table.ts'
import { endpoints } from '../../src/api/endpoints.ts'
import { AdministratorBrowser } from '../support/administrator-browser.ts'
import { makeApp } from '../support/app.ts'

// The types of the console are generated from the response schemas, so a response must contain exactly the members of its schema.

const managed = endpoints.filter(({ access, path }) => access !== 'app' && path.startsWith('/admin/'))
const table = new EndpointTable(managed)
const app = await makeApp()
const { appId } = app
const root = `/admin/apps/${appId}`

/** Endpoints covered by other tests, because they need uploads, a second database, an engine or credentials. */
const ELSEWHERE = new Set([
  'POST /admin/login',
  'POST /admin/apps/:appId/moves',
  'GET /admin/apps/:appId/moves/:moveId',
  'DELETE /admin/apps/:appId/moves/:moveId',
  'POST /admin/apps/:appId/moves/:moveId/begin',
  'POST /admin/apps/:appId/moves/:moveId/stop',
  'POST /admin/apps/:appId/moves/:moveId/finish',
  'POST /admin/apps/:appId/moves/check',
  'POST /admin/apps/:appId/rewritten-urls',
  'POST /admin/apps/:appId/pushes/:pushId/retry',
  'POST /admin/apps/:appId/push-credentials/check',
  'POST /admin/apps/:appId/engine/functions/:name',
  'POST /admin/jobs/:id/retry',
  'DELETE /admin/jobs/:id',
  'POST /admin/me/codes/confirm',
  'POST /admin/backups',
  'GET /admin/apps/:appId/temporary-conversations/:convId',
  'DELETE /admin/apps/:appId/classes/:className/indexes/:name',
])

const token = { authorization: `Bearer ${inject('adminToken')}` }
const owner = new AdministratorBrowser(app.url)
const called = new Set<string>()

/** Calls an endpoint, checks its response, and returns it. */
// biome-ignore lint/suspicious/noExplicitAny: the schema has checked it
async function call(method: string, path: string, body?: unknown, headers = {}): Promise<any> {
  const { route } = table.find(method, path.split('?')[0]!)
  const { answer } = route as Exclude<typeof route, { readonly access: 'app' }>
  const reply = await owner.send(method, path, body, headers)
  const name = `${route.method} ${route.path}`
  expect(reply.status, `${name}: ${JSON.stringify(reply.body)}`).toBeLessThan(300)
  const parsed = answer!.safeParse(reply.body)
  expect(parsed.error, `${name} answered ${JSON.stringify(reply.body)}`).toBeUndefined()
  // Members missing in the schema are removed from the parsed response.
  expect(parsed.data, name).toEqual(reply.body)
  called.add(name)
  return reply.body
}

async function callAll(method: string, paths: readonly string[]): Promise<void> {
  for (const path of paths) await call(method, path, method === 'GET' ? undefined : {})
}

it('the response of each administrator endpoint matches its schema', async () => {
  await callAdministrators()
  await callServer()
  const { user, post } = await fillApp()
  await callApps()
  await callClasses(post)
  await callMessaging()
  await callImports()
  await call('GET', `${root}/users/${user}/login`)
  await call('DELETE', `${root}/users/${user}/lockout`)
  await call('DELETE', `${root}/classes/Post/fields/title`)
  await call('DELETE', `${root}/classes/Post/objects`)
  await call('DELETE', `${root}/classes/Post`)
  const missing = managed
    .map(({ method, path }) => `${method} ${path}`)
    .filter((name) => !name.endsWith('/api/*') && !called.has(name) && !ELSEWHERE.has(name))
  expect(missing).toEqual([])
})

async function callAdministrators(): Promise<void> {
  const { link, administrator } = await call(
    'POST',
    '/admin/administrators',
    { name: `owner of ${appId}`, role: 'owner' },
    token,
  )
  expect(await call('GET', '/admin/me', undefined, token)).toEqual({ administrator: null })
  await owner.enter('/admin/login/link', { token: link.token })
  called.add('POST /admin/login/link')
  const me = await call('GET', '/admin/me')
  await call('PUT', '/admin/me/password', { password: 'password of the owner' })
  const again = new AdministratorBrowser(app.url)
  await again.enter('/admin/login', { name: `owner of ${appId}`, password: 'password of the owner' })
  const { sessions } = await call('GET', '/admin/me/sessions')
  const other = sessions.find(({ id }: { id: string }) => id !== me.sessionId)
  await call('DELETE', `/admin/me/sessions/${other.id}`)
  await call('POST', '/admin/me/download-tickets', { path: `${root}/export` })
  await call('POST', '/admin/me/codes', { currentPassword: 'password of the owner' })
  await call('DELETE', '/admin/me/codes', { currentPassword: 'password of the owner' })
  await call('GET', '/admin/administrators')
  const reader = (await call('POST', '/admin/administrators', { name: `reader of ${appId}`, role: 'reader' }))
    .administrator
  await call('PATCH', `/admin/administrators/${reader.id}`, { apps: [appId] })
  await call('POST', `/admin/administrators/${reader.id}/link`, {})
  await call('DELETE', `/admin/administrators/${reader.id}`)
  await call('POST', '/admin/logout', {})
  await call('DELETE', `/admin/administrators/${administrator.id}`, undefined, token)
  // The following calls are those of a script.
  owner.cookie = ''
  owner.csrfToken = ''
  owner.send = (method, path, body, headers) =>
    AdministratorBrowser.prototype.send.call(owner, method, path, body, { ...token, ...headers })
}

async function callServer(): Promise<void> {
  await callAll('GET', [
    '/admin/openapi.json',
    '/admin/alerts',
    '/admin/backups',
    '/admin/health',
    '/admin/health/history',
    '/admin/jobs',
    '/admin/jobs?state=waiting',
    '/admin/log',
    '/admin/audit?limit=50',
  ])
  await call('POST', '/admin/alerts/test', {})
  await call('POST', '/admin/doctor', {})
}

async function fillApp(): Promise<{ readonly user: string; readonly post: string }> {
  const user = await app.makeUser('ann')
  await call('POST', `${root}/classes`, { className: 'Post', fields: { title: { type: 'String', searchable: true } } })
  await call('PATCH', `${root}/classes/Post`, { indexes: [{ fields: ['title'], unique: false }] })
  const post = await app.request('POST', '/1.1/classes/Post', {
    body: { title: 'One', at: { __type: 'GeoPoint', latitude: 1, longitude: 2 } },
  })
  await app.request('POST', '/1.1/installations', { body: { deviceType: 'ios', deviceToken: 'ab'.repeat(32) } })
  return { user: user.id, post: post.body.objectId }
}

async function callApps(): Promise<void> {
  await call('GET', '/admin/apps')
  const { appId: second } = await call('POST', '/admin/apps', { name: 'second' })
  await call('PATCH', `/admin/apps/${second}`, { name: 'another name' })
  await call('DELETE', `/admin/apps/${second}`)
  const push = await app.request('POST', '/1.1/push', { master: true, body: { data: { alert: 'Hi' } } })
  await call('PATCH', `${root}/settings`, {
    push: { mi: { _default: { appSecret: 'secret', packageName: 'org.example' } } },
  })
  await callAll('GET', [
    root,
    ...['settings', 'settings/schema', 'figures', 'class-counts', 'moves', 'push-credentials'].map(
      (p) => `${root}/${p}`,
    ),
    ...['engine', 'tasks', 'live-queries', 'schedules', 'search', 'rewritten-urls'].map((p) => `${root}/${p}`),
    `${root}/pushes`,
    `${root}/pushes/${push.body.objectId}`,
    `${root}/pushes/audience`,
  ])
  await call('POST', `${root}/engine/refresh`, {})
  await call('POST', `${root}/search/rebuild`, { className: 'Post' })
  await call('POST', `${root}/files/missing`, { keys: ['none.png'] })
  await call('POST', `${root}/files/check`, { from: null })
}

async function callClasses(post: string): Promise<void> {
  await callAll('GET', [
    `${root}/classes`,
    `${root}/classes/Post`,
    `${root}/classes/Post/indexes`,
    `${root}/classes/Post/slow-queries`,
    `${root}/objects/${post}`,
  ])
  const { results } = await call('POST', `${root}/classes/Post/find`, { limit: 1 })
  await call('POST', `${root}/classes/Post/find`, { keys: 'title', order: 'title' })
  await call('POST', `${root}/classes/Post/count`, {})
  await app.request('DELETE', `/1.1/classes/Post/${post}`, { master: true })
  const { objectId, createdAt, updatedAt: _, ...fields } = results[0]
  await call('POST', `${root}/classes/Post/restore`, { objectId, createdAt, fields })
}

async function callMessaging(): Promise<void> {
  const rtm = async (path: string, body: object) =>
    (await app.request('POST', `/1.2/rtm/${path}`, { master: true, body })).body
  const { objectId: id } = await rtm('conversations', { m: ['ann', 'bob'] })
  await rtm(`conversations/${id}/messages`, { from_client: 'ann', message: 'hello' })
  await callAll('GET', [
    `${root}/clients`,
    `${root}/clients/online?ids=${encodeURIComponent('["ann"]')}`,
    `${root}/conversations/${id}/messages`,
    `${root}/conversations/${id}/silences`,
    `${root}/temporary-conversations`,
  ])
}

async function callImports(): Promise<void> {
  const importId = 'a1'.repeat(32)
  const path = `${root}/imports/${importId}`
  await call('PUT', path, { source: 'Post.jsonl' })
  const place = { entry: 0, record: 0 }
  const batch = {
    of: { kind: 'objects', className: 'Post' },
    file: 'Post.jsonl',
    from: place,
    to: { entry: 0, record: 2 },
    items: [
      { at: 1, text: '{"objectId":"5f0000000000000000000001","title":"Two"}' },
      { at: 2, text: 'no JSON' },
    ],
    onConflict: 'skip',
    dryRun: false,
  }
  await call('POST', `${path}/batches`, { ...batch, dryRun: true })
  await call('POST', `${path}/batches`, batch)
  expect(await call('POST', `${path}/batches`, batch)).toMatchObject({ misplaced: true })
  await callAll('GET', [path, `${root}/imports`, `${path}/rejected`])
  await call('POST', `${path}/end`, {})
  await call('POST', `${root}/imports/finish`, { classes: ['Post'] })
  await call('POST', `${root}/verifications`, { count: ['Post'] })
  await call('POST', `${root}/verifications/batches`, { of: batch.of, file: batch.file, items: batch.items })
  await call('POST', `${root}/verifications/keys`, { of: batch.of })
  const part = { source: 'source-app', className: 'Post', field: null }
  await call('POST', `${root}/pulls/differences`, { part })
  await call('POST', `${root}/pulls/missing`, { part, most: 10 })
  await call('POST', `${root}/pulls/removals`, { part, gone: [], found: [] })
  await call('PUT', `${root}/pulls/boards`, {
    statisticName: 'score',
    memberType: '_User',
    order: 'descending',
    updateStrategy: 'better',
    activatedAt: null,
    expiredAt: null,
    version: 0,
  })
}
