import { afterAll, it } from 'vitest'
import { chromium, openBrowser } from '../../support/browser.ts'
import { fileOf, pagesOf } from './environment.ts'
import { testStorage } from './storage-cases.ts'
import { BROWSER_STORAGE_VERSIONS } from './storage-versions.ts'

if (chromium === null) it.skip('leancloud-storage in a browser')
else {
  const openPage = await pagesOf(await openBrowser(afterAll), afterAll)
  for (const version of BROWSER_STORAGE_VERSIONS) {
    await testStorage(version, 'in a browser', () => openPage([fileOf(version.name, version.browser)]))
  }
}
