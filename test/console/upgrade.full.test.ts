import { describe, expect, inject, it } from 'vitest'
import { accessibilityFaults } from '../support/accessibility.ts'
import { makeApp } from '../support/app.ts'
import { chromium } from '../support/browser.ts'
import { consoleTests } from '../support/console.ts'

const visit = consoleTests()

describe.skipIf(chromium === null)('a page that is open during a server upgrade', () => {
  it.each([
    ['en', 'The console was updated', 'Reload', 'Files'],
    ['zh-CN', '控制台已更新', '重新加载', '文件'],
  ] as const)('offers in %s to reload when one of its files no longer exists', async (locale, told, again, files) => {
    const { appId } = await makeApp(inject('serverUrl'), inject('adminToken'))
    const page = await visit({ locale, expected: /dynamically imported module|Unable to preload/ })
    // Registered before the page loads: on an already loading page, requests can bypass the route for a moment.
    let gone = /^$/
    await page.route('**/assets/**', (route) =>
      gone.test(route.request().url()) ? route.fulfill({ status: 404, body: 'gone' }) : route.continue(),
    )
    await page.goto(`/console/apps/${appId}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    gone = /./
    // The palette is not a page, so only the notice reports the missing file.
    await page.keyboard.press('Control+k')
    await page.getByText(told).waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    gone = /^$/
    await page.getByRole('button', { name: again }).click()
    await expect.poll(() => page.getByText(told).count()).toBe(0)
    await page.getByRole('heading', { level: 1 }).waitFor()

    // A missing page reloads the console once automatically; if that fails, a reload is offered.
    gone = /\/files-page/
    await page.getByRole('menuitem', { name: files }).click()
    await page.getByText(told).waitFor()
    expect(new URL(page.url()).pathname).toBe(`/console/apps/${appId}/files`)
    gone = /^$/
    await page.getByRole('button', { name: again }).click()
    await page.getByRole('heading', { level: 1, name: files }).waitFor()
    expect(await page.getByText(told).count()).toBe(0)
  })
})
