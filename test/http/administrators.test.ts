import { TOTP } from 'otpauth'
import { describe, expect, it } from 'vitest'
import { AdministratorBrowser } from '../support/administrator-browser.ts'
import { makeApp } from '../support/app.ts'
import { startOwnServer } from '../support/own-server.ts'

// Created outside of hooks: `afterAll` cannot be called inside one.
const { url, adminToken, databaseUrl } = await startOwnServer([])
const token = { authorization: `Bearer ${adminToken}` }
const mine = await makeApp(url, adminToken)
const other = await makeApp(url, adminToken)
let numbers = 0

const pointer = (objectId: string) => ({ __type: 'Pointer', className: '_User', objectId })

const script = (method: string, path: string, body?: unknown) =>
  new AdministratorBrowser(url).send(method, path, body, token)

/** Creates an administrator that has logged in by a link and set a password. */
async function arrive(role: string, apps: readonly string[] | null = null) {
  const name = `${role} ${++numbers}`
  const { body } = await script('POST', '/admin/administrators', { name, role, apps })
  const browser = new AdministratorBrowser(url)
  await browser.enter('/admin/login/link', { token: body.link.token })
  const password = `password of ${name}`
  expect((await browser.send('PUT', '/admin/me/password', { password })).status).toBe(200)
  return { name, password, browser, id: body.administrator.id as string }
}

describe('logging in', () => {
  it('a link works once', async () => {
    const { body } = await script('POST', '/admin/administrators', { name: 'Lin', role: 'owner' })
    const used = await new AdministratorBrowser(url).enter('/admin/login/link', { token: body.link.token })
    expect(used.status).toBe(200)
    expect((await new AdministratorBrowser(url).enter('/admin/login/link', { token: body.link.token })).status).toBe(
      401,
    )
  })

  it('an expired link is rejected', async () => {
    const { body } = await script('POST', '/admin/administrators', { name: 'Late', role: 'owner' })
    await runSql(`UPDATE homeport.administrator_links SET expires_at = now() WHERE administrator = $1`, [
      body.administrator.id,
    ])
    expect((await new AdministratorBrowser(url).enter('/admin/login/link', { token: body.link.token })).status).toBe(
      401,
    )
  })

  it('the cookie is hidden from scripts, other sites and other paths', async () => {
    const { name, password } = await arrive('owner')
    const { headers } = await new AdministratorBrowser(url).send('POST', '/admin/login', { name, password })
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(/^homeport_session=[\w-]{43}; Max-Age=2592000; Path=\/admin; HttpOnly; SameSite=Strict$/),
    ])
  })

  it('names are case-insensitive, passwords are case-sensitive', async () => {
    const { name, password } = await arrive('owner')
    const browser = new AdministratorBrowser(url)
    expect((await browser.enter('/admin/login', { name: name.toUpperCase(), password })).status).toBe(200)
    const wrong = await browser.enter('/admin/login', { name, password: password.toUpperCase() })
    const unknown = await browser.enter('/admin/login', { name: 'nobody', password })
    expect([wrong.status, unknown.status]).toEqual([401, 401])
    expect(wrong.body).toEqual(unknown.body)
  })

  it('after ten wrong passwords the right one is rejected too, from that address', async () => {
    const { name, password } = await arrive('owner')
    const browser = new AdministratorBrowser(url)
    const tries = Array.from({ length: 10 }, () => browser.enter('/admin/login', { name, password: 'wrong password' }))
    expect((await Promise.all(tries)).map(({ status }) => status)).toEqual(Array(10).fill(401))
    const refused = await browser.enter('/admin/login', { name, password })
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  })

  it('a session ends with a logout, a password change or the removal of its administrator', async () => {
    const { name, password, browser, id } = await arrive('owner')
    const second = new AdministratorBrowser(url)
    await second.enter('/admin/login', { name, password })
    expect((await second.send('GET', '/admin/me')).body.administrator).toMatchObject({ name, role: 'owner' })
    await browser.send('PUT', '/admin/me/password', { currentPassword: password, password: 'another password' })
    expect((await second.send('GET', '/admin/me')).status).toBe(401)
    expect((await browser.send('GET', '/admin/me')).status).toBe(200)
    await second.enter('/admin/login', { name, password: 'another password' })
    await browser.send('POST', '/admin/logout')
    expect((await browser.send('GET', '/admin/me')).status).toBe(401)
    await script('DELETE', `/admin/administrators/${id}`)
    expect((await second.send('GET', '/admin/me')).status).toBe(401)
  })

  it('changing a password requires the current one', async () => {
    const { browser } = await arrive('owner')
    const change = { currentPassword: 'not the password', password: 'another password' }
    expect((await browser.send('PUT', '/admin/me/password', change)).status).toBe(401)
    expect((await browser.send('PUT', '/admin/me/password', { password: 'another password' })).status).toBe(401)
  })

  it('one-time codes are required once confirmed, and each is valid once', async () => {
    const { name, password, browser } = await arrive('administrator', [])
    const { body } = await browser.send('POST', '/admin/me/codes', { currentPassword: password })
    const codes = new TOTP({ secret: body.secret })
    const login = (code?: string) =>
      new AdministratorBrowser(url).enter('/admin/login', { name, password, ...(code && { code }) })
    expect((await login()).body).toHaveProperty('csrfToken')
    expect((await browser.send('POST', '/admin/me/codes/confirm', { code: '000000' })).status).toBe(400)
    const now = Date.now()
    const code = codes.generate({ timestamp: now })
    expect((await browser.send('POST', '/admin/me/codes/confirm', { code })).status).toBe(200)
    expect((await login()).body).toEqual({ needsCode: true })
    expect((await login(code)).status).toBe(401)
    const next = codes.generate({ timestamp: now + 30_000 })
    const together = await Promise.all([login(next), login(next), login(next)])
    expect(together.map(({ status }) => status).sort()).toEqual([200, 401, 401])
  })
})

