import { describe, expect, it } from 'vitest'
import { accessibilityFaults } from '../support/accessibility.ts'
import { chromium } from '../support/browser.ts'
import { consoleTests, widthOf } from '../support/console.ts'
import { makeSdkApp } from '../support/sdk.ts'

const app = await makeSdkApp()
const visit = consoleTests()
const home = `/console/apps/${app.appId}/files`

/** An image of one pixel. */
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const SVG = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" onload="parent.hurt=1"><script>parent.hurt=1</script><rect width="9" height="9"/></svg>',
)
const HOSTILE = '"><img src=x onerror=hurt=1>.png'

const stored = async () =>
  (await app.request('GET', '/1.1/files', { master: true, query: { order: 'createdAt' } })).body.results as {
    readonly name: string
    readonly url: string
    readonly objectId: string
  }[]

describe.skipIf(chromium === null)('files in the console', { timeout: 60_000 }, () => {
  it('are uploaded several at once, previewed by type, and deleted with their bytes', async () => {
    const page = await visit()
    await page.goto(home)
    await page.getByText('No files yet').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await page
      .locator('input[type=file]')
      .first()
      .setInputFiles([
        { name: 'pixel.png', mimeType: 'image/png', buffer: PICTURE },
        { name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('<script>hurt=1</script> 你好') },
        { name: HOSTILE, mimeType: 'image/png', buffer: PICTURE },
        { name: 'drawing.svg', mimeType: 'image/svg+xml', buffer: SVG },
      ])
    await expect
      .poll(async () => (await stored()).map(({ name }) => name).sort())
      .toEqual([HOSTILE, 'drawing.svg', 'note.txt', 'pixel.png'].sort())
    for (const { name, url } of await stored())
      if (name === 'pixel.png') expect(Buffer.from(await (await fetch(url)).arrayBuffer())).toEqual(PICTURE)

    await page.getByRole('button', { name: /^note\.txt/ }).click()
    await page.getByRole('region', { name: 'Content of note.txt' }).getByText('<script>hurt=1</script> 你好').waitFor()
    expect(page.url()).toContain('file=')
    expect(await accessibilityFaults(page)).toEqual([])
    await page.keyboard.press('Escape')
    for (const name of [HOSTILE, 'drawing.svg']) {
      await page.getByRole('button', { name }).click()
      const picture = page.getByRole('img', { name: `Content of ${name}` })
      await picture.waitFor()
      await expect
        .poll(() => picture.evaluate((node: unknown) => (node as { naturalWidth: number }).naturalWidth))
        .toBeGreaterThan(0)
      await page.keyboard.press('Escape')
    }
    expect(await page.evaluate('window.hurt')).toBeUndefined()

    const kept = (await stored()).find(({ name }) => name === 'note.txt')!
    for (const name of [HOSTILE, 'drawing.svg', 'pixel.png'])
      await page.getByRole('checkbox', { name: `Select ${name}` }).check()
    await page.getByRole('button', { name: 'Delete 3 files' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByText('3 files deleted').waitFor()
    expect(await stored()).toMatchObject([{ objectId: kept.objectId }])
  })

  it('are dropped, searched by name, and cancelled during upload', async () => {
    const page = await visit()
    // Registered before the page loads: on an already loading page, requests can bypass the route.
    let isHeldUp = false
    await page.route('**/uploads/**', (route) => (isHeldUp ? undefined : route.continue()))
    await page.goto(home)
    const transfer = await page.evaluateHandle(
      `(() => { const transfer = new DataTransfer(); transfer.items.add(new File(['dropped'], 'dropped 100%.txt', { type: 'text/plain' })); return transfer })()`,
    )
    await page.getByTestId('drop-zone').dispatchEvent('drop', { dataTransfer: transfer })
    await page.getByRole('button', { name: /^dropped 100%\.txt/ }).waitFor()
    await page.getByRole('searchbox', { name: 'Search by name' }).fill('0%')
    await page.keyboard.press('Enter')
    await page.waitForURL('**name=0%25**')
    await page.getByRole('button', { name: /^dropped 100%\.txt/ }).waitFor()
    await page.getByRole('searchbox', { name: 'Search by name' }).fill('nowhere')
    await page.keyboard.press('Enter')
    await page.getByText('No matching files').waitFor()

    isHeldUp = true
    await page
      .locator('input[type=file]')
      .first()
      .setInputFiles([{ name: 'slow.bin', mimeType: 'application/zip', buffer: PICTURE }])
    await page.getByRole('button', { name: 'Cancel upload of slow.bin' }).click()
    await page.getByText(/^canceled/).waitFor()
    expect((await stored()).map(({ name }) => name)).not.toContain('slow.bin')
  })

  it('are read-only for readers, in Chinese, on narrow dark screens', async () => {
    await app.request('POST', '/1.1/files', { body: { name: 'elsewhere', url: 'javascript:alert(1)' }, master: true })
    await app.request('POST', '/1.1/files', {
      body: { name: 'outside.jpg', url: 'https://example.invalid/a.jpg' },
      master: true,
    })
    const page = await visit({ role: 'reader', apps: [app.appId], width: 375, locale: 'zh-CN', colorScheme: 'dark' })
    await page.goto(home)
    await page.getByRole('button', { name: /^outside\.jpg/ }).waitFor()
    expect(await page.getByRole('button', { name: '上传文件' }).count()).toBe(0)
    expect(await page.getByRole('checkbox').count()).toBe(0)
    expect(await accessibilityFaults(page)).toEqual([])
    expect(await widthOf(page)).toBeLessThanOrEqual(375)
    await page.getByRole('button', { name: /^outside\.jpg/ }).click()
    await page.getByRole('button', { name: '复制链接' }).waitFor()
    expect(await page.getByRole('button', { name: /删除/ }).count()).toBe(0)
    expect(await accessibilityFaults(page)).toEqual([])
    expect(await page.locator('[href^="javascript"], [src^="javascript"]').count()).toBe(0)
    const token = await page.request.post(`/admin/apps/${app.appId}/api/1.1/fileTokens`, { data: { name: 'x' } })
    expect(token.status()).toBe(403)
  })
})
