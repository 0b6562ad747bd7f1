import { connect } from 'node:net'
import { describe, expect, inject, it } from 'vitest'
import { chromium } from '../support/browser.ts'
import { consoleTests } from '../support/console.ts'

const visit = consoleTests()

/** Sends a path unchanged, which `fetch` would resolve. @returns the response as text */
function rawGet(path: string): Promise<string> {
  const { hostname, port } = new URL(inject('serverUrl'))
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () =>
      socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\nConnection: close\r\n\r\n`),
    )
    let text = ''
    socket.setEncoding('utf8')
    socket.on('data', (part) => {
      text += part
    })
    socket.on('end', () => resolve(text))
    socket.on('error', reject)
  })
}

/** Bytes of compressed script that the first page may have. */
const MOST_SCRIPT = 400 * 1024

describe('what the server says of the console', () => {
  it.each(['/console', '/console/', '/console/apps/any/data', '/console/homeport.svg'])(
    '%s lets no other script run, and no other page show it',
    async (path) => {
      const { headers } = await fetch(inject('serverUrl') + path)
      const policy = headers.get('content-security-policy')!
      expect(policy).toContain("script-src 'self';")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).toContain("default-src 'none'")
      expect(headers.get('x-frame-options')).toBe('DENY')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('access-control-allow-origin')).toBeNull()
    },
  )

  it('files whose names change with their content are kept for a year, the page is asked for again', async () => {
    const page = await fetch(`${inject('serverUrl')}/console/`)
    expect(page.headers.get('cache-control')).toBe('no-cache')
    const [, script] = /src="(\/console\/assets\/[^"]+)"/.exec(await page.text())!
    const file = await fetch(inject('serverUrl') + script, { headers: { 'accept-encoding': 'br' } })
    expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(file.headers.get('content-encoding')).toBe('br')
  })

  it.each([
    '/console/../../package.json',
    '/console/%2e%2e/%2e%2e/package.json',
    '/console/assets/..%2f..%2f..%2fpackage.json',
  ])('%s leads out of the console no more than into it', async (path) => {
    const answer = await fetch(inject('serverUrl') + path)
    expect(await answer.text()).not.toContain('"dependencies"')
  })

  it.each([
    '/console/assets/..%2f..%2fx',
    '/console/assets/..%2f..%2f..%2fpackage.json',
    '/console/assets/%2e%2e%2f%2e%2e%2fx',
    '/console/assets/..%5c..%5cx',
    '/console/assets/a%00b.js',
    '/console/assets/%00',
    '/console/assets',
    '/console/assets/',
    '/console/assets/..',
    '/console/assets/.hidden',
    '/console/assets/none.js',
    '/console/assets/a/b.js',
    `/console/assets/${'a'.repeat(4000)}.js`,
    '/console/none.js',
  ])('%s is not found', async (path) => {
    const answer = await rawGet(path)
    expect(answer).toMatch(/^HTTP\/1.1 404 /)
    expect(answer).toContain('"error":')
  })

  it.each(['/console/%', '/console/assets/%zz', '/console/assets/%ff%fe', '/console/%c0%ae%c0%ae/', '//console/..%2f'])(
    '%s is no fault of the server',
    async (path) => {
      expect(await rawGet(path)).toMatch(/^HTTP\/1.1 (200|4\d\d) /)
    },
  )

  it('a client of the API that asks for / gets an error, a browser the console', async () => {
    const api = await fetch(`${inject('serverUrl')}/`, { redirect: 'manual' })
    expect(api.status).toBe(404)
    const browser = await fetch(`${inject('serverUrl')}/`, { redirect: 'manual', headers: { accept: 'text/html' } })
    expect(browser.status).toBe(302)
    expect(browser.headers.get('location')).toBe('/console/')
  })
})

describe.skipIf(chromium === null)('a hostile page', () => {
  it('reads no cookie, and another origin changes nothing with it', async () => {
    const page = await visit()
    await page.goto('/console/')
    await page.getByRole('heading', { name: 'Apps' }).waitFor()
    expect(await page.evaluate('document.cookie')).toBe('')
    const [cookie] = await page.context().cookies(`${inject('serverUrl')}/admin/me`)
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/admin' })

    // The cookie itself, as a page on another port of the same host would have it sent.
    const headers = { cookie: `${cookie!.name}=${cookie!.value}`, 'content-type': 'application/json' }
    const forged = await fetch(`${inject('serverUrl')}/admin/apps`, {
      method: 'POST',
      headers,
      body: '{"name":"forged"}',
    })
    expect(forged.status).toBe(403)
    const asForm = { ...headers, 'content-type': 'text/plain' }
    const tunnelled = await fetch(`${inject('serverUrl')}/admin/apps`, { method: 'POST', headers: asForm, body: '{}' })
    expect(tunnelled.status).toBe(415)
    const sameSite = { ...headers, 'sec-fetch-site': 'same-site' }
    expect((await fetch(`${inject('serverUrl')}/admin/apps`, { headers: sameSite })).status).toBe(403)
  })

  it('runs no script that it has brought into the page', async () => {
    const page = await visit({ expected: /Content Security Policy/ })
    await page.goto('/console/')
    await page.getByRole('heading', { name: 'Apps' }).waitFor()
    const ran = await page.evaluate(`new Promise((end) => {
      addEventListener('securitypolicyviolation', () => end(false), { once: true })
      globalThis.intrude = () => end(true)
      document.body.insertAdjacentHTML('beforeend', '<img src="/nowhere" onerror="intrude()">')
    })`)
    expect(ran).toBe(false)
  })

  it('cannot show the console in a frame', async () => {
    const page = await visit()
    await page.route('http://elsewhere.test/', (route) =>
      route.fulfill({ contentType: 'text/html', body: `<iframe src="${inject('serverUrl')}/console/"></iframe>` }),
    )
    await page.goto('http://elsewhere.test/')
    await expect.poll(() => page.frames()[1]?.url()).toMatch(/^chrome-error:/)
  })
})

describe.skipIf(chromium === null)('the first page', () => {
  it('has less than 400 KB of compressed script', async () => {
    const page = await visit()
    await page.goto('/console/')
    await page.getByRole('heading', { name: 'Apps' }).waitFor()
    const scripts = await page.evaluate<{ readonly name: string; readonly encodedBodySize: number }[]>(
      `performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js')).map(({ name, encodedBodySize }) => ({ name, encodedBodySize }))`,
    )
    expect(scripts.length).toBeGreaterThan(1)
    expect(scripts.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)).toBeLessThan(MOST_SCRIPT)
  })
})
