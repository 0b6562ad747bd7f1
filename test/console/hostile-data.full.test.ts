import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { makeApp } from '../support/app.ts'
import { chromium } from '../support/browser.ts'
import { administrate, consoleTests } from '../support/console.ts'

const visit = consoleTests()
const app = await makeApp()
const pageOf = (className: string, search = '') => `/console/apps/${app.appId}/data/${className}${search}`

/** The longest time the page was blocked, in milliseconds, since `FREEZES` is observed. */
const WATCH = `globalThis.longest = 0; new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) globalThis.longest = Math.max(globalThis.longest, duration)
}).observe({ type: 'longtask', buffered: true })`
/** Milliseconds. A busy machine multiplies the time of a page; a freeze takes minutes. */
const TIMEOUT_MS = 20_000

/** Names of members that every JavaScript object inherits, and that a field can have. */
const NAMES = [
  'constructor',
  'hasOwnProperty',
  'isPrototypeOf',
  'toLocaleString',
  'toString',
  'valueOf',
  'length',
  'then',
]

/** Values that `String` cannot convert, or that resemble a typed value without being one. */
const VALUES: readonly unknown[] = [
  null,
  'text',
  7,
  true,
  [],
  [{ toString: 'x' }],
  { toString: 'x', valueOf: 1 },
  { hasOwnProperty: null, constructor: null },
  { $typeof: 'react', props: {}, type: 'script' },
  { __type: 'Unknown', iso: 5 },
  [[['deep', { length: -1 }]]],
]

/** An image of one pixel. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** Opens a page of the app by its path, and waits until it is complete. */
async function open(page: Page, path: string): Promise<void> {
  await page.goto(`/console/apps/${app.appId}/${path}`)
  await page.getByRole('main').getByRole('heading').first().waitFor()
  await expect.poll(() => page.locator('.ant-skeleton, .ant-spin-spinning').count()).toBe(0)
}

/** Returns the number of contents that could not be shown, in a cell, a card or in place of the page. */
const unshown = (page: Page) => page.getByText(/This content cannot be displayed|Something went wrong/).count()

