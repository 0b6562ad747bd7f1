import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { chromium, openBrowser } from '../../../test/support/browser.ts'
import { Html } from './html.ts'
import { type Language, languageOf } from './language.ts'
import { linkInvalidPage } from './link-invalid-page.ts'
import { PAGE_HEADERS, page } from './page.ts'
import { passwordChangedPage, resetPasswordPage } from './reset-password-page.ts'
import { emailVerifiedPage } from './verify-email-page.ts'

const LANGUAGES: readonly Language[] = ['zh-CN', 'en']
const EVIL = `</title><script>alert("'&'")</script>`
const SAFE = '&lt;/title&gt;&lt;script&gt;alert(&quot;&#39;&amp;&#39;&quot;)&lt;/script&gt;'

/** A name too long for one line. */
const LONG = 'Notes'.repeat(30)

/** Every page, created with one text for all values. */
const pages: Readonly<Record<string, (language: Language, value: string) => string>> = {
  reset: (language, value) => resetPasswordPage(language, { appName: value, username: value }),
  ...Object.fromEntries(
    (['blank', 'different', 'long'] as const).map((fault) => [
      fault,
      (language: Language, value: string) => resetPasswordPage(language, { appName: value, username: value, fault }),
    ]),
  ),
  changed: passwordChangedPage,
  resetInvalid: (language) => linkInvalidPage(language, 'reset'),
  verificationInvalid: (language) => linkInvalidPage(language, 'verification'),
  verified: (language, value) => emailVerifiedPage(language, { appName: value, email: value }),
}

describe.each(Object.entries(pages))('the page %s', (_, make) => {
  it('shows every value as text, never as HTML', () => {
    for (const language of LANGUAGES) {
      const evil = make(language, EVIL)
      expect(evil).not.toContain('<script')
      expect(evil.replaceAll(SAFE, 'Notes')).toBe(make(language, 'Notes'))
    }
  })

  it('has all texts in both languages', () => {
    const [chinese, english] = LANGUAGES.map((language) => saidBy(make(language, '7')))
    expect(chinese!.tags).toEqual(english!.tags)
    for (const text of chinese!.texts) expect(text).toMatch(/\p{Script=Han}|^[7。，]$/u)
    for (const text of english!.texts) expect(text).not.toMatch(/\p{Script=Han}/u)
  })

  it('has one heading, no script, and a link to the other language', () => {
    for (const [language, other] of [LANGUAGES, LANGUAGES.toReversed()] as [Language, Language][]) {
      const shown = make(language, 'Notes')
      expect(shown).toMatch(new RegExp(`^<!doctype html>\n<html lang="${language}">`))
      expect(shown.split('<h1>')).toHaveLength(2)
      expect(shown).toContain(`<a href="?lang=${other}" lang="${other}"`)
      expect(shown).not.toMatch(/<script|<link|<img|\ssrc=|\son\w+=|\sstyle=|https?:/)
    }
  })
})

/**
 * Returns the texts of a page from its title to the link at its end, and its tags; the order of values in a sentence
 * may differ.
 */
function saidBy(shown: string): { texts: string[]; tags: string[] } {
  const [, said] = /(<title>.*)<footer>/s.exec(shown.replace(/<style>.*<\/style>/s, ''))!
  const texts = said!.split(/<[^>]*>/).map((text) => text.trim())
  return { texts: texts.filter((text) => text !== ''), tags: said!.match(/<\w+/g)!.sort() }
}

const browser = chromium === null ? null : await openBrowser(afterAll)

describe.skipIf(browser === null)('in a browser', () => {
  const posted: string[] = []
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://localhost')
    const make = pages[pathname.split('/')[1]!] ?? attacked
    request.setEncoding('utf8').on('data', (chunk: string) => posted.push(`${request.url} ${chunk}`))
    request.on('end', () => {
      response.writeHead(200, PAGE_HEADERS)
      response.end(make(languageOf(searchParams.get('lang'), request.headers['accept-language']), LONG))
    })
  })
  let url: string
  beforeAll(async () => {
    await once(server.listen(0, 'localhost'), 'listening')
    url = `http://localhost:${(server.address() as AddressInfo).port}`
    return () => server.close()
  })

  /** Opens a page as on a small phone, in the language, with or without scripts. */
  async function open(path: string, language: Language, javaScriptEnabled = true): Promise<Page> {
    const viewport = { width: 320, height: 568 }
    const context = await browser!.newContext({ viewport, locale: language, javaScriptEnabled })
    onTestFinished(() => context.close())
    const opened = await context.newPage()
    await opened.goto(url + path)
    return opened
  }

  it.each(Object.keys(pages))(
    'fits the page %s on a small phone, and the browser blocks nothing of it',
    async (name) => {
      for (const language of LANGUAGES) {
        const opened = await open(`/${name}`, language)
        const complaints: string[] = []
        opened.on('console', (message) => complaints.push(message.text()))
        await opened.reload()
        expect(complaints).toEqual([])
        expect(await opened.evaluate('document.documentElement.scrollWidth')).toBe(320)
        expect(await opened.evaluate('getComputedStyle(document.querySelector("main")).borderTopLeftRadius')).toBe(
          '20px',
        )
        expect(await opened.locator('html').getAttribute('lang')).toBe(language)
      }
    },
  )

  it('blocks a script or a style injected into a page', async () => {
    const opened = await open('/attacked', 'en')
    expect(await opened.title()).toBe('Safe')
    expect(await opened.evaluate('getComputedStyle(document.querySelector("h1")).display')).toBe('block')
  })

  it('labels the fields of the form, and sends the passwords and the language to its own address', async () => {
    const opened = await open('/reset/secret?lang=en', 'zh-CN', false)
    await opened.getByLabel('New password').fill('a & 密码')
    await opened.getByLabel('Confirm password').fill('other')
    await opened.getByRole('button').click()
    await opened.waitForLoadState()
    expect(posted).toHaveLength(1)
    const [address, form] = posted[0]!.split(' ')
    expect(address).toBe('/reset/secret?lang=en')
    expect([...new URLSearchParams(form)]).toEqual([
      ['lang', 'en'],
      ['password', 'a & 密码'],
      ['confirmation', 'other'],
    ])
  })

  it('uses at least 16 pixels for input, because iPhones zoom in below that', async () => {
    const opened = await open('/reset', 'en')
    const fields = '[...document.querySelectorAll("input:not([hidden])")]'
    const sizes = await opened.evaluate(`${fields}.map((field) => parseFloat(getComputedStyle(field).fontSize))`)
    for (const size of sizes as number[]) expect(size).toBeGreaterThanOrEqual(16)
  })

  it('shows an error as an alert, and marks the fields concerned', async () => {
    const opened = await open('/different', 'en')
    expect(await opened.getByRole('alert').innerText()).toMatch(/do not match/)
    for (const label of ['New password', 'Confirm password']) {
      expect(await opened.getByLabel(label).getAttribute('aria-describedby')).toBe('fault')
    }
  })

  it('links to the same page in the other language', async () => {
    const opened = await open('/verified/secret', 'en')
    await opened.getByRole('link', { name: '简体中文' }).click()
    await opened.waitForURL(`${url}/verified/secret?lang=zh-CN`)
    expect(await opened.getByRole('heading').innerText()).toBe('邮箱已验证')
  })
})

/** A page with injected content that `html` would have escaped. */
function attacked(language: Language): string {
  return page(
    language,
    'Safe',
    new Html('<h1 style="display:none">Safe</h1><script>document.title = "taken over"</script>'),
  )
}
