import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { makeApp } from '../support/app.ts'
import { newAdministrator } from '../support/console.ts'
import { type FirefoxTab, firefox, openFirefox } from '../support/firefox.ts'

const app = await makeApp()
const url = inject('serverUrl')

/** An image of one pixel, in base64. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

describe.skipIf(firefox === null)('the console in Firefox', { timeout: 180_000 }, () => {
  let tab: FirefoxTab
  beforeAll(async () => {
    tab = await openFirefox()
  }, 180_000)
  afterAll(() => tab?.close())
  beforeEach(() => tab.goto('about:blank'))

  const shows = (text: string) =>
    expect
      .poll(() => tab.evaluate<string>('document.body.innerText'), { message: text, timeout: 60_000 })
      .toContain(text)
  const fill = (id: string, text: string) =>
    tab.evaluate(`(() => {
      const field = document.getElementById(${JSON.stringify(id)})
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, ${JSON.stringify(text)})
      field.dispatchEvent(new Event('input', { bubbles: true }))
    })()`)
  const submit = () => tab.evaluate(`document.querySelector('form').requestSubmit()`)

  it('logs in by link and by password, and shows pages of an app', async () => {
    await app.request('POST', '/1.1/files/pixel.png', { master: true, body: { base64: PIXEL, mime_type: 'image/png' } })
    await tab.goto((await newAdministrator()).link)
    await shows('You are logged in as visitor')
    expect(await tab.evaluate('location.href')).toBe(`${url}/console/enter`)
    const [name] = /visitor [0-9a-f-]{36}/.exec(await tab.evaluate<string>('document.body.innerText'))!
    await fill('password', 'correct horse battery')
    await submit()
    await shows('Apps')
    expect(await tab.evaluate('document.cookie')).toBe('')
    await tab.evaluate(`fetch('/admin/me').then((response) => response.json()).then(({ csrfToken }) =>
      fetch('/admin/logout', { method: 'POST', headers: { 'content-type': 'application/json', 'x-csrf-token': csrfToken }, body: '{}' })
    ).then(({ status }) => status)`)

    await tab.goto(`${url}/console/apps/${app.appId}/files`)
    await shows('Log in to Homeport')
    await fill('name', name)
    await fill('password', 'correct horse battery')
    await submit()
    const width = () => tab.evaluate(`document.querySelector('img[src*="imageView2"]')?.naturalWidth ?? 0`)
    await expect.poll(width, { timeout: 60_000 }).toBeGreaterThan(0)
    for (const [path, text] of [
      ['', app.appId],
      ['/data/_File', 'pixel.png'],
      ['/settings', 'Clients can create classes'],
    ] as const) {
      await tab.goto(`${url}/console/apps/${app.appId}${path}`)
      await shows(text)
    }
    expect(tab.errors).toEqual([])
  })

  it('runs, loads and frames only what its content security policy allows', async () => {
    await tab.goto(`${url}/console/login`)
    await shows('Homeport')
    for (const [directive, element] of [
      ['script-src-attr', '<img src="data:," onerror="globalThis.hurt = 1">'],
      ['img-src', '<img src="http://elsewhere.test/a.png">'],
      ['media-src', '<audio src="http://elsewhere.test/a.mp3" preload="auto"></audio>'],
      ['frame-src', '<iframe src="/console/"></iframe>'],
    ] as const) {
      const refused = await tab.evaluate(`new Promise((end) => {
        addEventListener('securitypolicyviolation', (event) => end(event.effectiveDirective), { once: true })
        document.body.insertAdjacentHTML('beforeend', ${JSON.stringify(element)})
      })`)
      expect(refused, element).toBe(directive)
    }
    const registered = `navigator.serviceWorker.register('/console/assets/none.js').then(() => 'done', () => 'refused')`
    expect(await tab.evaluate(registered)).toBe('refused')
    expect(await tab.evaluate('typeof globalThis.hurt')).toBe('undefined')
  })
})
