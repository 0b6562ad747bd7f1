import { describe, expect, it } from 'vitest'
import { makeApp } from '../support/app.ts'
import { chromium } from '../support/browser.ts'
import { consoleTests } from '../support/console.ts'

const visit = consoleTests()
const app = await makeApp()
const pageOf = (className: string, search = '') => `/console/apps/${app.appId}/data/${className}${search}`

/** The longest time that a page did not answer, in milliseconds, once `FREEZES` is watched. */
const WATCH = `globalThis.longest = 0; new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) globalThis.longest = Math.max(globalThis.longest, duration)
}).observe({ type: 'longtask', buffered: true })`
/** Milliseconds. On a busy machine a page takes a multiple of its time; what freezes takes minutes. */
const PATIENCE = 20_000

describe.skipIf(chromium === null)('what hostile clients write', () => {
  it('texts of a megabyte do not freeze the grid, nor the object beside it', async () => {
    const text = 'x '.repeat(500_000)
    const list = Array.from({ length: 100_000 }, (_, n) => n)
    const ids: string[] = []
    for (const body of [{ text }, { text: 'short', list }, { text, list }])
      ids.push((await app.request('POST', '/1.1/classes/Huge', { master: true, body })).body.objectId)
    const page = await visit()
    await page.addInitScript(WATCH)
    await page.goto(pageOf('Huge'))
    await page.getByRole('gridcell', { name: 'short' }).waitFor()
    await page.goto(pageOf('Huge', `?open=Huge%2F${ids[2]}`))
    const drawer = page.getByRole('dialog')
    await drawer.getByText('createdAt').first().waitFor()
    await drawer.getByRole('tab', { name: 'JSON' }).click()
    await drawer.locator('.cm-content').waitFor()
    expect(await page.evaluate<number>('globalThis.longest')).toBeLessThan(PATIENCE)
  })

  it('290 columns are shown as fast as a few', async () => {
    const fields = Object.fromEntries(Array.from({ length: 290 }, (_, n) => [`column${n}`, n]))
    const made = await app.request('POST', '/1.1/classes/Broad', { master: true, body: fields })
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    const page = await visit()
    await page.addInitScript(WATCH)
    await page.goto(pageOf('Broad'))
    await page.getByRole('gridcell', { name: made.body.objectId }).waitFor()
    expect(await page.getByRole('columnheader').count()).toBeLessThan(60)
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('button', { name: 'Delete the column column0', exact: true }).waitFor()
    expect(await page.evaluate<number>('globalThis.longest')).toBeLessThan(PATIENCE)
  })

  it('members that are named as parts of every object are shown, and change none of them', async () => {
    const body =
      '{"json":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"toString":"x"},"valueOf":"y"}'
    const made = await app.request('POST', '/1.1/classes/Named', { master: true, body: body as unknown as object })
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    const page = await visit()
    await page.goto(pageOf('Named', `?open=Named%2F${made.body.objectId}`))
    await page.getByRole('dialog').getByText('valueOf').first().waitFor()
    await page.getByRole('tab', { name: 'JSON' }).click()
    await page.getByRole('dialog').locator('.cm-content').getByText('"toString"').waitFor()
    expect(await page.evaluate('({}).polluted')).toBeUndefined()
  })

  it('no address but of the web is followed, whatever a record of a file or a linked account holds', async () => {
    const { session, id } = await app.makeUser('linked to scripts')
    const authData = { weixin: { openid: 'javascript:globalThis.hurt=1', access_token: 'secret' } }
    await app.request('PUT', `/1.1/users/${id}`, { body: { authData }, session })
    const url = 'javascript:globalThis.hurt=1'
    const file = await app.request('POST', '/1.1/files', {
      master: true,
      body: { name: 'a.png', url, mime_type: 'image/png', metaData: { __source: 'external' } },
    })
    const page = await visit()
    for (const path of [
      `users?user=${id}`,
      'files',
      ...(file.status < 300 ? [`files?file=${file.body.objectId}`] : []),
    ]) {
      await page.goto(`/console/apps/${app.appId}/${path}`)
      await page.getByRole('main').getByRole('heading').first().waitFor()
      await expect.poll(() => page.locator('.ant-skeleton, .ant-spin-spinning').count()).toBe(0)
      expect(await page.locator('[href^="javascript:" i], [src^="javascript:" i]').count()).toBe(0)
    }
    expect(await page.evaluate('globalThis.hurt')).toBeUndefined()
  })
})
