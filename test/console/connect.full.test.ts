import AV from 'leancloud-storage'
import { describe, expect, it } from 'vitest'
import { accessibilityFaults } from '../support/accessibility.ts'
import { makeApp } from '../support/app.ts'
import { chromium } from '../support/browser.ts'
import { consoleTests, widthOf } from '../support/console.ts'

const visit = consoleTests()
const app = await makeApp()
const path = `/console/apps/${app.appId}/connect`

type Run = (client: typeof AV) => Promise<void>
const AsyncFunction = (async () => {}).constructor as new (...parts: string[]) => Run

describe.skipIf(chromium === null)('connecting an app', () => {
  it('the JavaScript snippet runs as shown', async () => {
    const page = await visit()
    await page.goto(path)
    const code = await page.locator('pre', { hasText: "import AV from 'leancloud-storage'" }).innerText()
    await new AsyncFunction('AV', code.replace(/^import .*$/m, ''))(AV)
    const { body } = await app.request('GET', '/1.1/classes/Post')
    expect(body.results).toMatchObject([{ title: 'Hello' }])
    expect(await accessibilityFaults(page)).toEqual([])
  })

  it('snippets of every SDK contain the address and app key, and never the master key', async () => {
    const page = await visit({ colorScheme: 'dark' })
    await page.goto(path)
    await page.getByLabel('Server URL').fill('https://api.example.org/')
    const tabs = await page.getByRole('tab').all()
    expect(tabs).toHaveLength(12)
    for (const tab of tabs) {
      await tab.click()
      const shown = await page.getByRole('tabpanel', { name: await tab.innerText(), exact: true }).innerText()
      for (const filledIn of [app.appId, app.appKey, 'api.example.org']) expect(shown).toContain(filledIn)
    }
    expect(await page.content()).not.toContain(app.masterKey)
    expect(new URL(page.url()).searchParams.get('sdk')).toBe('blogs')
    expect(await accessibilityFaults(page)).toEqual([])
  })

  it('a reader tests the key from the browser, in Chinese and on a phone', async () => {
    const page = await visit({ role: 'reader', apps: [app.appId], locale: 'zh-CN', width: 375, height: 740 })
    await page.goto(`${path}?sdk=rest`)
    await page.getByRole('button', { name: '发送测试请求' }).click()
    await page.getByText(/服务器在 .* 内返回了响应/).waitFor()
    await page.getByText('{"results":[]}').waitFor()
    expect(await widthOf(page)).toBeLessThanOrEqual(375)
    expect(await accessibilityFaults(page)).toEqual([])
  })
})
