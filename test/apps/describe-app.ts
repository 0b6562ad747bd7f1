import { describe, it } from 'vitest'
import { chromium } from '../support/browser.ts'
import { installed } from './installed.ts'

/** Timeout of a test of an application, in milliseconds: browsers, generators and servers share the machine. */
const TIMEOUT_MS = 180_000

/** Declares a suite about installed applications; one skipped test replaces it when they are missing. */
export function describeApp(name: string, suite: () => Promise<void>): void {
  describeWhere(installed, name, suite)
}

/** Declares a suite that also requires a browser. */
export function describeInBrowser(name: string, suite: () => Promise<void>): void {
  describeWhere(installed && chromium !== null, name, suite)
}

/**
 * Declares a suite or a skipped test. `describe.skipIf` would still run the body of the suite, which starts the missing
 * applications.
 */
function describeWhere(runnable: boolean, name: string, suite: () => Promise<void>): void {
  if (runnable) describe(name, { timeout: TIMEOUT_MS }, suite)
  else describe(name, () => it.skip('requires packages that are not installed', () => {}))
}
