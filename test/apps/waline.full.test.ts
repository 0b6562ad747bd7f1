import type { Locator, Page } from 'playwright-core'
import { afterAll, expect, it } from 'vitest'
import { makeApp } from '../support/app.ts'
import { openBrowser } from '../support/browser.ts'
import { describeInBrowser } from './describe-app.ts'
import { modules } from './installed.ts'
import { pageOf } from './page.ts'
import { startSite } from './site.ts'
import { newVisitor, type Visitor } from './visitor.ts'
import { startWaline } from './waline-process.ts'

const POST = '/post/你好/'
const ADMIN = { display_name: 'Admin', email: 'admin@example.org', password: 'password of admin', url: '' }

interface WalineAnswer {
  readonly errno: number
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects by reading it
  readonly data: any
}

describeInBrowser('Waline in Chromium', async () => {
  const browser = await openBrowser(afterAll)
  const app = await makeApp()
  const waline = await startWaline(app, afterAll)
  const post = pageOf('waline.html', app, { walineUrl: waline, path: POST })
  const site = await startSite({ [POST]: post, '/modules/': { folder: modules } }, afterAll)

  let visitors = 0
  /** Opens the post from a new address: Waline accepts one comment per minute per address. */
  const open = async (query = ''): Promise<Visitor> => {
    const visitor = await newVisitor(browser, { 'x-forwarded-for': `203.0.113.${++visitors}` })
    await visitor.page.goto(site + POST + query)
    await visitor.page.locator('.wl-meta-foot').waitFor()
    return visitor
  }
  const openAsAdmin = async () => open(`?token=${await logIn()}`)
  const submit = async (box: Locator, text: string) => {
    await box.locator('.wl-editor').fill(text)
    await box.locator('button[type=submit].primary').click()
  }
  const comment = async ({ page }: Visitor, nick: string, text: string) => {
    await page.fill('#wl-nick', nick)
    await page.fill('#wl-mail', `${nick.toLowerCase()}@example.org`)
    await submit(page.locator('.wl-panel').first(), text)
    await card(page, text.replaceAll('*', '')).waitFor()
  }
  const card = (page: Page, text: string) =>
    page.locator(`.wl-card-item:has(> .wl-card > .wl-content:has-text("${text}"))`)
  const texts = async (page: Page) =>
    (await page.locator('.wl-cards > .wl-card-item > .wl-card > .wl-content').allInnerTexts()).map((text) =>
      text.trim(),
    )
  const counts = (page: Page) => page.locator('.waline-pageview-count, .waline-comment-count').allInnerTexts()

  // Waline's administration pages are not on npm, so their requests are sent from their usual URL.
  const administration = await browser.newPage()
  await administration.route(
    (url) => url.hostname !== '127.0.0.1',
    (route) => route.abort(),
  )
  await administration.goto(`${waline}/ui`)
  const request = async (method: string, path: string, token?: string, body?: unknown): Promise<WalineAnswer> => {
    const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) }
    const answer = await administration.evaluate(async ([url, options]) => (await fetch(url, options)).text(), [
      `${waline}/api/${path}`,
      { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) },
    ] as const)
    return JSON.parse(answer)
  }
  const logIn = async (): Promise<string> => (await request('POST', 'token', undefined, ADMIN)).data.token
  const stored = async (className: string, where: object = {}) =>
    (await app.request('GET', `/1.1/classes/${className}`, { master: true, query: { where: JSON.stringify(where) } }))
      .body.results

  it('counts page views on a server without the class', async () => {
    for (const visits of ['1', '2', '3']) {
      const { page, faults } = await open()
      await expect.poll(() => counts(page)).toEqual([visits, '0'])
      expect(await texts(page)).toEqual([])
      expect(faults).toEqual([])
    }
    expect(await stored('Counter')).toMatchObject([{ url: POST, time: 3 }])
  })

  it('accepts one comment per minute per address, and lists comments page by page', async () => {
    const ann = await open()
    await comment(ann, 'Ann', 'First **words**')
    const said: string[] = []
    ann.page.on('dialog', (dialog) => {
      said.push(dialog.message())
      void dialog.accept()
    })
    await submit(ann.page.locator('.wl-panel').first(), 'More words')
    await expect.poll(() => said).toEqual(['Comment too fast!'])
    await comment(await open(), 'Bob', 'Second words')
    await comment(await open(), 'Cid', 'Third words')
    await comment(await open(), 'Dan', 'Fourth words')

    const { page } = await open()
    await expect.poll(() => texts(page)).toEqual(['Fourth words', 'Third words', 'Second words'])
    await page.locator('.wl-operation button').click()
    await expect.poll(() => texts(page)).toEqual(['Fourth words', 'Third words', 'Second words', 'First words'])
    expect(await card(page, 'First words').locator('.wl-content strong').innerText()).toBe('words')
    expect(await counts(page)).toEqual([expect.stringMatching(/^\d+$/), '4'])
    await page.locator('.wl-sort li', { hasText: 'Oldest' }).click()
    await expect.poll(() => texts(page)).toEqual(['First words', 'Second words', 'Third words'])
  })

  it('shows replies below their comment', async () => {
    const { page } = await open()
    const answered = card(page, 'Third words')
    await answered.locator('.wl-reply').first().click()
    await answered.locator('#wl-nick').fill('Eve')
    await answered.locator('#wl-mail').fill('eve@example.org')
    await submit(answered.locator('.wl-reply-wrapper'), 'A reply')
    await answered.locator('.wl-quote .wl-content', { hasText: 'A reply' }).waitFor()

    const { page: other } = await open()
    const reply = card(other, 'Third words').locator('.wl-quote > .wl-card-item')
    await expect.poll(() => reply.locator('.wl-nick').allInnerTexts()).toEqual(['Eve'])
    expect(await reply.locator('.wl-reply-to').innerText()).toContain('@Cid')
  })

  it('adds and removes likes of comments and reactions to the post', async () => {
    const { page } = await open()
    const like = card(page, 'Second words').locator('.wl-like')
    await like.click()
    await expect.poll(() => like.innerText()).toBe('1')
    await page.locator('.wl-reaction-item').first().click()
    await expect.poll(() => page.locator('.wl-reaction-votes').allInnerTexts()).toEqual(['1', '0'])

    const { page: other } = await open()
    const seen = card(other, 'Second words').locator('.wl-like')
    await expect.poll(() => seen.innerText()).toBe('1')
    await seen.click()
    await expect.poll(() => seen.innerText()).toBe('2')
    await like.click()
    await expect.poll(async () => (await stored('Comment', { nick: 'Bob' }))[0].like).toBe(1)
    await page.locator('.wl-reaction-item').last().click()
    await expect
      .poll(async () => (await stored('Counter'))[0])
      .toMatchObject({ reaction0: 0, reaction1: 1, time: expect.any(Number) })
  })

  it('the first registered user is the administrator; later users are guests', async () => {
    expect((await request('POST', 'user', undefined, ADMIN)).errno).toBe(0)
    expect((await request('POST', 'user', undefined, { ...ADMIN, email: 'eve@example.org' })).errno).toBe(0)
    expect((await request('POST', 'user', undefined, ADMIN)).errno).not.toBe(0)
    expect((await request('POST', 'token', undefined, { ...ADMIN, password: 'wrong' })).errno).not.toBe(0)
    const { data } = await request('GET', 'user', await logIn())
    expect(data.data.map((user: { email: string; type: string }) => [user.email, user.type])).toEqual([
      ['eve@example.org', 'guest'],
      ['admin@example.org', 'administrator'],
    ])
  })

  it('the administrator hides, shows, pins, edits and deletes comments', async () => {
    const { page: admin } = await openAsAdmin()
    await card(admin, 'Third words').locator('.wl-spam').first().click()
    await card(admin, 'Second words').locator('.wl-sticky').click()
    await expect
      .poll(async () => {
        const { page } = await open()
        const seen = await texts(page)
        await page.context().close()
        return seen
      })
      .toEqual(['Second words', 'Fourth words', 'First words'])
    await card(admin, 'Third words').locator('.wl-approved').first().click()

    await card(admin, 'Fourth words').locator('.wl-edit').click()
    const edited = admin.locator('.wl-edit-wrapper')
    await submit(edited, 'Fourth words, edited')
    await card(admin, 'Fourth words, edited').waitFor()
    await expect.poll(async () => (await stored('Comment', { nick: 'Cid' }))[0].status).toBe('approved')

    admin.on('dialog', (dialog) => void dialog.accept())
    await card(admin, 'Third words').locator('.wl-delete').first().click()
    await card(admin, 'Third words').waitFor({ state: 'detached' })
    const { page } = await open()
    await expect.poll(() => texts(page)).toEqual(['Second words', 'Fourth words, edited', 'First words'])
    // The reply is deleted with its comment.
    const left = (await stored('Comment')).map((one: { comment: string }) => one.comment)
    expect(left.sort()).toEqual(['First **words**', 'Fourth words, edited', 'Second words'])
  })

  it('an export and import keeps replies attached to comments and pages beyond 100 comments', async () => {
    const token = await logIn()
    expect((await request('GET', 'db')).data).toBeUndefined()
    const { data: exported } = await request('GET', 'db', token)
    expect(exported.tables).toEqual(['Comment', 'Counter', 'Users'])
    expect(exported.data.Comment).toHaveLength(3)
    expect(exported.data.Users).toHaveLength(2)
    const before = await stored('Comment', { nick: 'Bob' })

    // Imports as the administration does: it empties a table, recreates its objects, and corrects references to them.
    expect((await request('DELETE', 'db?table=Comment', token)).errno).toBe(0)
    expect(await stored('Comment')).toEqual([])
    const ids = new Map<string, string>()
    const add = async (object: { readonly objectId: string }) => {
      const { data } = await request('POST', 'db?table=Comment', token, object)
      ids.set(object.objectId, data.objectId)
    }
    for (const object of exported.data.Comment) await add(object)
    const root = before[0].objectId as string
    const { objectId: _, ...copy } = exported.data.Comment[0]
    await add({ ...copy, objectId: 'reply', nick: 'Fay', comment: 'An imported reply', pid: root, rid: root })
    const moved = { pid: ids.get(root), rid: ids.get(root) }
    expect((await request('PUT', `db?table=Comment&objectId=${ids.get('reply')}`, token, moved)).errno).toBe(0)

    const after = await stored('Comment', { nick: 'Bob' })
    const { objectId: _1, createdAt: _2, updatedAt: _3, ...content } = after[0]
    expect(before[0]).toMatchObject(content)
    const { page } = await open()
    await expect.poll(() => card(page, 'Second words').locator('.wl-quote .wl-nick').allInnerTexts()).toEqual(['Fay'])

    const many = Array.from({ length: 120 }, (_, i) => ({
      method: 'POST',
      path: '/1.1/classes/Comment',
      body: { url: '/many/', nick: 'Gus', comment: `${i}`, status: 'approved' },
    }))
    await app.request('POST', '/1.1/batch', { master: true, body: { requests: many } })
    expect((await request('GET', 'db', token)).data.data.Comment).toHaveLength(4 + many.length)
    expect((await request('GET', 'comment?type=count&url=/many/')).data).toEqual([many.length])
  })
})
