import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, inject, onTestFinished } from 'vitest'
import { openBrowser } from './browser.ts'

type Role = 'owner' | 'administrator' | 'reader'

interface Visit {
  /** Who enters, and into which apps; an owner of everything where it is not said. */
  readonly role?: Role
  readonly apps?: readonly string[]
  /** The language that the browser prefers. */
  readonly locale?: 'en' | 'zh-CN'
  /** Pixels */
  readonly width?: number
  readonly height?: number
  readonly colorScheme?: 'light' | 'dark'
  /** What the test brings about, and is no fault therefore. */
  readonly expected?: RegExp
}

/** Calls the management API with the administrator's token. @throws Error when it refuses */
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

/** A new administrator, who is gone when the test ends. @returns the link that lets in once, below the server's URL */
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

/** To be called at the top level of a test file: starts the browser when it is first used, and ends it with the file. */
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
 * An empty page in a browser of its own that is logged in; where it goes is up to the test, as each load of the console
 * costs half a second of a processor. Faults of scripts and refusals of the content policy fail the test.
 */
async function enter(opened: Browser, visit: Visit): Promise<Page> {
  const { locale = 'en', width = 1440, height = 900, colorScheme = 'light', expected } = visit
  const context = await opened.newContext({
    baseURL: inject('serverUrl'),
    locale,
    timezoneId: 'UTC',
    viewport: { width, height },
    colorScheme,
    // What moves between the press of a button and its release is not clicked.
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

/** By a link, without the page that asks for a password. */
async function logIn(context: BrowserContext, visit: Visit): Promise<void> {
  const { link } = await newAdministrator(visit)
  const answer = await context.request.post('/admin/login/link', { data: { token: link.slice(link.indexOf('#') + 1) } })
  if (!answer.ok()) throw new Error(`The link was refused: ${answer.status()} ${await answer.text()}`)
}

/** What goes wrong in a page. What the server refuses is shown on the page and is no fault of it. */
export function faultsOf(page: Page): string[] {
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(String(error.stack ?? error)))
  page.on('console', (message) => {
    if (message.type() === 'error' && !/Failed to load resource/.test(message.text())) faults.push(message.text())
  })
  return faults
}

/** The width of all that a page shows, in pixels: more than the screen's where it has to be scrolled sideways. */
export function widthOf(page: Page): Promise<number> {
  return page.evaluate<number>(`Math.max(
    document.documentElement.scrollWidth, ...[...document.querySelectorAll('.console-page')].map((page) => page.scrollWidth))`)
}

/** Headers by which the server tells a script of the console from a link or a picture. */
export const FETCHED = { 'x-requested-with': 'fetch' }
