import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeApp } from '../support/app.ts'
import { openBrowser } from '../support/browser.ts'
import { homeportClass } from './class-command.ts'
import { describeInBrowser } from './describe-app.ts'
import { modules } from './installed.ts'
import { pageOf } from './page.ts'
import { startSite } from './site.ts'
import { newVisitor, type Visitor } from './visitor.ts'

describeInBrowser('Artitalk in Chromium', async () => {
  const browser = await openBrowser(afterAll)
  const app = await makeApp()
  const site = await startSite(
    { '/notes/': pageOf('artitalk.html', app, {}), '/modules/': { folder: modules } },
    afterAll,
  )
  const open = async (): Promise<Visitor> => {
    const visitor = await newVisitor(browser)
    await visitor.page.goto(`${site}/notes/`)
    await visitor.page.locator('#ccontent li').first().waitFor()
    return visitor
  }
  const notes = (visitor: Visitor) => visitor.page.locator('#ccontent li .cbp_tmlabel')

  beforeAll(async () => {
    const { id } = await app.makeUser('writer')
    await homeportClass(app, 'create', 'shuoshuo', '--permission', `create=user:${id}`)
    await homeportClass(app, 'create', 'atComment')
  })

  it('the author logs in and publishes notes that every visitor sees', async () => {
    const writer = await open()
    const { page } = writer
    await page.click('#pubShuo')
    await page.fill('#username', 'writer')
    await page.fill('#pwd', 'wrong')
    await page.click('#login')
    await expect.poll(() => page.locator('#logw').innerText()).toMatch(/password/i)
    await page.fill('#pwd', 'password of writer')
    await page.click('#login')
    await page.locator('#shuoshuo-modal').waitFor({ state: 'hidden' })
    for (const note of ['First note', 'Second **note**', 'Third note']) {
      await page.click('#pubShuo')
      await page.fill('#neirong', note)
      await page.click('#atSave')
      await page.locator('#ccontent li', { hasText: note.replaceAll('*', '') }).waitFor()
    }
    const reader = await open()
    await expect.poll(async () => (await notes(reader).allInnerTexts()).length).toBe(2)
    await reader.page.click('#readmore')
    await expect
      .poll(async () => (await notes(reader).allInnerTexts()).map((text) => text.split('\n')[0]))
      .toEqual(['Third note', 'Second note', 'First note'])
    const { status } = await app.request('POST', '/1.1/classes/shuoshuo', { body: { atContentMd: 'forged' } })
    expect(status).toBe(403)
  })

  it('visitors comment on a note, and comments are counted', async () => {
    const { page } = await open()
    const { body } = await app.request('GET', '/1.1/classes/shuoshuo', { query: { order: '-createdAt', limit: '1' } })
    const { objectId } = body.results[0]
    await page.click(`#atCoInit${objectId}`)
    await page.click('#pubComment')
    await page.fill('#commentNick', 'Ann')
    await page.fill('#email', 'ann@example.org')
    await page.fill('#neirong', 'A comment')
    await page.click('#commentSave')
    await page.locator('#ccontent li', { hasText: 'A comment' }).waitFor()
    const { body: stored } = await app.request('GET', '/1.1/classes/atComment')
    expect(stored.results).toMatchObject([{ atId: objectId, nick: 'Ann', commentContent: '<p>A comment</p>' }])
    const reader = await open()
    await expect.poll(() => reader.page.locator(`#coValue${objectId}`).innerText()).toBe('1')
  })
})