describe.skipIf(chromium === null)('data written by hostile clients', () => {
  it('fields named like inherited members are unset when an object lacks them', { timeout: 120_000 }, async () => {
    const bare = await app.request('POST', '/1.1/classes/Inherited', { master: true, body: { note: 'bare' } })
    const fields = Object.fromEntries(NAMES.map((name) => [name, `own ${name}`]))
    const full = await app.request('POST', '/1.1/classes/Inherited', { master: true, body: fields })
    expect(full.status, JSON.stringify(full.body)).toBe(201)
    const page = await visit()
    await page.goto(pageOf('Inherited'))
    await page.getByRole('gridcell', { name: bare.body.objectId }).waitFor()
    expect(await page.getByText('native code').count()).toBe(0)
    for (const tab of ['schema', 'permissions', 'acl', 'indexes', 'danger'])
      await open(page, `classes/Inherited?tab=${tab}`)
    for (const { body } of [bare, full]) {
      await page.goto(pageOf('Inherited', `?open=Inherited%2F${body.objectId}`))
      const drawer = page.getByRole('dialog')
      await drawer.getByText('toLocaleString').first().waitFor()
      expect(await drawer.getByText('native code').count()).toBe(0)
      await drawer.getByRole('button', { name: 'toString' }).click()
      await page.getByRole('dialog').getByRole('textbox').last().waitFor()
    }
    const where = encodeURIComponent(JSON.stringify({ toString: 'own toString', constructor: { $exists: true } }))
    await page.goto(pageOf('Inherited', `?where=${where}`))
    await page.getByRole('gridcell', { name: full.body.objectId }).waitFor()
    expect(await unshown(page)).toBe(0)
  })

  it('shows values of any type in the grid and the drawer', { timeout: 120_000 }, async () => {
    const ids: string[] = []
    for (const value of VALUES) {
      const body = { inner: { value }, list: [value] }
      const made = await app.request('POST', '/1.1/classes/Valued', { master: true, body })
      if (made.status < 300) ids.push(made.body.objectId)
    }
    expect(ids.length).toBeGreaterThan(8)
    const page = await visit()
    await page.goto(pageOf('Valued'))
    for (const id of ids) await page.getByRole('gridcell', { name: id }).waitFor()
    for (const id of ids) {
      await page.goto(pageOf('Valued', `?open=Valued%2F${id}`))
      await page.getByRole('dialog').getByText('updatedAt').first().waitFor()
    }
    expect(await unshown(page)).toBe(0)
  })

  it('shows file, device, conversation and message records regardless of their members', {
    timeout: 180_000,
  }, async () => {
    const files: string[] = []
    const chats: string[] = []
    for (const value of VALUES) {
      const metaData = { size: value, owner: value }
      for (const body of [
        { name: 'a.png', url: 'https://example.org/a.png', mime_type: 'image/png', metaData },
        { name: 'a.png', url: 'https://example.org/a.png', mime_type: 'image/png', metaData: value },
      ]) {
        const made = await app.request('POST', '/1.1/files', { master: true, body })
        if (made.status < 300) files.push(made.body.objectId)
      }
      await app.request('POST', '/1.1/installations', {
        master: true,
        body: { deviceType: 'android', installationId: crypto.randomUUID(), channels: [value], vendor: value },
      })
      await app.request('POST', '/1.1/installations', {
        master: true,
        body: { deviceType: 'android', installationId: crypto.randomUUID(), toString: value, extra: value },
      })
      await app.request('POST', '/1.1/push', { master: true, body: { data: { alert: value, android: value } } })
      const chat = await app.request('POST', '/1.2/rtm/conversations', {
        master: true,
        body: { name: 'tea', m: ['a', 'b'], attr: { value }, toString: value },
      })
      if (chat.status < 300) chats.push(chat.body.objectId)
      const [conversation] = chats
      for (const type of [-1, -2, -3, -5, -6, 'x', null])
        for (const message of [
          { _lctype: type, _lctext: value, _lcfile: value, _lcloc: value },
          {
            _lctype: type,
            _lcfile: { url: value, metaData: { name: value, size: value } },
            _lcloc: { latitude: value },
          },
        ])
          await app.request('POST', `/1.2/rtm/conversations/${conversation}/messages`, {
            master: true,
            body: { from_client: 'a', message: JSON.stringify(message) },
          })
    }
    expect(files.length).toBeGreaterThan(0)
    const page = await visit()
    for (const path of [
      'files',
      ...files.map((id) => `files?file=${id}`),
      'push/devices',
      'push',
      'messaging',
      `messaging/conversations/${chats[0]}`,
      ...chats.map((id) => `messaging/conversations/${id}?tab=attributes`),
      'data/_File',
      'data/_Installation',
      'data/_Conversation',
      '',
    ]) {
      await open(page, path)
      expect(await unshown(page), path).toBe(0)
    }
  })

  it('images, audio and video of other hosts open in a separate tab that learns nothing about the console', {
    timeout: 120_000,
  }, async () => {
    const asked: { readonly url: string; readonly referer: string | undefined }[] = []
    const elsewhere = createServer((request, response) => {
      if (request.url !== '/favicon.ico') asked.push({ url: request.url!, referer: request.headers.referer })
      response.setHeader('content-type', 'text/html')
      response.end('<title>elsewhere</title>')
    })
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve))
    onTestFinished(async () => void elsewhere.close())
    const host = `127.0.0.1:${(elsewhere.address() as AddressInfo).port}`
    const url = `http://${host}/a.png`
    const file = await app.request('POST', '/1.1/files', {
      master: true,
      body: { name: 'a.png', url, mime_type: 'image/png', metaData: { __source: 'external' } },
    })
    expect(file.status, JSON.stringify(file.body)).toBe(201)
    const picture = { __type: 'File', id: file.body.objectId }
    const object = await app.request('POST', '/1.1/classes/Pictured', { master: true, body: { picture } })
    const chat = await app.request('POST', '/1.2/rtm/conversations', { master: true, body: { name: 'tea', m: ['a'] } })
    for (const [type, name] of [
      [-2, 'a.png'],
      [-3, 'a.mp3'],
      [-4, 'a.mp4'],
    ] as const) {
      const message = JSON.stringify({ _lctype: type, _lcfile: { url: `http://${host}/${name}`, metaData: { name } } })
      await app.request('POST', `/1.2/rtm/conversations/${chat.body.objectId}/messages`, {
        master: true,
        body: { from_client: 'a', message },
      })
    }
    const page = await visit()
    await page.goto(pageOf('Pictured'))
    await page.getByRole('gridcell', { name: object.body.objectId }).waitFor()
    await open(page, 'files')
    for (const path of [
      `data/Pictured?open=Pictured%2F${object.body.objectId}`,
      `files?file=${file.body.objectId}`,
      `messaging/conversations/${chat.body.objectId}`,
    ]) {
      await open(page, path)
      const link = page.getByRole('link', { name: `Open from ${host} in a new tab` }).first()
      await link.waitFor()
      expect(asked, path).toEqual([])
      const [tab] = await Promise.all([page.context().waitForEvent('page'), link.click()])
      await tab.waitForLoadState()
      expect(await tab.evaluate('window.opener')).toBeNull()
      expect(await tab.evaluate('document.referrer')).toBe('')
      expect(asked, path).toEqual([{ url: '/a.png', referer: undefined }])
      await tab.close()
      asked.length = 0
    }
    expect(await page.getByRole('link', { name: `Open from ${host} in a new tab` }).count()).toBe(3)
    expect(await page.locator('img:not([src^="/"]), audio:not([src^="/"]), video:not([src^="/"])').count()).toBe(0)
  })

  it('images on a file domain of the app load from the origin of the console', async () => {
    const made = await app.request('POST', '/1.1/files/pixel.png', {
      master: true,
      body: { base64: PIXEL.toString('base64'), mime_type: 'image/png' },
    })
    const picture = { __type: 'File', id: made.body.objectId }
    const object = await app.request('POST', '/1.1/classes/Hosted', { master: true, body: { picture } })
    const domain = `https://${crypto.randomUUID()}.example.org`
    await administrate('PATCH', `/admin/apps/${app.appId}/settings`, { files: { domain } })
    onTestFinished(async () => {
      await administrate('PATCH', `/admin/apps/${app.appId}/settings`, { files: { domain: null } })
    })
    const { body } = await app.request('GET', `/1.1/files/${made.body.objectId}`, { master: true })
    expect(body.url).toMatch(new RegExp(`^${domain}/`))
    const page = await visit()
    await page.goto(pageOf('Hosted', `?open=Hosted%2F${object.body.objectId}`))
    const shown = page.getByRole('dialog').locator('img')
    await shown.waitFor()
    await expect.poll(() => page.evaluate(`document.querySelector('[role=dialog] img').naturalWidth`)).toBe(1)
    expect(await shown.getAttribute('src')).toMatch(new RegExp(`^/files/${app.appId}/`))
  })

  it('a copied cell contains nothing a terminal would run, and pastes into the grid unchanged', async () => {
    const text = 'ls\u001b[201~\u0003\nid \u202eabc'
    const from = await app.request('POST', '/1.1/classes/Copied', { master: true, body: { text } })
    const to = await app.request('POST', '/1.1/classes/Copied', { master: true, body: { text: 'before' } })
    const page = await visit()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.goto(pageOf('Copied'))
    const cellOf = (id: string) => page.getByRole('row').filter({ hasText: id }).getByRole('gridcell').nth(2)
    await cellOf(from.body.objectId).click()
    await page.keyboard.press('Control+c')
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('ls\ufffd[201~\ufffd\nid \ufffdabc')
    await cellOf(to.body.objectId).click()
    await page.keyboard.press('Control+v')
    const stored = async () => {
      const { body } = await app.request('GET', `/1.1/classes/Copied/${to.body.objectId}`, { master: true })
      return body.text
    }
    await expect.poll(stored).toBe(text)
  })

  it('text selected on a page and copied contains nothing a terminal would run', async () => {
    const chat = await app.request('POST', '/1.2/rtm/conversations', { master: true, body: { name: 'tea', m: ['a'] } })
    const message = JSON.stringify({ _lctype: -1, _lctext: 'hostile\u001b[201~\u0003 text' })
    await app.request('POST', `/1.2/rtm/conversations/${chat.body.objectId}/messages`, {
      master: true,
      body: { from_client: 'a', message },
    })
    const page = await visit()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await open(page, `messaging/conversations/${chat.body.objectId}`)
    await page.getByText(/^hostile/).click({ clickCount: 3 })
    await page.keyboard.press('Control+c')
    const copied = await page.evaluate<string>('navigator.clipboard.readText()')
    expect(copied).toContain('hostile\ufffd[201~\ufffd text')
  })

  it('a subscriber id that is a path segment cannot make the console delete the conversation', async () => {
    const made = await app.request('POST', '/1.2/rtm/service-conversations', { master: true, body: { name: 'news' } })
    const id = made.body.objectId
    const place = `/1.2/rtm/service-conversations/${id}`
    await app.request('POST', `${place}/subscribers`, { master: true, body: { client_id: '..' } })
    const page = await visit()
    await open(page, `messaging/conversations/${id}?tab=members`)
    await page.getByRole('button', { name: 'Remove ..' }).click()
    await page.getByText("'..' cannot be part of a URL").waitFor()
    expect((await app.request('GET', `/1.1/classes/_Conversation/${id}`, { master: true })).body.objectId).toBe(id)
  })

  it('a URL of the console or the management API in a message is not rendered as a link', async () => {
    const chat = await app.request('POST', '/1.2/rtm/conversations', { master: true, body: { name: 'tea', m: ['a'] } })
    const paths = ['/console/enter#secret', '/console/login?next=%2F', '/admin/apps', '/files/../admin/me', '/metrics']
    for (const path of paths) {
      const url = inject('serverUrl') + path
      const message = JSON.stringify({ _lctype: -6, _lcfile: { url, metaData: { name: `to ${path}` } } })
      await app.request('POST', `/1.2/rtm/conversations/${chat.body.objectId}/messages`, {
        master: true,
        body: { from_client: 'a', message },
      })
    }
    const page = await visit()
    await open(page, `messaging/conversations/${chat.body.objectId}`)
    await page.getByText('to /metrics').waitFor()
    expect(await page.getByRole('main').locator('a[target=_blank]').count()).toBe(0)
  })

  it('texts of a megabyte freeze neither the grid nor the drawer', async () => {
    const text = 'x '.repeat(500_000)
    const list = Array.from({ length: 100_000 }, (_, n) => n)
    const ids: string[] = []
    for (const body of [{ text }, { text: 'short', list }, { text, list }])
      ids.push((await app.request('POST', '/1.1/classes/Huge', { master: true, body })).body.objectId)
    const page = await visit()
    await page.addInitScript(WATCH)
    await page.goto(pageOf('Huge'))
    await page.getByRole('gridcell', { name: 'short' }).waitFor()
    await page.goto(pageOf('Huge', `?open=Huge%2F${ids[2]}`))
    const drawer = page.getByRole('dialog')
    await drawer.getByText('createdAt').first().waitFor()
    await drawer.getByRole('tab', { name: 'JSON' }).click()
    await drawer.locator('.cm-content').waitFor()
    expect(await page.evaluate<number>('globalThis.longest')).toBeLessThan(TIMEOUT_MS)
  })

  it('shows 290 columns as fast as a few', async () => {
    const fields = Object.fromEntries(Array.from({ length: 290 }, (_, n) => [`column${n}`, n]))
    const made = await app.request('POST', '/1.1/classes/Broad', { master: true, body: fields })
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    const page = await visit()
    await page.addInitScript(WATCH)
    await page.goto(pageOf('Broad'))
    await page.getByRole('gridcell', { name: made.body.objectId }).waitFor()
    expect(await page.getByRole('columnheader').count()).toBeLessThan(60)
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('button', { name: 'Delete column column0', exact: true }).waitFor()
    expect(await page.evaluate<number>('globalThis.longest')).toBeLessThan(TIMEOUT_MS)
  })

  it('shows members named like built-in object properties without changing those properties', async () => {
    const body =
      '{"json":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"toString":"x"},"valueOf":"y"}'
    const made = await app.request('POST', '/1.1/classes/Named', { master: true, body: body as unknown as object })
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    const page = await visit()
    await page.goto(pageOf('Named', `?open=Named%2F${made.body.objectId}`))
    await page.getByRole('dialog').getByText('valueOf').first().waitFor()
    await page.getByRole('tab', { name: 'JSON' }).click()
    await page.getByRole('dialog').locator('.cm-content').getByText('"toString"').waitFor()
    expect(await page.evaluate('({}).polluted')).toBeUndefined()
  })

  it('follows only web addresses, whatever a file record or linked account contains', async () => {
    const { session, id } = await app.makeUser('linked to scripts')
    const authData = { weixin: { openid: 'javascript:globalThis.hurt=1', access_token: 'secret' } }
    await app.request('PUT', `/1.1/users/${id}`, { body: { authData }, session })
    const url = 'javascript:globalThis.hurt=1'
    const file = await app.request('POST', '/1.1/files', {
      master: true,
      body: { name: 'a.png', url, mime_type: 'image/png', metaData: { __source: 'external' } },
    })
    const page = await visit()
    for (const path of [
      `users?user=${id}`,
      'files',
      ...(file.status < 300 ? [`files?file=${file.body.objectId}`] : []),
    ]) {
      await page.goto(`/console/apps/${app.appId}/${path}`)
      await page.getByRole('main').getByRole('heading').first().waitFor()
      await expect.poll(() => page.locator('.ant-skeleton, .ant-spin-spinning').count()).toBe(0)
      expect(await page.locator('[href^="javascript:" i], [src^="javascript:" i]').count()).toBe(0)
    }
    expect(await page.evaluate('globalThis.hurt')).toBeUndefined()
  })
})
