import { connect } from 'node:net'
import { describe, expect, inject, it } from 'vitest'
import { chromium } from '../support/browser.ts'
import { consoleTests } from '../support/console.ts'

const visit = consoleTests()

/**
 * Sends a path unchanged, which `fetch` would normalize.
 * @returns the response as text
 */
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

/** The sources that directives allow besides the console's own origin: no host, and no scheme that reaches another host. */
const SOURCES: { readonly [directive: string]: readonly string[] } = {
  'style-src': ["'unsafe-inline'"],
  'img-src': ['data:'],
  'font-src': ['data:'],
}

/** The maximum of compressed script bytes on the first page. */
const MAX_SCRIPT = 400 * 1024

describe('response headers of the console', () => {
  it.each(['/console', '/console/', '/console/apps/any/data', '/console/homeport.svg'])(
    '%s allows no foreign scripts, loads only from this server, and cannot be framed by other pages',
    async (path) => {
      const { headers } = await fetch(inject('serverUrl') + path)
      const policy = headers.get('content-security-policy')!
      expect(policy).toContain("script-src 'self';")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).toContain("default-src 'none'")
      for (const directive of policy.split('; ')) {
        const [name, ...sources] = directive.split(' ')
        const allowed = ["'none'", "'self'", ...(SOURCES[name!] ?? [])]
        for (const source of sources) expect(allowed, directive).toContain(source)
      }
      expect(headers.get('referrer-policy')).toBe('no-referrer')
      expect(headers.get('cross-origin-opener-policy')).toBe('same-origin')
      expect(headers.get('x-frame-options')).toBe('DENY')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('access-control-allow-origin')).toBeNull()
    },
  )

  it('caches content-hashed files for a year and revalidates the page', async () => {
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
  ])('%s does not lead outside the console', async (path) => {
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
  ])('%s returns 404', async (path) => {
    const answer = await rawGet(path)
    expect(answer).toMatch(/^HTTP\/1.1 404 /)
    expect(answer).toContain('"error":')
  })

  it.each(['/console/%', '/console/assets/%zz', '/console/assets/%ff%fe', '/console/%c0%ae%c0%ae/', '//console/..%2f'])(
    '%s is not a server error',
    async (path) => {
      expect(await rawGet(path)).toMatch(/^HTTP\/1.1 (200|4\d\d) /)
    },
  )

  it('an API client that requests / gets an error; a browser gets the console', async () => {
    const api = await fetch(`${inject('serverUrl')}/`, { redirect: 'manual' })
    expect(api.status).toBe(404)
    const browser = await fetch(`${inject('serverUrl')}/`, { redirect: 'manual', headers: { accept: 'text/html' } })
    expect(browser.status).toBe(302)
    expect(browser.headers.get('location')).toBe('/console/')
  })
})

describe('response headers of the API', () => {
  it.each(['/admin/me', '/admin/apps', '/admin/none'])(
    'no page of another origin can embed %s, frame it or learn its URL',
    async (path) => {
      const { headers } = await fetch(inject('serverUrl') + path)
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
      expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'")
      expect(headers.get('x-frame-options')).toBe('DENY')
      expect(headers.get('referrer-policy')).toBe('no-referrer')
      expect(headers.get('cache-control')).toContain('no-store')
    },
  )

  it.each(['/1.1/date', '/1.1/classes/Post', '/health', '/metrics', '/admin/me', '/none'])(
    'no browser sniffs %s as another type',
    async (path) => {
      const { headers } = await fetch(inject('serverUrl') + path)
      expect(headers.get('x-content-type-options')).toBe('nosniff')
    },
  )
})

describe.skipIf(chromium === null)('a hostile page', () => {
  it('reads no cookies and changes nothing from another origin', async () => {
    const page = await visit()
    await page.goto('/console/')
    await page.getByRole('heading', { name: 'Apps' }).waitFor()
    expect(await page.evaluate('document.cookie')).toBe('')
    const [cookie] = await page.context().cookies(`${inject('serverUrl')}/admin/me`)
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/admin' })

    // Sends the cookie explicitly, as a browser would for a page on another port of the same host.
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

  it('runs no injected script', async () => {
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

  it('loads nothing from another host and starts no worker', async () => {
    const page = await visit({ expected: /Content Security Policy|violates/ })
    const requested: string[] = []
    await page.context().route(/elsewhere\.test/, (route) => {
      requested.push(route.request().url())
      return route.abort()
    })
    await page.goto('/console/')
    await page.getByRole('heading', { name: 'Apps' }).waitFor()
    const elements = {
      'img-src': '<img src="http://elsewhere.test/a.png">',
      'media-src': '<audio src="http://elsewhere.test/a.mp3" preload="auto"></audio>',
      'style-src-elem': '<link rel="stylesheet" href="http://elsewhere.test/a.css">',
      'frame-src': '<iframe src="http://elsewhere.test/"></iframe>',
      'object-src': '<object data="http://elsewhere.test/a.pdf"></object>',
    }
    for (const [directive, element] of Object.entries(elements)) {
      const refused = page.evaluate(`new Promise((end) => {
        addEventListener('securitypolicyviolation', (event) => end(event.effectiveDirective), { once: true })
        document.body.insertAdjacentHTML('beforeend', ${JSON.stringify(element)})
      })`)
      expect(await refused, element).toBe(directive)
    }
    for (const call of [
      `fetch('http://elsewhere.test/')`,
      `navigator.serviceWorker.register('/console/assets/none.js')`,
      `new Promise((end, fail) => { new Worker(URL.createObjectURL(new Blob(['']))).onerror = fail })`,
    ])
      expect(await page.evaluate<string>(`(async () => ${call})().then(() => 'done', () => 'refused')`), call).toBe(
        'refused',
      )
    expect(requested).toEqual([])
  })

  it('cannot frame the console', async () => {
    const page = await visit()
    await page.route('http://elsewhere.test/', (route) =>
      route.fulfill({ contentType: 'text/html', body: `<iframe src="${inject('serverUrl')}/console/"></iframe>` }),
    )
    await page.goto('http://elsewhere.test/')
    await expect.poll(() => page.frames()[1]?.url()).toMatch(/^chrome-error:/)
  })
})

describe.skipIf(chromium === null)('the first page', () => {
  it('contains less than 400 KB of compressed script', async () => {
    const page = await visit()
    await page.goto('/console/')
    await page.getByRole('heading', { name: 'Apps' }).waitFor()
    const scripts = await page.evaluate<{ readonly name: string; readonly encodedBodySize: number }[]>(
      `performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js')).map(({ name, encodedBodySize }) => ({ name, encodedBodySize }))`,
    )
    expect(scripts.length).toBeGreaterThan(1)
    expect(scripts.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)).toBeLessThan(MAX_SCRIPT)
  })
})
