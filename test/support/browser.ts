import { type Browser, chromium as launcher } from 'playwright-core'
import { countCost } from './cost-counts.ts'
import { findProgram } from './find-program.ts'

/** The headless shell renders a page with two thirds of the CPU time. */
const NAMES = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
]
const MACOS_APPS = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

/**
 * The installed browser for tests: HOMEPORT_TEST_BROWSER, else Chromium or Chrome in their usual locations. null: not installed,
 * and tests that need it are skipped.
 */
export const chromium: string | null = findProgram('HOMEPORT_TEST_BROWSER', NAMES, MACOS_APPS)

if (chromium === null) {
  console.warn(
    'Tests in a browser are skipped: no Chromium was found. Install one (Debian: apt-get install chromium-headless-shell; macOS: brew install --cask chromium), or let HOMEPORT_TEST_BROWSER name the file of a Chromium or Chrome.',
  )
}

/**
 * Starts the browser headless, and closes it at `atEnd` (vitest's `afterAll`). Tests that use it must be in
 * `describe.skipIf(chromium === null)`.
 * @throws Error when `chromium` is null
 */
export async function openBrowser(atEnd: (end: () => Promise<void>) => void): Promise<Browser> {
  if (chromium === null) throw new Error('There is no browser to open.')
  countCost('browsers')
  // The sandbox requires rights that root in a container lacks. Only the server's own pages are opened.
  const browser = await launcher.launch({ executablePath: chromium, args: ['--no-sandbox'] })
  atEnd(() => browser.close())
  return browser
}
