import { afterAll, expect, it, onTestFinished } from 'vitest'
import { makeApp } from '../support/app.ts'
import { chromium, openBrowser } from '../support/browser.ts'
import { startEngine } from '../support/engine-process.ts'
import { makeBlog } from './blog.ts'
import { homeportClass } from './class-command.ts'
import { describeApp } from './describe-app.ts'
import { startSite } from './site.ts'
import { newVisitor } from './visitor.ts'

/**
 * The hook from the plugin's instructions, reworded: a count may only increase. It saves the object explicitly, as the original
 * does.
 */
const HOOK = `
AV.Cloud.beforeUpdate('Counter', async ({ object }) => {
  if (!object.updatedKeys.includes('time')) return
  const stored = await new AV.Query('Counter').get(object.id)
  if (object.get('time') < stored.get('time')) throw new AV.Cloud.Error('A count only grows.')
  return object.save()
})
`

describeApp('hexo-leancloud-counter-security, configured as documented', async () => {
  const app = await makeApp()
  const keys = { app_id: app.appId, app_key: app.appKey, server_url: app.url }
  const blog = await makeBlog(
    'next',
    {
      leancloud_counter_security: {
        enable_sync: true,
        ...keys,
        username: 'blogger',
        password: 'password of blogger',
      },
      deploy: [{ type: 'leancloud_counter_security_sync' }],
    },
    { leancloud_visitors: { enable: true, ...keys, security: true } },
    afterAll,
  )
  const counters = async () =>
    (await app.request('GET', '/1.1/classes/Counter', { query: { order: 'url' } })).body.results

  it('registers the blogger; each deployment creates counters for existing and new posts', async () => {
    await homeportClass(app, 'create', 'Counter')
    const registered = await blog.hexo('lc-counter', 'register', 'blogger', 'password of blogger')
    expect(registered.output).toContain('blogger is successfully signed up')
    const { body } = await app.request('GET', '/1.1/users', { master: true })
    const blogger = body.results[0]
    const create = `create=user:${blogger.objectId}`
    await homeportClass(app, 'set', 'Counter', '--permission', create, '--permission', 'delete=master')

    await blog.addPost('hello', 'Hello')
    await blog.addPost('你好', '你好')
    await blog.hexo('generate')
    const first = await blog.hexo('deploy')
    expect(first.output).toContain('Logined as: blogger')
    const made = await counters()
    expect(made).toMatchObject([
      { url: '/posts/hello/', title: 'Hello', time: 0 },
      { url: '/posts/你好/', title: '你好', time: 0 },
    ])
    // Version 1.5.0 fails after saving everything, because it reads a log from an undefined `this`.
    expect(first.output).toContain(`Hello is saved as: ${made[0].objectId}`)

    await blog.addPost('later', 'Later')
    await blog.hexo('generate')
    await blog.hexo('deploy')
    const all = await counters()
    expect(all).toMatchObject([{ url: '/posts/hello/' }, { url: '/posts/later/', time: 0 }, { url: '/posts/你好/' }])
    expect([all[0], all[2]]).toEqual(made)
  })

  it.skipIf(chromium === null)('visitors can increment the counters and do nothing else', async () => {
    await startEngine(app, HOOK, onTestFinished)
    const browser = await openBrowser(onTestFinished)
    const site = await startSite({ '/': { folder: blog.pages } }, onTestFinished)
    for (const count of [1, 2]) {
      const { page } = await newVisitor(browser)
      await page.goto(`${site}/posts/hello/`)
      await expect.poll(() => page.locator('.leancloud-visitors-count').innerText()).toBe(String(count))
      await expect.poll(async () => (await counters())[0].time).toBe(count)
    }
    const [{ objectId }] = await counters()
    const counter = `/1.1/classes/Counter/${objectId}`
    expect(await app.request('PUT', counter, { body: { time: 1 } })).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('A count only grows.') },
    })
    expect((await app.request('PUT', counter, { body: { time: { __op: 'Decrement', amount: 1 } } })).status).toBe(400)
    expect((await app.request('DELETE', counter)).status).toBe(403)
    expect((await app.request('POST', '/1.1/classes/Counter', { body: { url: '/x/', time: 9 } })).status).toBe(403)
    expect((await counters()).map((one: { time: number }) => one.time)).toEqual([2, 0, 0])
  })
})
