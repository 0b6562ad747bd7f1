import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { modules } from './installed.ts'

/** What pages load from elsewhere, and the installed file that stands for it. */
const ELSEWHERE: readonly (readonly [address: RegExp, file: string])[] = [
  [/\/leancloud-storage@3\/dist\/av-min\.js$/, 'leancloud-storage/dist/av-min.js'],
]

export interface Visitor {
  readonly page: Page
  /** What went wrong in the page so far: errors that nothing caught, and requests to this machine that failed. */
  readonly faults: string[]
}

/**
 * Somebody with a browser that knows nothing yet. What pages ask of other machines is answered from the installed
 * packages or not at all.
 * @param headers what all its requests carry, as if a proxy had added them
 */
export async function newVisitor(browser: Browser, headers: Readonly<Record<string, string>> = {}): Promise<Visitor> {
  const context = await browser.newContext({ locale: 'en-US', extraHTTPHeaders: headers })
  onTestFinished(() => context.close())
  await context.route(
    (url) => url.hostname !== '127.0.0.1',
    (route) => {
      const known = ELSEWHERE.find(([address]) => address.test(route.request().url()))
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