describe('permissions', () => {
  it('a page of another origin changes nothing although the cookie is sent', async () => {
    const { browser } = await arrive('owner')
    const forged = new AdministratorBrowser(url)
    forged.cookie = browser.cookie
    expect((await forged.send('POST', '/admin/apps', { name: 'forged' })).status).toBe(403)
    forged.csrfToken = 'a guess'
    expect((await forged.send('POST', '/admin/apps', { name: 'forged' })).status).toBe(403)
    const seen = await browser.send('GET', '/admin/me', undefined, { 'sec-fetch-site': 'same-site' })
    expect(seen.status).toBe(403)
  })

  it('a reader sees its apps without their keys, and changes nothing', async () => {
    const { browser } = await arrive('reader', [mine.appId])
    const { body } = await browser.send('GET', '/admin/apps')
    expect(body.apps.map(({ appId }: { appId: string }) => appId)).toEqual([mine.appId])
    expect(JSON.stringify(body)).not.toContain(mine.masterKey)
    const app = `/admin/apps/${mine.appId}`
    expect((await browser.send('GET', `${app}/settings`)).status).toBe(200)
    const refused = await Promise.all([
      browser.send('PATCH', app, { rotateKeys: true }),
      browser.send('PATCH', `${app}/settings`, {}),
      browser.send('POST', `${app}/classes`, { className: 'New' }),
      browser.send('POST', `${app}/api/1.1/classes/Post`, { a: 1 }),
      browser.send('PUT', `${app}/files/bytes?key=a`),
      browser.send('GET', `${app}/export`),
      browser.send('GET', `${app}/imports/${'0'.repeat(64)}/rejected`),
      browser.send('GET', `/admin/apps/${other.appId}`),
      browser.send('GET', `/admin/apps/${other.appId}/api/1.1/classes/Post`),
      browser.send('DELETE', app),
      browser.send('GET', '/admin/administrators'),
      browser.send('POST', '/admin/administrators', { name: 'more', role: 'owner' }),
    ])
    expect(refused.map(({ status }) => status)).toEqual(Array(refused.length).fill(403))
  })

  it('a reader neither sees nor filters by data that would let it act as a user or device', async () => {
    const { browser } = await arrive('reader', [mine.appId])
    const manager = await arrive('administrator', [mine.appId])
    const { session, id } = await mine.makeUser('looked at')
    const linked = { authData: { weixin: { openid: 'o', access_token: 'a token of weixin' } } }
    await mine.request('PUT', `/1.1/users/${id}`, { body: linked, session })
    const device = { deviceType: 'ios', deviceToken: 'a'.repeat(64) }
    await mine.request('POST', '/1.1/installations', { body: device })
    await mine.request('POST', '/1.1/classes/Held', { body: { by: pointer(id) } })
    const api = `/admin/apps/${mine.appId}/api/1.1`
    const where = (condition: object) => `?where=${encodeURIComponent(JSON.stringify(condition))}`
    const shown = [
      `/users/${id}`,
      '/users',
      `/classes/_User/${id}`,
      '/classes/_User?include=any',
      '/scan/classes/_User',
      '/users/strictlyQuery?where=%7B%22username%22%3A%22looked%20at%22%7D',
      '/classes/Held?include=by',
      '/installations',
    ]
    for (const path of shown) {
      const { status, body } = await browser.send('GET', api + path)
      expect([path, status]).toEqual([path, 200])
      const text = JSON.stringify(body)
      for (const hidden of [session, 'a token of weixin', device.deviceToken]) expect(text).not.toContain(hidden)
    }
    const find = `/admin/apps/${mine.appId}/classes/_User/find`
    expect(JSON.stringify((await browser.send('POST', find, {})).body)).not.toMatch(`${session}|a token of weixin`)
    for (const query of [{ order: 'authData' }, { where: { authData: { $exists: true } } }])
      expect((await browser.send('POST', find, query)).status).toBe(403)
    const asked = [
      `/users${where({ 'authData.weixin.access_token': { $exists: true } })}`,
      `/classes/Held${where({ by: { $inQuery: { className: '_User', where: { 'authData.weixin.openid': 'o' } } } })}`,
      `/installations${where({ deviceToken: { $regex: '^a' } })}`,
      '/installations?order=deviceToken',
    ]
    for (const path of asked) expect([path, (await browser.send('GET', api + path)).status]).toEqual([path, 403])
    expect((await manager.browser.send('GET', `${api}/users/${id}`)).body).toMatchObject({
      ...linked,
      sessionToken: session,
    })
  })

  it('no GET for an app writes, logs in or signs', async () => {
    const { browser } = await arrive('reader', [mine.appId])
    const api = `/admin/apps/${mine.appId}/api`
    const { body } = await script('POST', `${api}/1.1/classes/Kept`, { name: 'kept' })
    const cql = encodeURIComponent(`delete from Kept where objectId='${body.objectId}'`)
    const paths = [
      `/1.1/cloudQuery?cql=${cql}`,
      `/1.1/cloud%51uery?cql=${cql}`,
      '/1.1/login?username=a&password=b',
      '/1.2/rtm/clients/sign?session_token=a',
      '/1.1/exportData/1',
      '/1.1/requestCaptcha',
    ]
    for (const path of paths) {
      expect([path, (await browser.send('GET', api + path)).status]).toEqual([path, 403])
      expect((await script('GET', api + path)).status).toBe(403)
    }
    const kept = await browser.send('GET', `${api}/1.1/classes/Kept/${body.objectId}`)
    expect(kept.body.name).toBe('kept')
    expect((await browser.send('GET', `${api}/1.2/rtm/all-conversations`)).status).toBe(200)
  })

  it('an administrator changes its own apps, but no other apps or administrators', async () => {
    const { browser, id } = await arrive('administrator', [mine.appId])
    const app = `/admin/apps/${mine.appId}`
    const made = await browser.send('POST', `${app}/api/1.1/classes/Post`, { title: 'by the console' })
    expect(made.status).toBe(201)
    const path = `${app}/api/1.1/classes/Post/${made.body.objectId}`
    expect((await browser.send('GET', path)).body.title).toBe('by the console')
    const refused = await Promise.all([
      browser.send('POST', `/admin/apps/${other.appId}/api/1.1/classes/Post`, {}),
      browser.send('POST', '/admin/apps', { name: 'one more' }),
      browser.send('DELETE', app),
      browser.send('PATCH', `/admin/administrators/${id}`, { role: 'owner' }),
    ])
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403])
  })

  it('the app API is reachable with master rights, with encoded paths, and with no other path', async () => {
    const api = `/admin/apps/${mine.appId}/api`
    const where = encodeURIComponent(JSON.stringify({ name: 'a/b%c' }))
    await script('POST', `${api}/1.1/classes/Odd`, { name: 'a/b%c' })
    expect((await script('GET', `${api}/1.1/classes/Odd?where=${where}`)).body.results).toHaveLength(1)
    expect((await script('GET', `${api}/1.1/schemas`)).body).toHaveProperty('Odd')
    expect((await script('GET', `${api}/admin/apps`)).status).toBe(404)
    expect((await script('GET', `${api}/health`)).status).toBe(404)
  })

  it('at least one owner remains, however many resign concurrently', async () => {
    const { body } = await script('GET', '/admin/administrators')
    const owners = body.administrators.filter(({ role }: { role: string }) => role === 'owner')
    const ends = owners.map(({ id }: { id: string }, index: number) =>
      index % 2 === 0
        ? script('DELETE', `/admin/administrators/${id}`)
        : script('PATCH', `/admin/administrators/${id}`, { role: 'reader', apps: [] }),
    )
    const statuses = (await Promise.all(ends)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 400)).toEqual([400])
    const left = (await script('GET', '/admin/administrators')).body.administrators
    expect(left.filter(({ role }: { role: string }) => role === 'owner')).toHaveLength(1)
  })
})

