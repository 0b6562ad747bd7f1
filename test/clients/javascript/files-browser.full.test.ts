import { afterAll, expect, it } from 'vitest'
import { bytesFrom } from '../../files/source.ts'
import { makeApp } from '../../support/app.ts'
import { chromium, openBrowser } from '../../support/browser.ts'
import { fileOf, pagesOf } from './environment.ts'
import { type FileForms, type Form, testFiles } from './storage-files.ts'
import { BROWSER_STORAGE_VERSIONS, NEWEST_STORAGE } from './storage-versions.ts'

const MEGABYTE = 1024 * 1024

const FORMS: FileForms = {
  usual: 'file',
  uploads({ major }, provider) {
    const rows: [Form, number][] = [
      ['file', 1],
      ['file', 5_000_001],
      ['array', 1000],
      ['base64', 1000],
      ['data URI', 1000],
    ]
    if (major >= 3) rows.push(['blob', 0], ['blob', 1000])
    if (provider === null && major === 4) rows.push(['blob', 64 * MEGABYTE])
    return rows
  },
}

if (chromium === null) it.skip('files of leancloud-storage in a browser')
else {
  const openPage = await pagesOf(await openBrowser(afterAll), afterAll)
  for (const version of BROWSER_STORAGE_VERSIONS) {
    const { name, browser, major } = version
    const providers = major < 3 ? ['s3', 'qcloud'] : ['s3', 'qiniu', 'qcloud']
    await testFiles(version, 'in a browser', () => openPage([fileOf(name, browser)]), FORMS, providers)
  }

  it.each(['s3', 'qiniu'])('a page receives upload progress, as one of %s', async (provider) => {
    const { admin, url, appId, appKey } = await makeApp()
    await admin('PATCH', '/settings', { files: { provider } })
    const page = await openPage([fileOf(NEWEST_STORAGE.name, NEWEST_STORAGE.browser)])
    await page.run(NEWEST_STORAGE.init, { url, appId, appKey })
    const { progress, place } = (await page.run(async (AV, _, { bytes }) => {
      const progress: { loaded: number; total: number }[] = []
      const file = new AV.File('a.bin', new Blob([bytes(3_000_000)]))
      await file.save({
        onprogress: ({ loaded, total }: { loaded: number; total: number }) => progress.push({ loaded, total }),
      })
      return { progress, place: file.url() }
    }, {})) as { progress: { loaded: number; total: number }[]; place: string }
    const last = progress.at(-1)!
    // Forms are slightly larger than their file.
    expect(last.loaded).toBeGreaterThanOrEqual(3_000_000)
    expect(last.loaded).toBe(last.total)
    const fetched = Buffer.from(await (await fetch(place)).arrayBuffer())
    expect(fetched.equals(bytesFrom(0, 3_000_000))).toBe(true)
  })

  it('a page of another origin reads the bytes of a file', async () => {
    const { url, appId, appKey } = await makeApp()
    const page = await openPage([fileOf(NEWEST_STORAGE.name, NEWEST_STORAGE.browser)])
    await page.run(NEWEST_STORAGE.init, { url, appId, appKey })
    const read = await page.run(async (AV) => {
      const file = new AV.File('a.txt', new Blob(['a text']))
      await file.save()
      return (await fetch(file.url())).text()
    }, {})
    expect(read).toBe('a text')
  })
}
