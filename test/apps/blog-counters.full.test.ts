import { afterAll, expect, it, onTestFinished } from 'vitest'
import { makeApp, type TestApp } from '../support/app.ts'
import { openBrowser } from '../support/browser.ts'
import { makeBlog } from './blog.ts'
import { homeportClass } from './class-command.ts'
import { describeInBrowser } from './describe-app.ts'
import { startSite } from './site.ts'
import { newVisitor } from './visitor.ts'

/** Generates a blog of two posts and serves it until the test ends. */
async function serveBlog(theme: 'next' | 'fluid', settings: object): Promise<string> {
  const blog = await makeBlog(theme, {}, settings, onTestFinished)
  await blog.addPost('hello', 'Hello')
  await blog.addPost('你好', '你好')
  const { code, output } = await blog.hexo('generate')
  expect(code, output).toBe(0)
  return startSite({ '/': { folder: blog.pages } }, onTestFinished)
}

const counters = async (app: TestApp) =>
  (await app.request('GET', '/1.1/classes/Counter', { query: { order: 'createdAt' } })).body.results

describeInBrowser('in Chromium', async () => {
  const browser = await openBrowser(afterAll)

  it('NexT counts the visits of a post, and shows them on the front page', async () => {
    const app = await makeApp()
    // NexT requires the class before the first visit.
    await homeportClass(app, 'create', 'Counter')
    const settings = { app_id: app.appId, app_key: app.appKey, server_url: app.url }
    const site = await serveBlog('next', { leancloud_visitors: { enable: true, ...settings, security: false } })
    for (const [path, count] of [
      ['/posts/hello/', '1'],
      ['/posts/你好/', '1'],
      ['/posts/hello/', '2'],
      ['/posts/hello/', '3'],
    ] as const) {
      const { page } = await newVisitor(browser)
      await page.goto(site + path)
      await expect.poll(() => page.locator('.leancloud-visitors-count').innerText()).toBe(count)
      // The page shows the count before it is saved.
      const visits = expect.objectContaining({ url: path, time: Number(count) })
      await expect.poll(() => counters(app)).toContainEqual(visits)
    }
    expect(await counters(app)).toMatchObject([
      { url: '/posts/hello/', title: 'Hello', time: 3 },
      { url: '/posts/你好/', title: '你好', time: 1 },
    ])
    const { page } = await newVisitor(browser)
    await page.goto(site)
    await expect
      .poll(async () => (await page.locator('.leancloud-visitors-count').allInnerTexts()).sort())
      .toEqual(['1', '3'])
  })

  it('Fluid counts visits per page, and visits and visitors of the site, and creates the class automatically', async () => {
    const app = await makeApp()
    const settings = { app_id: app.appId, app_key: app.appKey, server_url: app.url, ignore_local: false }
    const site = await serveBlog('fluid', {
      web_analytics: { enable: true, leancloud: settings },
      footer: { statistics: { enable: true, source: 'leancloud' } },
      post: { meta: { views: { enable: true, source: 'leancloud' } } },
    })
    const times = async () =>
      Object.fromEntries((await counters(app)).map((one: { target: string; time: number }) => [one.target, one.time]))
    const shown = (name: string) => `#leancloud-${name}`

    const { page } = await newVisitor(browser)
    await page.goto(`${site}/posts/你好/`)
    await expect.poll(() => page.locator(shown('page-views')).innerText()).toBe('1')
    await expect.poll(times).toEqual({ 'site-pv': 1, 'site-uv': 1, '/posts/你好/': 1 })
    await page.reload()
    await expect.poll(times).toEqual({ 'site-pv': 2, 'site-uv': 1, '/posts/你好/': 2 })

    const { page: other } = await newVisitor(browser)
    await other.goto(`${site}/posts/hello/`)
    await expect.poll(times).toEqual({ 'site-pv': 3, 'site-uv': 2, '/posts/你好/': 2, '/posts/hello/': 1 })
    for (const [name, count] of [
      ['site-pv', '3'],
      ['site-uv', '2'],
      ['page-views', '1'],
    ] as const)
      await expect.poll(() => other.locator(shown(name)).innerText()).toBe(count)
  })
})
