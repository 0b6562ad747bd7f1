import pg from 'pg'
import type { Browser } from 'playwright-core'
import { afterAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import { accessibilityFaults } from '../support/accessibility.ts'
import { makeApp } from '../support/app.ts'
import { chromium, openBrowser } from '../support/browser.ts'
import { administrate, consoleTests, FETCHED, faultsOf, widthOf } from '../support/console.ts'
import { freePort } from '../support/free-port.ts'
import { makeHome } from '../support/home.ts'
import { newDatabase } from '../support/scratch-database.ts'

const visit = consoleTests()
const databaseUrl = await newDatabase()
const home = makeHome(afterAll)
const TOKEN = 'token-of-the-administrator-of-moves'
const RECORDS = 60_000
/** A label refers to the first of several fields with the same id. */
const REPEATED_IDS =
  "[...document.querySelectorAll('main [id]')].map(({ id }) => id).filter((id, n, all) => all.indexOf(id) !== n)"

/** Returns an export that needs several upload chunks and many import batches. */
function largeExport(): Buffer {
  const lines = Array.from({ length: RECORDS }, (_, n) => {
    const objectId = n.toString(16).padStart(24, '0')
    return `{"objectId":"${objectId}","createdAt":"2024-01-01T00:00:00.000Z","updatedAt":"2024-01-01T00:00:00.000Z","n":${n},"text":"${'x'.repeat(60)}"}`
  })
  return Buffer.from(`#filetype:JSON-streaming {"type":"Class","class":"Moved"}\n${lines.join('\n')}\n`)
}

async function ask<T>(url: string, method: string, path: string, body?: unknown): Promise<T> {
  const answer = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return (await answer.json()) as T
}

const TIME = '2024-01-01T00:00:00.000Z'
const CLASS_OF = (className: string) => `#filetype:JSON-streaming {"type":"Class","class":"${className}"}`

/**
 * Creates a move of a file, and waits until an action on it has ended.
 * @returns its id
 */
async function moveFile(
  appId: string,
  name: string,
  lines: readonly string[],
  action: string,
  options: object = {},
): Promise<string> {
  const text = `${lines.join('\n')}\n`
  const base = `/admin/apps/${appId}/moves`
  const source = { kind: 'files', files: [{ name, size: Buffer.byteLength(text) }] }
  const { id } = await administrate<{ id: string }>('POST', base, { source })
  await fetch(`${inject('serverUrl')}${base}/${id}/files?name=${name}&offset=0`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${inject('adminToken')}`, 'content-type': 'application/octet-stream' },
    body: text,
  })
  await administrate('POST', `${base}/${id}/begin`, { action, options })
  const outcome = async () =>
    (await administrate<{ outcomes: Record<string, object> }>('GET', `${base}/${id}`)).outcomes[action]
  await expect.poll(outcome, { timeout: 60_000 }).toBeDefined()
  return id
}

/** Sends a request as a reader of an app on another server. */
async function sendAsReader(url: string, appId: string, path: string): Promise<Response> {
  const { link } = await ask<{ link: { token: string } }>(url, 'POST', '/admin/administrators', {
    name: `reader ${crypto.randomUUID()}`,
    role: 'reader',
    apps: [appId],
  })
  const login = await fetch(`${url}/admin/login/link`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: link.token }),
  })
  const { csrfToken } = (await login.json()) as { csrfToken: string }
  const cookie = login.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ')
  return fetch(`${url}/admin/apps/${appId}/${path}`, {
    method: 'POST',
    headers: { cookie, 'x-csrf-token': csrfToken, 'content-type': 'application/json' },
    body: '{}',
  })
}

/**
 * Slows down each batch of a class.
 * @returns a function that restores the speed
 */
async function slowDown(appId: string, className: string): Promise<() => Promise<void>> {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  onTestFinished(() => client.end())
  const table = `"app_${appId}"."${className}"`
  await client.query(`
    CREATE FUNCTION "app_${appId}".wait() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.3); RETURN NULL; END $$;
    CREATE TRIGGER wait BEFORE INSERT ON ${table} EXECUTE FUNCTION "app_${appId}".wait()`)
  return async () => void (await client.query(`DROP TRIGGER wait ON ${table}`))
}

/** Opens the console of another server, logged in as an owner. */
async function enter(browser: Browser, url: string) {
  const { link } = await ask<{ link: { token: string } }>(url, 'POST', '/admin/administrators', {
    name: 'Mover',
    role: 'owner',
  })
  const context = await browser.newContext({ baseURL: url, locale: 'en' })
  onTestFinished(() => context.close())
  await context.request.post('/admin/login/link', { data: { token: link.token } })
  return context.newPage()
}

describe.skipIf(chromium === null)('moving in', () => {
  it('resumes an interrupted upload and an import whose server was killed, and completes both', async () => {
    const start = (port: string) =>
      home.start(['--database-url', databaseUrl, '--port', port], { HOMEPORT_ADMIN_TOKEN: TOKEN })
    const server = await start(String(await freePort()))
    const { url } = server
    const { appId, masterKey } = await ask<{ appId: string; masterKey: string }>(url, 'POST', '/admin/apps', {
      name: 'moved',
    })
    await ask(url, 'POST', `/admin/apps/${appId}/classes`, { className: 'Moved' })
    const speedUp = await slowDown(appId, 'Moved')
    const browser = await openBrowser((end) => void onTestFinished(end))
    const page = await enter(browser, url)
    const faults = faultsOf(page)
    const file = { name: 'Moved.0.jsonl', mimeType: 'application/x-ndjson', buffer: largeExport() }
    // The second chunk is lost. Registered before the page loads: on an already loading page, requests can bypass the route.
    await page.route('**/files?*', (route) =>
      route.request().url().endsWith('offset=0') ? route.continue() : route.abort(),
    )
    await page.goto(`/console/apps/${appId}/moving-in`)
    await page.locator('.ant-upload-drag input[type=file]').setInputFiles(file)
    await page.getByRole('button', { name: 'Upload', exact: true }).click()
    await page.getByText('The server is not responding').waitFor()
    expect(await page.getByRole('button', { name: 'Start import' }).isDisabled()).toBe(true)
    await page.unroute('**/files?*')
    await page.reload()
    await page.getByText(/^8 MB of/).waitFor()
    await page.locator('input[type=file]').setInputFiles(file)
    await page.getByRole('button', { name: 'Start import' }).and(page.locator(':enabled')).click()
    await page.getByText(/[1-9]\d* per second/).waitFor()
    await server.kill()
    await speedUp()
    const again = await start(new URL(url).port)
    expect(again.url).toBe(url)
    await page.reload()
    await page.getByText('imported', { exact: true }).waitFor({ timeout: 90_000 })
    await page.getByRole('button', { name: 'Start verification' }).click()
    await page.getByText('safe to switch', { exact: true }).waitFor({ timeout: 60_000 })
    await page.getByRole('row', { name: 'Moved 60,000 60,000 60,000 0 0 0 0' }).waitFor()
    const counted = await fetch(`${url}/1.1/classes/Moved?count=1&limit=0`, {
      headers: { 'x-lc-id': appId, 'x-lc-key': `${masterKey},master` },
    })
    expect(await counted.json()).toMatchObject({ count: RECORDS })
    expect(faults).toEqual([])
  }, 240_000)

  it('tests and imports a running app without showing its master key', async () => {
    const source = await makeApp(inject('serverUrl'), inject('adminToken'))
    const target = await makeApp(inject('serverUrl'), inject('adminToken'))
    await administrate('POST', `/admin/apps/${source.appId}/api/1.1/classes/Post`, { title: '你好' })
    const page = await visit({ locale: 'zh-CN', width: 375, height: 740 })
    await page.goto(`/console/apps/${target.appId}/moving-in`)
    await page.getByText('还没有迁移记录').waitFor()
    expect(await widthOf(page)).toBeLessThanOrEqual(375)
    await page.getByLabel('API 地址').fill(inject('serverUrl'))
    await page.getByLabel('原应用的 App ID').fill(source.appId)
    await page.getByLabel('原应用的 Master Key').fill(source.masterKey)
    await page.getByRole('button', { name: '下一步' }).click()
    await page.getByRole('button', { name: '开始试运行' }).click()
    await page.getByText('试运行完成').or(page.getByText('试运行有问题')).waitFor()
    await page.getByRole('row', { name: /Post 1 1/ }).waitFor()
    // The source has empty built-in classes.
    expect(await page.getByRole('row', { name: /^_/ }).count()).toBe(0)
    await page.getByText(/约 \d+ 次请求，至少需要/).waitFor()
    // The objects of the source have no ACLs, which is confirmed here.
    await page.getByRole('button', { name: '选项' }).nth(1).click()
    expect(await page.evaluate(REPEATED_IDS)).toEqual([])
    const rate = page.getByLabel('每秒最多请求数').nth(1)
    await page.locator('label', { hasText: '每秒最多请求数' }).nth(1).click()
    expect(await rate.evaluate((field) => field.ownerDocument.activeElement === field)).toBe(true)
    await page.getByLabel('来源不返回 ACL，因为其对象没有 ACL').nth(1).check()
    await page.getByLabel('密码和 sessionToken（会请求原应用导出数据）').uncheck()
    await page.getByLabel('同时读取的 Class 数').nth(1).fill('4')
    await page.getByRole('button', { name: '开始导入' }).click()
    await page.getByText('导入完成').waitFor({ timeout: 60_000 })
    await page.getByText('按所选选项，不拉取用户的密码和 sessionToken').waitFor()
    expect(await widthOf(page)).toBeLessThanOrEqual(375)
    expect(await accessibilityFaults(page)).toEqual([])
    const posts = await administrate<{ results: { title: string }[] }>(
      'GET',
      `/admin/apps/${target.appId}/api/1.1/classes/Post`,
    )
    expect(posts.results.map(({ title }) => title)).toEqual(['你好'])
    const moves = await administrate<{ moves: unknown[] }>('GET', `/admin/apps/${target.appId}/moves`)
    expect(moves.moves).toMatchObject([{ options: { parallel: 4 } }])
    expect(JSON.stringify(moves)).not.toContain(source.masterKey)
  })

  it('follows a running app across a server restart until stopped on the page, ending with identical data', async () => {
    const source = await makeApp(inject('serverUrl'), inject('adminToken'))
    const at = `/admin/apps/${source.appId}/api/1.1/classes/Note`
    const { objectId: gone } = await administrate<{ objectId: string }>('POST', at, { title: 'gone' })
    const followed = await newDatabase()
    const ownHome = makeHome((end) => void onTestFinished(end))
    const port = String(await freePort())
    const start = () => ownHome.start(['--database-url', followed, '--port', port], { HOMEPORT_ADMIN_TOKEN: TOKEN })
    const server = await start()
    const { url } = server
    const { appId } = await ask<{ appId: string }>(url, 'POST', '/admin/apps', { name: 'follower' })
    const titles = async () => {
      const { results = [] } = await ask<{ results?: { title: string }[] }>(
        url,
        'GET',
        `/admin/apps/${appId}/api/1.1/classes/Note`,
      )
      return results.map(({ title }) => title).sort()
    }
    const page = await enter(await openBrowser((end) => void onTestFinished(end)), url)
    const faults = faultsOf(page)
    await page.goto(`/console/apps/${appId}/moving-in`)
    await page.getByLabel('API URL').fill(inject('serverUrl'))
    await page.getByLabel('App ID of the source').fill(source.appId)
    await page.getByLabel('Master Key of the source').fill(source.masterKey)
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByRole('button', { name: 'Options' }).nth(1).click()
    const bring = page.locator('form').nth(1)
    await bring.getByLabel('Only during these hours').fill('22')
    await bring.getByRole('button', { name: 'Start import' }).click()
    await bring.getByText('Enter two hours, such as 22-6').waitFor()
    await bring.getByLabel('Only during these hours').fill('0-23')
    await bring.getByLabel('Requests per second at other times').fill('9')
    await bring.getByLabel('Passwords and session tokens').uncheck()
    await bring.getByLabel('The source returns no ACLs').check()
    await bring.getByLabel('Delete even if more than a fifth').check()
    await bring.getByLabel('Follow the source').check()
    await bring.getByLabel('Seconds between checks').fill('1')
    await bring.getByRole('button', { name: 'Start import' }).click()
    await page.getByText('Following the source').waitFor({ timeout: 60_000 })
    expect(await page.getByRole('progressbar').count()).toBe(0)
    expect(await titles()).toEqual(['gone'])
    await server.kill()
    await administrate('POST', at, { title: 'meanwhile' })
    await administrate('DELETE', `${at}/${gone}`)
    await start()
    await expect.poll(titles, { timeout: 60_000 }).toEqual(['gone', 'meanwhile'])
    await page.getByText('Following the source').waitFor({ timeout: 60_000 })
    const [move] = (await ask<{ moves: { id: string }[] }>(url, 'GET', `/admin/apps/${appId}/moves`)).moves
    expect((await sendAsReader(url, appId, `moves/${move!.id}/finish`)).status).toBe(403)
    await page.getByRole('button', { name: 'End following' }).click()
    await page.getByRole('tooltip').getByRole('button', { name: 'End following' }).click()
    await page.getByText('imported', { exact: true }).waitFor({ timeout: 60_000 })
    expect(await titles()).toEqual(['meanwhile'])
    await page.getByText('Note: 1 deleted, 0 kept').waitFor()
    const refused = await ask<{ error: string }>(url, 'POST', `/admin/apps/${appId}/moves/${move!.id}/finish`, {})
    expect(refused.error).toContain('No source is being followed')
    expect(faults).toEqual([])
  }, 240_000)

  it('takes passwords from an uploaded export, and shows differing values only to administrators with write access', async () => {
    const source = await makeApp(inject('serverUrl'), inject('adminToken'))
    const target = await makeApp(inject('serverUrl'), inject('adminToken'))
    await source.request('POST', '/1.1/users', { body: { username: 'tom', password: 'cat!@#123', city: 'Wuhan' } })
    const archive = await fetch(`${inject('serverUrl')}/admin/apps/${source.appId}/export`, {
      headers: { authorization: `Bearer ${inject('adminToken')}` },
    })
    const buffer = Buffer.from(await archive.arrayBuffer())
    const page = await visit()
    await page.goto(`/console/apps/${target.appId}/moving-in`)
    await page.getByLabel('API URL').fill(inject('serverUrl'))
    await page.getByLabel('App ID of the source').fill(source.appId)
    await page.getByLabel('Master Key of the source').fill(source.masterKey)
    await page
      .locator('form input[type=file]')
      .setInputFiles({ name: 'users.tar', mimeType: 'application/x-tar', buffer })
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByText('files: 1').waitFor()
    const bring = page.locator('form').nth(1)
    await bring.getByRole('button', { name: 'Options' }).click()
    await bring.getByLabel('from the uploaded export').waitFor()
    await bring.getByLabel('The source returns no ACLs').check()
    await bring.getByRole('button', { name: 'Start import' }).and(page.locator(':enabled')).click()
    await page.getByText('imported', { exact: true }).waitFor({ timeout: 60_000 })
    await page.getByRole('cell', { name: 'User logins' }).waitFor()
    const login = await target.request('POST', '/1.1/login', { body: { username: 'tom', password: 'cat!@#123' } })
    expect(login.status).toBe(200)
    expect(await accessibilityFaults(page)).toEqual([])
  }, 120_000)

  it('shows differing values only to administrators with write access', async () => {
    const { appId } = await makeApp(inject('serverUrl'), inject('adminToken'))
    const bring = (city: string, action: string) => {
      const record = { objectId: 'place1', createdAt: TIME, updatedAt: TIME, city }
      return moveFile(appId, 'Place.0.jsonl', [CLASS_OF('Place'), JSON.stringify(record)], action)
    }
    await bring('Shanghai', 'bring')
    const id = await bring('Wuhan', 'verify')
    const page = await visit()
    await page.goto(`/console/apps/${appId}/moving-in/${id}`)
    await page.getByText('"Shanghai"').waitFor()
    await page.getByText('"Wuhan"').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    const reader = await visit({ role: 'reader', apps: [appId] })
    await reader.goto(`/console/apps/${appId}/moving-in/${id}`)
    await reader.getByRole('cell', { name: 'city' }).waitFor()
    const told = await (await reader.request.get(`/admin/apps/${appId}/moves/${id}`, { headers: FETCHED })).text()
    expect(told).toContain('"field":"city"')
    for (const value of ['Shanghai', 'Wuhan']) expect(told).not.toContain(value)
  }, 120_000)

  it('translates record reports and differences on the Chinese page', async () => {
    const { appId } = await makeApp(inject('serverUrl'), inject('adminToken'))
    const record = (more: object) => JSON.stringify({ objectId: 'a1', createdAt: TIME, updatedAt: TIME, ...more })
    const lines = [CLASS_OF('Note'), record({ ACL: {} }), record({ objectId: 'a2', createdAt: 'soon' }), '{"objectId":']
    const brought = await moveFile(appId, 'Note.0.jsonl', lines, 'bring')
    const page = await visit({ locale: 'zh-CN' })
    const said = async (id: string) => {
      await page.goto(`/console/apps/${appId}/moving-in/${id}`)
      await page.getByRole('table').first().waitFor()
      return (await page.locator('main li').allTextContents()).sort()
    }
    expect(await said(brought)).toEqual([
      "1 × Note: 「createdAt」必须是 '2026-01-31T00:00:00.000Z' 这样的日期。",
      '1 × Note: 该行必须是有效的 JSON。',
      '1 × Note：空的 ACL：只有 Master Key 可以读写该对象 (Note.0.jsonl:2)',
      expect.stringMatching(/^共 1 个文件：1 个有数据；已读取 3 条数据/),
      expect.stringMatching(/^没有提供包含访问权限的 Schema 导出/),
    ])
    const unknown = await moveFile(appId, 'picture.bin', ['\u0000\u0000\u0002'], 'try')
    await page.goto(`/console/apps/${appId}/moving-in/${unknown}`)
    await page.getByText('picture.bin：文件既不是文本也不是 BSON').waitFor()
    expect(await page.locator('main [lang=en]').count()).toBe(0)
    expect(await accessibilityFaults(page)).toEqual([])
  }, 120_000)

  it('shows why a command failed, and reports of an earlier version, translated as far as possible', async () => {
    const app = await makeApp(inject('serverUrl'), inject('adminToken'))
    const lines = [CLASS_OF('Note'), JSON.stringify({ objectId: 'a1', createdAt: TIME, updatedAt: TIME })]
    const id = await moveFile(app.appId, 'Note.0.jsonl', lines, 'bring', { rewriteUrls: true })
    const path = `/admin/apps/${app.appId}/moves/${id}`
    const { outcomes } = await administrate<{ outcomes: { bring: Record<string, unknown> } }>('GET', path)
    expect(outcomes.bring).toMatchObject({
      result: 'failed',
      failure: { code: 'sameCommandGoesOn', reason: { code: 'rewriteWithoutBase' } },
    })
    const page = await visit({ locale: 'zh-CN' })
    await page.goto(`/console/apps/${app.appId}/moving-in/${id}`)
    await page.getByText(/改写 URL 需要长期有效的文件 URL：请设置应用的文件域名.*点击「继续」/).waitFor()
    const empty = { dryRun: false, counts: [], reasons: [], removed: [], rewritten: null }
    const stored = {
      ...{ kind: 'brought', ...empty, notes: [{ text: 'Note: an old note', count: 2, examples: [] }] },
      ...{ notUnderstood: ['a.bin: was not understood'], remarks: [] },
    }
    const { failure: _, ...before } = outcomes.bring
    await app.sql('UPDATE homeport.moves SET outcomes = $1 WHERE id = $2', [
      JSON.stringify({ bring: { ...before, report: stored } }),
      id,
    ])
    await page.reload()
    await page.getByText('2 × Note: an old note').waitFor()
    await page.getByText('a.bin: was not understood').waitFor()
  }, 120_000)

  it('a reader sees past moves and can neither start nor remove any', async () => {
    const { appId } = await makeApp(inject('serverUrl'), inject('adminToken'))
    const { id } = await administrate<{ id: string }>('POST', `/admin/apps/${appId}/moves`, {
      source: { kind: 'files', files: [{ name: 'Post.json', size: 10 }] },
    })
    const page = await visit({ role: 'reader', apps: [appId], colorScheme: 'dark' })
    await page.goto(`/console/apps/${appId}/moving-in`)
    await page.getByRole('link', { name: 'Post.json' }).waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByRole('link', { name: 'Post.json' }).click()
    await page.getByText('1. Dry run').waitFor()
    expect(await page.getByRole('button', { name: /Start|Resume|Delete/ }).count()).toBe(0)
    const base = `/admin/apps/${appId}/moves`
    const { csrfToken } = await (await page.request.get('/admin/me', { headers: FETCHED })).json()
    const headers = { 'x-csrf-token': csrfToken }
    for (const send of [
      () =>
        page.request.post(base, {
          headers,
          data: { source: { kind: 'app', url: 'http://x.example', appId: 'x' }, masterKey: 'x' },
        }),
      () => page.request.post(`${base}/${id}/begin`, { headers, data: { action: 'bring' } }),
      () => page.request.post(`${base}/${id}/stop`, { headers, data: {} }),
      () => page.request.delete(`${base}/${id}`, { headers }),
      () => page.request.put(`${base}/${id}/files?name=Post.json&offset=0`, { headers, data: 'x' }),
      () => page.request.get(`${base}/${id}/rejected?action=bring`),
    ])
      expect((await send()).status()).toBe(403)
  })

  it.each([
    ['hours that are none', { nightHours: '22-30' }, 'nightHours: must be two hours'],
    ['a rate by day without a night', { dayRate: 3 }, "dayRate: requires 'nightHours'"],
    ['no host', { oldDomains: ['a b'] }, 'oldDomains.0: must be a host'],
    ['no time', { follow: true, until: 'tomorrow' }, 'until'],
    ['a file in place of an address', { filesFrom: 'file:///etc' }, 'filesFrom: must be an http or https URL'],
    ['more looks than one a second', { every: 0 }, 'every'],
    ['no field', { rewriteUrls: true, rewriteFields: ['Post'] }, 'rewriteFields.0: must be a field'],
    ['too many classes at a time', { parallel: 33 }, 'parallel'],
  ])('rejects an option that is %s and names it', async (_, options, reason) => {
    const { appId } = await makeApp(inject('serverUrl'), inject('adminToken'))
    const source = { kind: 'app', url: 'http://127.0.0.1:9', appId: 'x' }
    const { id } = await administrate<{ id: string }>('POST', `/admin/apps/${appId}/moves`, { source, masterKey: 'x' })
    await expect(
      administrate('POST', `/admin/apps/${appId}/moves/${id}/begin`, { action: 'bring', options }),
    ).rejects.toThrow(reason)
  })

  it.each([
    ['a folder in a name', { kind: 'files', files: [{ name: '../Post.json', size: 1 }] }, 'name'],
    [
      'a name twice',
      {
        kind: 'files',
        files: [
          { name: 'a', size: 1 },
          { name: 'a', size: 2 },
        ],
      },
      'must not contain a name twice',
    ],
    ['another scheme', { kind: 'app', url: 'file:///etc/passwd', appId: 'x' }, 'http'],
    ['more than the disk holds', { kind: 'files', files: [{ name: 'a', size: 2 ** 42 }] }, 'too little free space'],
  ])('rejects %s with the reason', async (_, source, reason) => {
    const { appId } = await makeApp(inject('serverUrl'), inject('adminToken'))
    await expect(administrate('POST', `/admin/apps/${appId}/moves`, { source, masterKey: 'key' })).rejects.toThrow(
      reason,
    )
  })
})
