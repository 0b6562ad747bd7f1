import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { accessibilityFaults } from '../support/accessibility.ts'
import { makeApp } from '../support/app.ts'
import { chromium } from '../support/browser.ts'
import { consoleTests } from '../support/console.ts'

const visit = consoleTests()
const app = await makeApp()

const OLD = {
  s: 'old',
  n: 7,
  b: true,
  d: { __type: 'Date', iso: '2026-01-31T08:30:00.000Z' },
  g: { __type: 'GeoPoint', latitude: 10, longitude: 20 },
  p: { __type: 'Pointer', className: 'Target', objectId: 'known' },
  y: { __type: 'Bytes', base64: 'aGk=' },
  a: [1],
  o: { a: 1 },
}

const create = async () =>
  (await app.request('POST', '/1.1/classes/Typed', { master: true, body: OLD })).body.objectId as string
const read = async (id: string) => (await app.request('GET', `/1.1/classes/Typed/${id}`, { master: true })).body
const pageOf = (search = '') => `/console/apps/${app.appId}/data/Typed${search}`
const alertOf = (place: Page | Locator, text: RegExp) => place.getByRole('alert').filter({ hasText: text }).first()

/** Returns the cell of an object in a column. */
async function cellOf(page: Page, id: string, name: string): Promise<Locator> {
  const header = page.getByRole('columnheader', { name: new RegExp(`^${name} `) })
  const column = Number(await header.getAttribute('aria-colindex'))
  return page.getByRole('row').filter({ hasText: id }).locator(`[role=gridcell][aria-colindex="${column}"]`)
}

/** The input typed into a dialog editor, by field type. */
const IN_DIALOGS: readonly {
  field: keyof typeof OLD
  label: string
  role: 'spinbutton' | 'textbox'
  bad: readonly string[]
  says: RegExp
}[] = [
  {
    field: 'n',
    label: 'n',
    role: 'spinbutton',
    bad: ['abc', '12abc', '1,5', '0x10', '1e999', 'NaN', '9007199254740993'],
    says: /number|16 significant digits/,
  },
  {
    field: 'g',
    label: 'Latitude',
    role: 'spinbutton',
    bad: ['north', '91', '-90.5', '1e', ''],
    says: /number|latitude/,
  },
  { field: 'g', label: 'Longitude', role: 'spinbutton', bad: ['181', 'x'], says: /number/ },
  { field: 'p', label: 'objectId', role: 'textbox', bad: ['a b', 'Post/1', '用户'], says: /objectId/ },
  { field: 'y', label: 'y', role: 'textbox', bad: ['hello world', 'aGk', 'aGk_'], says: /base64/ },
  { field: 'a', label: 'a', role: 'textbox', bad: ['{}', '[1,', '1', 'null'], says: /array/ },
  { field: 'o', label: 'o', role: 'textbox', bad: ['[]', '{a: 1}', '"{}"', 'null'], says: /object/ },
]

describe.skipIf(chromium === null)('an editor', () => {
  it('rejects an invalid number in a number cell, keeps the old value and shows the valid form', async () => {
    const id = await create()
    const page = await visit()
    await page.goto(pageOf(`?where=${encodeURIComponent(JSON.stringify({ objectId: id }))}`))
    const cell = await cellOf(page, id, 'n')
    const input = page.getByRole('grid').getByLabel('n', { exact: true })
    for (const bad of ['abc', '12abc', '1,5', '0x10', '--5', '1e999', 'NaN', 'Infinity', '9007199254740993', '１２']) {
      await cell.dblclick()
      await input.fill(bad)
      await expect.poll(() => input.getAttribute('aria-invalid')).toBe('true')
      await page.keyboard.press('Enter')
      await page
        .getByText(/n was not saved: (Enter a number|A Number has)/)
        .first()
        .waitFor()
      await expect.poll(() => cell.textContent()).toBe('7')
    }
    expect(await read(id)).toMatchObject(OLD)
    await cell.dblclick()
    await input.fill('8')
    await page.keyboard.press('Enter')
    await expect.poll(async () => (await read(id)).n).toBe(8)
  })

  it('rejects an incomplete date in a date cell', async () => {
    const id = await create()
    const page = await visit()
    await page.goto(pageOf(`?where=${encodeURIComponent(JSON.stringify({ objectId: id }))}`))
    const cell = await cellOf(page, id, 'd')
    await cell.dblclick()
    await page.getByRole('grid').getByLabel('d', { exact: true }).waitFor()
    // Removes the first part of the date.
    await page.keyboard.press('Backspace')
    await page.keyboard.press('Enter')
    await page.getByText('d was not saved: Complete the date').waitFor()
    expect(await read(id)).toMatchObject(OLD)
  })

  it.each(IN_DIALOGS)(
    'rejects unparsable input for $field ($label) in a dialog',
    async ({ field, label, role, bad, says }) => {
      const id = await create()
      const page = await visit()
      await page.goto(pageOf(`?open=Typed%2F${id}`))
      await page.getByRole('button', { name: `Edit ${field}`, exact: true }).click()
      const dialog = page.getByRole('dialog', { name: /^Edit/ })
      const input = dialog.getByRole(role, { name: label, exact: true })
      for (const text of bad) {
        await input.fill(text)
        await dialog.getByRole('button', { name: 'Save' }).click()
        await alertOf(dialog, says).waitFor()
      }
      expect(await accessibilityFaults(page)).toEqual([])
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      await expect.poll(() => dialog.count()).toBe(0)
      expect(await read(id)).toMatchObject(OLD)
    },
  )

  it('rejects an unparsable filter and keeps the rows shown', async () => {
    await create()
    const page = await visit()
    await page.goto(pageOf(`?where=${encodeURIComponent('{"n":7}')}`))
    const value = page.getByRole('spinbutton', { name: 'Value' })
    await value.fill('seven')
    await page.getByRole('button', { name: 'Apply' }).click()
    await alertOf(page, /Enter a number/).waitFor()
    expect(JSON.parse(new URL(page.url()).searchParams.get('where')!)).toEqual({ n: 7 })
  })

  it('saves no setting while a number cannot be parsed', async () => {
    const page = await visit({ locale: 'zh-CN' })
    await page.goto(`/console/apps/${app.appId}/settings?q=files.maxSize`)
    const input = page.getByRole('spinbutton').first()
    const before = await input.inputValue()
    await input.fill('很大')
    await page.getByRole('alert').filter({ hasText: '请输入' }).waitFor()
    expect(await page.getByRole('button', { name: '保存' }).isDisabled()).toBe(true)
    await page.getByRole('button', { name: '放弃' }).click()
    await expect.poll(() => input.inputValue()).toBe(before)
  })
})
