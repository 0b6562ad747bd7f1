import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { accessibilityFaults } from '../support/accessibility.ts'
import { chromium } from '../support/browser.ts'
import { consoleTests } from '../support/console.ts'
import { makeSdkApp } from '../support/sdk.ts'

const app = await makeSdkApp()
const visit = consoleTests()

const data = (className: string, search = '') => `/console/apps/${app.appId}/data/${className}${search}`

/** Opens an item of the import and export menu. */
const open = async (page: Page, item: string) => {
  await page.getByRole('button', { name: 'Import / Export' }).click()
  await page.locator('.ant-dropdown').getByRole('menuitem', { name: item }).click()
  await page.getByRole('dialog').waitFor()
}

/** Returns the file saved when the dialog is confirmed. */
const exported = async (page: Page): Promise<string> => {
  const saved = page.waitForEvent('download')
  await page.getByRole('dialog').getByRole('button', { name: 'Export', exact: true }).click()
  return readFile((await (await saved).path())!, 'utf8')
}

const importText = async (page: Page, name: string, text: string) => {
  await open(page, 'Import')
  await page
    .locator('.ant-upload input[type=file]')
    .setInputFiles([{ name, mimeType: 'text/csv', buffer: Buffer.from(text) }])
}

const all = async (className: string) =>
  (await app.request('GET', `/1.1/classes/${className}`, { master: true, query: { returnACL: 'true' } })).body
    .results as Record<string, unknown>[]

describe.skipIf(chromium === null)('import and export in the console', { timeout: 60_000 }, () => {
  it('CSV that is exported and reimported recreates the same objects', async () => {
    const user = await app.makeUser('owner')
    for (const [n, text] of ['plain', 'with "quotes", commas\nand lines', '=1+1', '  spaces  ', '0123'].entries())
      await app.request('POST', '/1.1/classes/Trip', {
        body: {
          text,
          n: n - 1.5,
          yes: n % 2 === 0,
          when: { __type: 'Date', iso: '2026-01-31T10:20:30.456Z' },
          list: [1, 'two', { three: 3 }],
          object: { deep: ['你好'] },
          author: { __type: 'Pointer', className: '_User', objectId: user.id },
          place: { __type: 'GeoPoint', latitude: 39.9, longitude: 116.4 },
          ACL: { [user.id]: { read: true } },
        },
      })
    const before = await all('Trip')
    const page = await visit()
    await page.goto(data('Trip'))
    await open(page, 'Export')
    const csv = await exported(page)
    expect(csv.split('\r\n')[1]!.split(',').sort()).toEqual(
      'ACL,author,createdAt,list,n,object,objectId,place,text,updatedAt,when,yes'.split(','),
    )
    expect((await app.admin('DELETE', '/classes/Trip/objects')).body.removed).toBe(5)
    await importText(page, 'Trip.csv', csv)
    await page.getByText('Trip.csv is a CSV file').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByRole('dialog').getByRole('button', { name: 'Import', exact: true }).click()
    await page.getByText('The whole file was imported').waitFor()
    const byId = (objects: Record<string, unknown>[]) =>
      objects.sort((a, b) => String(a.objectId).localeCompare(String(b.objectId)))
    expect(byId(await all('Trip'))).toEqual(byId(before))
  })

  it('detects the types of untyped columns and lists rejected rows in a file', async () => {
    await app.request('POST', '/1.1/classes/Shop', { body: { code: 'first', stock: 1 } })
    const page = await visit()
    await page.goto(data('Shop'))
    await importText(page, 'shop.csv', 'code,stock,open,since\n0123,5,true,2026-01-31\n0456,many,false,2026-02-01\n')
    await page.getByText('shop.csv is a CSV file').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Import', exact: true }).click()
    await page.getByText('Some records were rejected').waitFor()
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download' }).click()
    const lines = (await readFile((await (await saved).path())!, 'utf8')).trim().split('\n')
    expect(lines).toHaveLength(2)
    expect(JSON.parse(lines[1]!)).toMatchObject({ className: 'Shop', reason: expect.stringContaining('stock') })
    const since = { __type: 'Date', iso: '2026-01-31T00:00:00.000Z' }
    expect(await all('Shop')).toContainEqual(expect.objectContaining({ code: '0123', stock: 5, open: true, since }))
  })

  it('exports filtered or selected objects as JSON', async () => {
    for (let n = 0; n < 4; n++) await app.request('POST', '/1.1/classes/Some', { body: { n, name: `<b>${n}</b>` } })
    const page = await visit()
    await page.goto(data('Some', `?where=${encodeURIComponent('{"n":{"$gte":2}}')}&order=-n`))
    await open(page, 'Export')
    await page.getByRole('radio', { name: /^JSON, one array/ }).check()
    expect(JSON.parse(await exported(page)).map(({ n }: { n: number }) => n)).toEqual([3, 2])
    await open(page, 'Export')
    await page.getByRole('radio', { name: /^JSON Lines/ }).check()
    const lines = (await exported(page)).trim().split('\n')
    expect(lines.map((line) => JSON.parse(line).name)).toEqual(['<b>3</b>', '<b>2</b>'])
  })

  it('the generated query code finds the objects shown', async () => {
    for (let n = 0; n < 4; n++) await app.request('POST', '/1.1/classes/Coded', { body: { n, name: `it's ${n}` } })
    const page = await visit({ role: 'reader', apps: [app.appId] })
    await page.goto(data('Coded', `?where=${encodeURIComponent(`{"n":{"$lt":3},"name":{"$ne":"it's 0"}}`)}&order=-n`))
    await page.getByRole('button', { name: 'Import / Export' }).click()
    const menu = page.locator('.ant-dropdown')
    await menu.getByRole('menuitem', { name: 'Query as code' }).waitFor()
    expect(await menu.getByRole('menuitem', { name: 'Import' }).count()).toBe(0)
    await menu.getByRole('menuitem', { name: 'Query as code' }).click()
    const editor = page.getByRole('dialog').getByRole('textbox', { name: 'Query as code' })
    await editor.getByText(app.appKey).first().waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByRole('combobox', { name: 'Language' }).click()
    await page.getByTitle('JavaScript', { exact: true }).click()
    await editor.getByText('AV.Query').waitFor()
    const code = (await editor.locator('.cm-line').allInnerTexts()).join('\n')
    const { default: AV } = await import('leancloud-storage')
    const run = new Function('AV', `return (async () => { ${code}\nreturn objects })()`) as (
      av: typeof AV,
    ) => Promise<{ get(name: string): unknown }[]>
    expect((await run(AV)).map((object) => object.get('n'))).toEqual([2, 1])
  })
})
