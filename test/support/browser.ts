import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, chromium as launcher } from 'playwright-core'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome']
const MACOS_APPS = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

/**
 * The installed browser that tests use: what HOMEPORT_TEST_BROWSER names, else Chromium or Chrome where they usually
 * are. null: there is none, and tests that need one are skipped.
 */
export const chromium: string | null = findBrowser(process.env)

if (chromium === null) {
  console.warn(
    'Tests in a browser are skipped: no Chromium was found. Install one (Debian: apt-get install chromium; macOS: brew install --cask chromium), or let HOMEPORT_TEST_BROWSER name the file of a Chromium or Chrome.',
  )
}

/** @throws Error when the browser that was asked for by name is not there: its tests must not be skipped silently */
function findBrowser(environment: NodeJS.ProcessEnv): string | null {
  const named = environment.HOMEPORT_TEST_BROWSER
  if (named) {
    if (isProgram(named)) return named
    throw new Error(`HOMEPORT_TEST_BROWSER names ${named}, which is not a program.`)
  }
  const directories = (environment.PATH ?? '').split(delimiter).filter((directory) => directory !== '')
  const usual = NAMES.flatMap((name) => directories.map((directory) => join(directory, name)))
  return [...usual, ...MACOS_APPS].find(isProgram) ?? null
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/**
 * Starts the browser without a window. It is closed when `atEnd` (vitest's `afterAll`) comes. Tests that use it stand in
 * `describe.skipIf(chromium === null)`.
 * @throws Error when `chromium` is null
 */
export async function openBrowser(atEnd: (end: () => Promise<void>) => void): Promise<Browser> {
  if (chromium === null) throw new Error('There is no browser to open.')
  // The sandbox would need rights that root in a container does not have. Only our own pages are opened.
  const browser = await launcher.launch({ executablePath: chromium, args: ['--no-sandbox'] })
  atEnd(() => browser.close())
  return browser
}
