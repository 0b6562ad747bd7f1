import { fileURLToPath } from 'node:url'
import { testAppsAreInstalled } from '../../scripts/install-test-apps.mjs'

/** Whether the applications of test/apps/packages are installed. Their tests are skipped otherwise. */
export const installed = testAppsAreInstalled()

if (!installed) {
  console.warn('Tests of applications are skipped: they are not installed. Run: node scripts/install-test-apps.mjs')
}

/** The directory of the installed applications and their dependencies. */
export const modules = fileURLToPath(new URL('./packages/node_modules', import.meta.url))
