import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { modules } from './installed.ts'

/** External URLs loaded by pages, and the installed file that replaces each. */
const REPLACED_HOSTS: readonly (readonly [address: RegExp, file: string])[] = [
  [/\/leancloud-storage@3\/dist\/av-min\.js$/, 'leancloud-storage/dist/av-min.js'],
]

export interface Visitor {
  readonly page: Page
  /** Errors in the page so far: uncaught exceptions, and failed requests to this machine. */
  readonly faults: string[]
}

/**
 * Opens a browser context without stored data. Requests to other machines get the installed packages or are blocked.
 * @param headers added to all its requests, as a proxy would add them
 */
export async function newVisitor(browser: Browser, headers: Readonly<Record<string, string>> = {}): Promise<Visitor> {
  const context = await browser.newContext({ locale: 'en-US', extraHTTPHeaders: headers })
  onTestFinished(() => context.close())
  await context.route(
    (url) => url.hostname !== '127.0.0.1',
    (route) => {
      const known = REPLACED_HOSTS.find(([address]) => address.test(route.request().url()))
      return known ? route.fulfill({ path: join(modules, known[1]) }) : route.abort()
    },
  )
  const faults: string[] = []
  const page = await context.newPage()
  page.on('pageerror', (error) => faults.push(String(error)))
  page.on('requestfailed', (request) => {
    if (new URL(request.url()).hostname === '127.0.0.1') faults.push(`${request.url()} ${request.failure()?.errorText}`)
  })
  return { page, faults }
}