describe('the audit log', () => {
  it('records the actor and the change, without values', async () => {
    const { browser, name } = await arrive('administrator', [mine.appId])
    await browser.send('PATCH', `/admin/apps/${mine.appId}/settings`, { limits: { master: { second: 0 } } })
    await browser.send('PATCH', `/admin/apps/${mine.appId}`, { name: 7, secret: 'never shown' })
    await script('PATCH', `/admin/apps/${other.appId}`, { name: 'renamed' })
    const { body } = await browser.send('GET', '/admin/audit')
    expect(body.changes.slice(0, 2)).toMatchObject([
      { name, appId: mine.appId, method: 'PATCH', members: ['name', 'secret'], status: 400 },
      { name, appId: mine.appId, path: `/admin/apps/${mine.appId}/settings`, members: ['limits'], status: 200 },
    ])
    expect(JSON.stringify(body)).not.toContain('never shown')
    expect(body.changes.every(({ appId }: { appId: string }) => appId === mine.appId)).toBe(true)
    const all = await script('GET', '/admin/audit?limit=1')
    expect(all.body.changes).toMatchObject([{ administrator: null, name: null, appId: other.appId, members: ['name'] }])
    const older = await script('GET', `/admin/audit?limit=1&before=${all.body.changes[0].id}`)
    expect(older.body.changes[0].id).toBeLessThan(all.body.changes[0].id)
    expect((await browser.send('GET', `/admin/audit?app=${other.appId}`)).body.changes).toEqual([])
  })

  it('has a line for a change that a crash interrupted', async () => {
    await runSql(`INSERT INTO homeport.audit_log (address, method, path, members) VALUES ('::1', 'PATCH', '/x', '{}')`)
    expect((await script('GET', '/admin/audit?limit=1')).body.changes).toMatchObject([{ path: '/x', status: null }])
  })
})

async function runSql(text: string, values: readonly unknown[] = []): Promise<void> {
  const { default: pg } = await import('pg')
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query(text, [...values])
  await client.end()
}
