import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, inject, onTestFinished } from 'vitest'
import { openBrowser } from './browser.ts'

type Role = 'owner' | 'administrator' | 'reader'

interface Visit {
  /** The role of the administrator and its apps; defaults to an owner of all. */
  readonly role?: Role
  readonly apps?: readonly string[]
  /** The preferred language of the browser. */
  readonly locale?: 'en' | 'zh-CN'
  /** Pixels */
  readonly width?: number
  readonly height?: number
  readonly colorScheme?: 'light' | 'dark'
  /** Errors the test causes on purpose, which are not reported. */
  readonly expected?: RegExp
}

/**
 * Calls the management API with the administrator token.
 * @throws Error when it rejects the request
 */
export async function administrate<T>(method: string, path: string, body?: unknown): Promise<T> {
  const response = await fetch(inject('serverUrl') + path, {
    method,
    headers: { authorization: `Bearer ${inject('adminToken')}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
  return JSON.parse(text) as T
}

/**
 * Creates an administrator, and removes it when the test ends.
 * @returns the one-time login link, relative to the server's URL
 */
export async function newAdministrator({ role = 'owner', apps }: Visit = {}): Promise<{ id: string; link: string }> {
  const name = `visitor ${crypto.randomUUID()}`
  const { administrator, link } = await administrate<{ administrator: { id: string }; link: { token: string } }>(
    'POST',
    '/admin/administrators',
    { name, role, apps: apps ?? null },
  )
  onTestFinished(async () => {
    await administrate('DELETE', `/admin/administrators/${administrator.id}`)
  })
  return { id: administrator.id, link: `${inject('serverUrl')}/console/enter#${link.token}` }
}

let browser: Promise<Browser> | undefined

/** Starts the browser at its first use, and closes it with the test file. Must be called at the top level of the file. */
export function consoleTests(): (visit?: Visit) => Promise<Page> {
  afterAll(async () => {
    await (await browser)?.close()
    browser = undefined
  })
  return async (visit = {}) => {
    browser ??= openBrowser(() => {})
    return enter(await browser, visit)
  }
}

/**
 * Opens an empty page in a logged in browser context. The test navigates itself, because each load of the console costs half a
 * second of CPU time. Script errors and content policy violations fail the test.
 */
async function enter(opened: Browser, visit: Visit): Promise<Page> {
  const { locale = 'en', width = 1440, height = 900, colorScheme = 'light', expected } = visit
  const context = await opened.newContext({
    baseURL: inject('serverUrl'),
    locale,
    timezoneId: 'UTC',
    viewport: { width, height },
    colorScheme,
    // Elements that move between pressing and releasing a button are not clicked.
    reducedMotion: 'reduce',
    acceptDownloads: true,
  })
  const page = await context.newPage()
  const allFaults = faultsOf(page)
  onTestFinished(async () => {
    await context.close()
    const faults = allFaults.filter((fault) => !expected?.test(fault))
    if (faults.length > 0) throw new Error(`The console had faults:\n${faults.join('\n')}`)
  })
  await logIn(context, visit)
  return page
}

/** Logs in by a link, without the page that asks for a password. */
async function logIn(context: BrowserContext, visit: Visit): Promise<void> {
  const { link } = await newAdministrator(visit)
  const answer = await context.request.post('/admin/login/link', { data: { token: link.slice(link.indexOf('#') + 1) } })
  if (!answer.ok()) throw new Error(`The link was refused: ${answer.status()} ${await answer.text()}`)
}

/** Collects errors of a page. Rejections of the server are shown on the page and do not count. */
export function faultsOf(page: Page): string[] {
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(String(error.stack ?? error)))
  page.on('console', (message) => {
    if (message.type() === 'error' && !/Failed to load resource/.test(message.text())) faults.push(message.text())
  })
  return faults
}

/** Returns the width of the page content in pixels: more than the screen's when it scrolls horizontally. */
export function widthOf(page: Page): Promise<number> {
  return page.evaluate<number>(`Math.max(
    document.documentElement.scrollWidth, ...[...document.querySelectorAll('.console-page')].map((page) => page.scrollWidth))`)
}

/** Headers that distinguish a console script from a link or an image. */
export const FETCHED = { 'x-requested-with': 'fetch' }
