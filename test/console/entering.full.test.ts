import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { accessibilityFaults } from '../support/accessibility.ts'
import { chromium } from '../support/browser.ts'
import { administrate, consoleTests, newAdministrator, widthOf } from '../support/console.ts'

const visit = consoleTests()

describe.skipIf(chromium === null)('entering the console', () => {
  it('redirects a browser to the login, then to the requested page', async () => {
    const page = await visit()
    await page.goto('/console/')
    await page.getByRole('button', { name: /^Your account/ }).click()
    await page.getByRole('menuitem', { name: 'Log out' }).click()
    await page.waitForURL('**/console/login')
    await page.goto('/')
    await page.waitForURL('**/console/login**')
    await page.getByRole('heading', { name: 'Log in to Homeport' }).waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
  })

  it('a link works once, then asks for a password that logs in again', async () => {
    const page = await visit()
    await page.context().clearCookies()
    const { link } = await newAdministrator()
    await page.goto(link)
    await page.getByLabel('New password').fill('correct horse battery')
    expect(page.url()).not.toContain('#')
    await page.getByRole('button', { name: 'Save password' }).click()
    await page.getByRole('heading', { name: 'Apps' }).waitFor()
    await page.goto('about:blank')
    await page.goto(link)
    await page.getByRole('button', { name: 'Use this link' }).click()
    await page.getByText('This link is no longer valid').waitFor()
  })

  it('a link switches to another administrator only after a click', async () => {
    const page = await visit()
    await page.goto('/console/profile')
    const name = await page
      .getByText(/^visitor [0-9a-f-]{36}$/)
      .first()
      .innerText()
    const { link } = await newAdministrator()
    await page.goto('about:blank')
    await page.goto(link)
    await page.getByRole('link', { name: `Stay logged in as ${name}` }).click()
    await page.getByRole('heading', { name: 'Apps' }).waitFor()
    // No browser storage contains the token, which is not used yet.
    const token = link.slice(link.indexOf('#') + 1)
    expect(
      await page.evaluate('JSON.stringify([localStorage, sessionStorage, history.state, location.href])'),
    ).not.toContain(token)
    await page.goto('about:blank')
    await page.goto(link)
    await page.getByRole('button', { name: 'Use this link' }).click()
    await page.getByText(/^You are logged in as visitor [0-9a-f-]{36}\.$/).waitFor()
    expect(await page.getByText(name).count()).toBe(0)
    await page.getByLabel('New password').waitFor()
  })

  it.each(['/\t/elsewhere.test', '//elsewhere.test', '/\\elsewhere.test', 'https://elsewhere.test/'])(
    'a login with the target %j leads to the console',
    async (next) => {
      const page = await visit()
      await page.goto('/console/profile')
      const name = await page
        .getByText(/^visitor [0-9a-f-]{36}$/)
        .first()
        .innerText()
      await page.goto(`/console/login?next=${encodeURIComponent(next)}`)
      await page.route('**/admin/login', (route) => route.fulfill({ json: { csrfToken: 'token' } }))
      await page.getByLabel('Name').fill(name)
      await page.getByLabel('Password').fill('a password')
      await page.getByRole('button', { name: 'Log in' }).click()
      await page.getByRole('heading', { name: 'Apps' }).waitFor()
      expect(new URL(page.url()).origin).toBe(new URL(inject('serverUrl')).origin)
    },
  )

  it('is available in Chinese', async () => {
    const page = await visit({ locale: 'zh-CN' })
    await page.goto('/console/')
    await page.getByRole('heading', { name: '应用' }).waitFor()
    expect(await page.locator('html').getAttribute('lang')).toBe('zh-CN')
  })

  it('the palette reaches every page by keyboard alone', async () => {
    // The ID contains the typed letters, but in another order.
    const { appId } = await administrate<{ appId: string }>('POST', '/admin/apps', {
      name: 'test',
      appId: '1PtP61nLZohoAoEduCcTIyrY',
    })
    onTestFinished(async () => {
      await administrate('DELETE', `/admin/apps/${appId}`)
    })
    const page = await visit()
    await page.goto('/console/')
    await page.getByRole('heading', { name: 'Apps' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByPlaceholder('Page, class, app').fill('Audit')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Audit log' }).waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.keyboard.press('Control+k')
    await page.getByPlaceholder('Page, class, app').fill(appId.slice(0, 6))
    expect(await accessibilityFaults(page)).toEqual([])
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'test' }).waitFor()
  })

  it('at 375 pixels the menu is a drawer and nothing overflows horizontally', async () => {
    const page = await visit({ width: 375, height: 740 })
    await page.goto('/console/')
    await page.getByRole('heading', { name: 'Apps' }).waitFor()
    await page.getByRole('button', { name: 'Menu' }).click()
    await page.getByRole('menuitem', { name: 'Audit log' }).click()
    await page.getByRole('heading', { name: 'Audit log' }).waitFor()
    expect(await widthOf(page)).toBeLessThanOrEqual(375)
  })
})
