import { afterAll, describe, expect, it } from 'vitest'
import { makeApp } from '../support/app.ts'
import { openBrowser } from '../support/browser.ts'
import { describeInBrowser } from './describe-app.ts'
import { modules } from './installed.ts'
import { pageOf } from './page.ts'
import { startSite } from './site.ts'
import { newVisitor, type Visitor } from './visitor.ts'

describeInBrowser('in Chromium', async () => {
  const browser = await openBrowser(afterAll)

  describe.each(['valine-1.4', 'valine-1.5'])('%s', async (valine) => {
    const app = await makeApp()
    const [hello, fresh] = ['/post/你好/', '/post/fresh/']
    const post = (path: string) => pageOf('valine.html', app, { valine, path })
    const site = await startSite(
      { [hello]: post(hello), [fresh]: post(fresh), '/modules/': { folder: modules } },
      afterAll,
    )

    const open = async (path: string): Promise<Visitor> => {
      const visitor = await newVisitor(browser)
      await visitor.page.goto(site + path)
      return visitor
    }
    const comment = async ({ page }: Visitor, nick: string, text: string) => {
      await page.fill('input.vnick', nick)
      await page.fill('input.vmail', `${nick.toLowerCase()}@example.org`)
      await page.fill('.veditor', text)
      // Valine reads the input after a pause in typing.
      await expect.poll(() => page.locator('.vpreview').innerHTML()).toContain(text)
      await page.click('.vsubmit')
      await page.locator('.vcard', { hasText: text }).first().waitFor()
    }

    it('shows an empty list and counts the first visit on a server without the class', async () => {
      const { page, faults } = await open(fresh)
      await expect.poll(() => page.locator('.leancloud-visitors-count').innerText()).toBe('1')
      await page.locator('.vempty', { hasText: /\S/ }).waitFor()
      expect(await page.locator('.vcard').count()).toBe(0)
      expect(faults).toEqual([])
    })

    it('each visit increments the counter by one', async () => {
      for (const visit of ['1', '2', '3']) {
        const { page } = await open(hello)
        await expect.poll(() => page.locator('.leancloud-visitors-count').innerText()).toBe(visit)
      }
      const { body } = await app.request('GET', '/1.1/classes/Counter', { query: { where: `{"url":"${hello}"}` } })
      expect(body.results).toMatchObject([{ url: hello, xid: encodeURI(hello), title: 'A post', time: 3 }])
    })

    it('comments are stored, listed and counted, newest first, page by page', async () => {
      for (const [nick, text] of [
        ['Ann', 'First words'],
        ['Bob', 'Second words'],
        ['Cid', 'Third words'],
      ] as const) {
        const visitor = await open(hello)
        await comment(visitor, nick, text)
        expect(visitor.faults).toEqual([])
      }
      const { page } = await open(hello)
      const cards = page.locator('.vcards > .vcard')
      await expect.poll(() => page.locator('.vnum').innerText()).toBe('3')
      await expect.poll(() => page.locator('.valine-comment-count').innerText()).toBe('3')
      await expect.poll(() => cards.locator('.vcontent').allInnerTexts()).toEqual(['Third words', 'Second words'])
      await page.click('.vmore')
      await expect
        .poll(() => cards.locator('.vcontent').allInnerTexts())
        .toEqual(['Third words', 'Second words', 'First words'])
      expect(await cards.locator('.vnick').allInnerTexts()).toEqual(['Cid', 'Bob', 'Ann'])
    })

    it('shows replies and nested replies below their comment', async () => {
      const replier = await open(hello)
      const { page } = replier
      await page.locator('.vcards > .vcard', { hasText: 'Third words' }).locator('.vat').first().click()
      await comment(replier, 'Dan', 'A reply')
      const answerer = await open(hello)
      await answerer.page.locator('.vquote .vcard', { hasText: 'A reply' }).locator('.vat').first().click()
      await comment(answerer, 'Eve', 'A reply to the reply')

      const reader = await open(hello)
      const replies = reader.page.locator('.vcards > .vcard', { hasText: 'Third words' }).locator('.vquote > .vcard')
      await expect.poll(async () => (await replies.locator('.vnick').allInnerTexts()).sort()).toEqual(['Dan', 'Eve'])
      expect(await replies.filter({ hasText: 'Eve' }).locator('.vcontent').innerText()).toContain(
        'A reply to the reply',
      )
      const stored = async (nick: string) =>
        (await app.request('GET', '/1.1/classes/Comment', { query: { where: JSON.stringify({ nick }) } })).body
          .results[0]
      expect(await stored('Eve')).toMatchObject({
        rid: (await stored('Cid')).objectId,
        pid: (await stored('Dan')).objectId,
        url: hello,
        insertedAt: { __type: 'Date' },
      })
    })

    it('a visitor cannot change the comment of another visitor', async () => {
      const { body } = await app.request('GET', '/1.1/classes/Comment', { query: { limit: '1' } })
      const target = `/1.1/classes/Comment/${body.results[0].objectId}`
      expect((await app.request('PUT', target, { body: { comment: 'hacked' } })).status).toBe(403)
      expect((await app.request('DELETE', target)).status).toBe(403)
    })
  })
})
