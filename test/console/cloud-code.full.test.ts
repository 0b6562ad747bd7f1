import { describe, expect, it } from 'vitest'
import { accessibilityFaults } from '../support/accessibility.ts'
import { makeApp } from '../support/app.ts'
import { chromium } from '../support/browser.ts'
import { consoleTests, FETCHED, widthOf } from '../support/console.ts'
import { useEngine } from '../support/engine-process.ts'
import { inputOf, json, standInEngine } from '../support/stand-in-engine.ts'

const visit = consoleTests()
const app = await makeApp()
const engine = await standInEngine()
const path = `/console/apps/${app.appId}/cloud-code`

describe.skipIf(chromium === null)('cloud code', () => {
  it('shows the engine and its functions, runs a function as a user, and shows the result', async () => {
    engine.functions.set('hello', json({ result: { greeting: 'hello Mia' } }))
    engine.functions.set('__before_save_for_Post', json({}))
    await useEngine(app, { production: engine.url })
    const page = await visit()
    await page.goto(path)
    await page.getByText('responding', { exact: true }).waitFor()
    await page.getByText('__before_save_for_Post').waitFor()
    await page.getByText(/Recorded by node \S+:\d+ since it started/).waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByRole('link', { name: 'hello' }).click()
    await page.waitForURL('**/cloud-code?tab=run&name=hello')
    await page.getByRole('textbox', { name: 'Parameters' }).fill('{"name": "Mia"}')
    await page.getByLabel('Session token of a user').fill('token-of-mia')
    await page.getByRole('button', { name: /Run$/ }).click()
    await page.getByText('hello Mia').waitFor()
    const called = engine.calls.find(({ url }) => url === '/1.1/functions/hello')
    expect(inputOf(called)).toEqual({ name: 'Mia' })
    expect(called!.headers['x-lc-session']).toBe('token-of-mia')
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByRole('textbox', { name: 'Parameters' }).fill('[1]')
    await page.getByRole('button', { name: /Run$/ }).click()
    await page.getByText('Enter a JSON object').waitFor()
    await page.getByRole('textbox', { name: 'Parameters' }).fill('{}')
    await page.getByRole('combobox', { name: 'Function' }).fill('absent')
    await page.getByRole('button', { name: /Run$/ }).click()
    await page.getByText(/HTTP 404/).waitFor()
  })

  it('counts live queries by class, and shows the queue', async () => {
    await app.sql(`INSERT INTO "$live_subscribers" VALUES ('one', now()), ('two', now())`)
    await app.sql(
      `INSERT INTO "$live_queries" (subscriber_id, id, class_name, condition, with_acl)
       VALUES ('one', 'a', 'Post', '{}', true), ('two', 'b', 'Post', '{"n":1}', true), ('two', 'c', 'Room', '{}', true)`,
    )
    engine.functions.set('later', json({ result: 1 }))
    await useEngine(app, { production: engine.url })
    const added = await app.request('POST', '/1.1/engine/cloud-queue/tasks', {
      master: true,
      body: { function: 'later', params: { secret: 'of a user' }, delay: 3_600_000 },
    })
    expect(added.status).toBeLessThan(300)
    const page = await visit({ role: 'reader', apps: [app.appId], colorScheme: 'dark' })
    await page.goto(`${path}?tab=liveQueries`)
    await page.getByRole('row', { name: 'Post 2 2' }).waitFor()
    await page.getByRole('row', { name: 'Room 1 1' }).waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByRole('tab', { name: 'Queue' }).click()
    await page.getByRole('row', { name: /later waiting/ }).waitFor()
    expect(await (await page.request.get(`/admin/apps/${app.appId}/tasks`, { headers: FETCHED })).text()).not.toContain(
      'of a user',
    )
  })

  it('a reader cannot run functions; the empty page explains the first steps, in Chinese at 375 pixels', async () => {
    const { appId } = await makeApp()
    const page = await visit({ role: 'reader', apps: [appId], locale: 'zh-CN', width: 375, height: 740 })
    await page.goto(`/console/apps/${appId}/cloud-code`)
    await page.getByText('还没有配置云引擎').waitFor()
    expect(await page.getByRole('tab', { name: '调用云函数' }).count()).toBe(0)
    for (const [tab, text] of [
      ['schedules', '没有定时任务'],
      ['tasks', '云队列为空'],
      ['liveQueries', '没有订阅'],
    ]) {
      await page.goto(`/console/apps/${appId}/cloud-code?tab=${tab}`)
      await page.getByText(text!).waitFor()
      expect(await widthOf(page)).toBeLessThanOrEqual(375)
    }
    const { csrfToken } = await (await page.request.get('/admin/me', { headers: FETCHED })).json()
    const headers = { 'x-csrf-token': csrfToken }
    for (const deed of ['functions/hello', 'refresh'])
      expect((await page.request.post(`/admin/apps/${appId}/engine/${deed}`, { headers, data: {} })).status()).toBe(403)
  })
})
