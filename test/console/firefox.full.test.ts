import { type Browser, firefox as launcher } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { makeApp } from '../support/app.ts'
import { faultsOf, newAdministrator } from '../support/console.ts'
import { findProgram } from '../support/find-program.ts'

/** Driven by WebDriver BiDi, which Firefox as it is released speaks. */
const firefox = findProgram(
  'HOMEPORT_TEST_FIREFOX',
  ['firefox-esr', 'firefox'],
  ['/Applications/Firefox.app/Contents/MacOS/firefox'],
)

if (firefox === null) {
  console.warn(
    'Tests in Firefox are skipped: it was not found. Install it (Debian: apt-get install firefox-esr; macOS: brew install --cask firefox), or let HOMEPORT_TEST_FIREFOX name its file.',
  )
}

const app = await makeApp()

describe.skipIf(firefox === null)('the console in Firefox', { timeout: 180_000 }, () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launcher.launch({ channel: 'moz-firefox', executablePath: firefox! })
  }, 120_000)
  afterAll(() => browser?.close())

  it('logs in by a link and by a password, and shows pages of an app', async () => {
    await app.request('POST', '/1.1/files/pixel.png', {
      master: true,
      body: { base64: PIXEL, mime_type: 'image/png' },
    })
    const page = await browser.newPage({ baseURL: inject('serverUrl') })
    const faults = faultsOf(page)
    await page.goto((await newAdministrator()).link)
    await page.getByLabel('New password').fill('correct horse battery')
    expect(page.url()).not.toContain('#')
    const name = /visitor [0-9a-f-]{36}/.exec(await page.getByText(/^You are logged in as/).innerText())![0]
    await page.getByRole('button', { name: 'Keep this password' }).click()
    await page.getByRole('heading', { name: 'Apps' }).waitFor()
    expect(await page.evaluate('document.cookie')).toBe('')

    await page.context().clearCookies()
    await page.goto(`/console/apps/${app.appId}/files`)
    await page.getByLabel('Name').fill(name)
    await page.getByLabel('Password').fill('correct horse battery')
    await page.getByRole('button', { name: 'Log in' }).click()
    const picture = page.locator('img[src*="imageView2"]')
    await expect.poll(() => picture.evaluate('(picture) => picture.naturalWidth')).toBeGreaterThan(0)
    for (const [path, heading] of [
      ['', app.appId],
      ['/data/_File', 'pixel.png'],
      ['/settings', 'Clients make classes'],
    ] as const) {
      await page.goto(`/console/apps/${app.appId}${path}`)
      await page.getByRole('main').getByText(heading).first().waitFor()
    }
    expect(faults).toEqual([])
  })

  it('runs, loads and shows in frames what the policy allows alone', async () => {
    const page = await browser.newPage({ baseURL: inject('serverUrl') })
    await page.goto('/console/login')
    await page.getByRole('heading', { name: 'Log in to Homeport' }).waitFor()
    for (const [directive, element] of [
      ['script-src-attr', '<img src="data:," onerror="globalThis.hurt = 1">'],
      ['img-src', '<img src="http://elsewhere.test/a.png">'],
      ['media-src', '<audio src="http://elsewhere.test/a.mp3" preload="auto"></audio>'],
      ['frame-src', '<iframe src="/console/"></iframe>'],
    ] as const) {
      const refused = page.evaluate(`new Promise((end) => {
        addEventListener('securitypolicyviolation', (event) => end(event.effectiveDirective), { once: true })
        document.body.insertAdjacentHTML('beforeend', ${JSON.stringify(element)})
      })`)
      expect(await refused, element).toBe(directive)
    }
    const registered = `navigator.serviceWorker.register('/console/assets/none.js').then(() => 'done', () => 'refused')`
    expect(await page.evaluate(registered)).toBe('refused')
    expect(await page.evaluate('globalThis.hurt')).toBeUndefined()
  })
})

/** A picture of one pixel, in base64. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
