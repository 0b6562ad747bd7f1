import { fileURLToPath } from 'node:url'
import { testAppsAreInstalled } from '../../scripts/install-test-apps.mjs'

/** Whether the applications of test/apps/packages are there. Tests of them are skipped where they are not. */
export const installed = testAppsAreInstalled()

if (!installed) {
  console.warn('Tests of applications are skipped: they are not installed. Run: node scripts/install-test-apps.mjs')
}

/** Where the applications and what they need are installed. */
export const modules = fileURLToPath(new URL('./packages/node_modules', import.meta.url))
