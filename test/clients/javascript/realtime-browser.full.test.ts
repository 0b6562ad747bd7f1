import { afterAll, it } from 'vitest'
import { chromium, openBrowser } from '../../support/browser.ts'
import { fileOf, pagesOf } from './environment.ts'
import { testRealtime } from './realtime-cases.ts'
import { OUTER_REALTIME_VERSIONS } from './realtime-versions.ts'

if (chromium === null) it.skip('leancloud-realtime in a browser')
else {
  const openPage = await pagesOf(await openBrowser(afterAll), afterAll)
  for (const version of OUTER_REALTIME_VERSIONS) {
    const { name, browser } = version
    await testRealtime(version, 'in a browser', afterAll, () => openPage([fileOf(name, browser)]))
  }
}
