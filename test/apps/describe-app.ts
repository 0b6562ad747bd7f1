import { describe, it } from 'vitest'
import { chromium } from '../support/browser.ts'
import { installed } from './installed.ts'

/** Milliseconds that a test of an application may take: browsers, generators and servers share the machine. */
const PATIENCE = 180_000

/** A suite about installed applications. Where they are missing, one skipped test stands for it. */
export function describeApp(name: string, suite: () => Promise<void>): void {
  describeWhere(installed, name, suite)
}

/** The same for what also needs a browser. */
export function describeInBrowser(name: string, suite: () => Promise<void>): void {
  describeWhere(installed && chromium !== null, name, suite)
}

/** `describe.skipIf` would run the body of the suite, which starts what is missing. */
function describeWhere(runnable: boolean, name: string, suite: () => Promise<void>): void {
  if (runnable) describe(name, { timeout: PATIENCE }, suite)
  else describe(name, () => it.skip('requires packages that are not installed', () => {}))
}
