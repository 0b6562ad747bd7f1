import type { Locator, Page } from 'playwright-core'
import { beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import { accessibilityFaults } from '../support/accessibility.ts'
import { makeApp } from '../support/app.ts'
import { chromium } from '../support/browser.ts'
import { administrate, consoleTests, widthOf } from '../support/console.ts'

const visit = consoleTests()
const app = await makeApp()

const save = async (className: string, body: object) =>
  (await app.request('POST', `/1.1/classes/${className}`, { master: true, body })).body.objectId as string
const read = async (className: string, id: string) =>
  (await app.request('GET', `/1.1/classes/${className}/${id}`, { master: true })).body
const pageOf = (className: string, search = '') => `/console/apps/${app.appId}/data/${className}${search}`
const filterOf = (page: Page) => JSON.parse(new URL(page.url()).searchParams.get('where') ?? 'null') as unknown

/** Returns a cell by column and by text in another cell of its row. */
function cell(page: Page, row: string, column: number): Locator {
  return page.getByRole('row').filter({ hasText: row }).getByRole('gridcell').nth(column)
}

/** Opens the editor of the selected cell, waits for it, and types into it. */
async function typeInto(page: Page, name: string, text: string): Promise<void> {
  await page.keyboard.press('Enter')
  await page.getByRole('grid').getByLabel(name, { exact: true }).and(page.locator(':focus')).waitFor()
  await page.keyboard.type(text)
}

/** Selects a cell, so that it receives key presses. */
async function choose(chosen: Locator): Promise<void> {
  await chosen.click()
  await expect.poll(() => chosen.getAttribute('aria-selected')).toBe('true')
}

/** Clicks a button of the open dialog. */
const press = (page: Page, name: string) => page.getByRole('dialog').getByRole('button', { name }).click()

describe.skipIf(chromium === null)('the data of an app', () => {
  it('starts with a class, a column, a row and a value that an app can read', async () => {
    const { appId, appKey } = await administrate<{ appId: string; appKey: string }>('POST', '/admin/apps', {
      name: 'empty',
    })
    onTestFinished(async () => {
      await administrate('DELETE', `/admin/apps/${appId}`)
    })
    const page = await visit()
    await page.goto(`/console/apps/${appId}/data`)
    await page.getByText('No classes yet').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByRole('main').getByRole('button', { name: 'Create class' }).last().click()
    await page.getByLabel('Name').fill('Note')
    await press(page, 'Create')
    await page.getByText('No objects yet').waitFor()
    await page.getByRole('button', { name: 'Add column' }).click()
    await page.getByLabel('Name').fill('text')
    await press(page, 'Add')
    await page.getByRole('button', { name: 'Add row' }).last().click()
    await choose(cell(page, 'Everyone', 2))
    await typeInto(page, 'text', 'hello')
    await page.keyboard.press('Enter')
    const stored = async () =>
      (
        await fetch(`${inject('serverUrl')}/1.1/classes/Note`, { headers: { 'x-lc-id': appId, 'x-lc-key': appKey } })
      ).json() as Promise<{ results: { text?: string }[] }>
    await expect.poll(async () => (await stored()).results.map(({ text }) => text)).toEqual(['hello'])

    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('button', { name: 'Delete column text' }).click()
    await page.getByRole('dialog').getByRole('textbox').fill('text')
    await press(page, 'Delete')
    await expect.poll(async () => (await stored()).results.map((one) => 'text' in one)).toEqual([false])
    await expect.poll(() => page.getByRole('columnheader', { name: 'text' }).count()).toBe(0)
  })
})

describe.skipIf(chromium === null)('the grid', () => {
  it('edits cells by keyboard, undoes edits, and reports conflicts and rejections at the cell', async () => {
    const id = await save('Edited', { title: 'first', n: 1 })
    const page = await visit()
    await page.goto(pageOf('Edited'))
    const title = cell(page, id, 2)
    await choose(title)
    await typeInto(page, 'title', 'not kept')
    await page.keyboard.press('Escape')
    await expect.poll(() => title.textContent()).toBe('first')
    await typeInto(page, 'title', 'second')
    await page.keyboard.press('Enter')
    await expect.poll(async () => (await read('Edited', id)).title).toBe('second')
    await page.keyboard.press('Control+z')
    await expect.poll(async () => (await read('Edited', id)).title).toBe('first')
    await expect.poll(() => title.textContent()).toBe('first')

    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Delete')
    await expect.poll(() => read('Edited', id)).not.toHaveProperty('n')

    // A concurrent change of another field is not a conflict; one of the same field is.
    await app.request('PUT', `/1.1/classes/Edited/${id}`, { master: true, body: { other: 1 } })
    await typeInto(page, 'n', '7')
    await page.keyboard.press('Enter')
    await expect.poll(async () => (await read('Edited', id)).n).toBe(7)
    await app.request('PUT', `/1.1/classes/Edited/${id}`, { master: true, body: { n: 100 } })
    await typeInto(page, 'n', '8')
    await page.keyboard.press('Enter')
    await page.getByText('Another client changed the value').waitFor()
    await expect.poll(() => cell(page, id, 3).textContent()).toBe('100')
    expect(await read('Edited', id)).toMatchObject({ title: 'first', n: 100, other: 1 })
  })

  it('filters by form and as JSON, sorts, and keeps both in the URL', async () => {
    for (const n of [1, 2, 3, 4, 5]) await save('Filtered', { n, name: `name ${n}` })
    const page = await visit()
    await page.goto(pageOf('Filtered'))
    await page.getByText('5 rows').waitFor()
    await page.getByRole('button', { name: /Filter$/ }).click()
    const pick = async (box: string, option: string) => {
      await page.getByRole('combobox', { name: box, exact: true }).click()
      await page.locator('.ant-select-dropdown:visible').getByTitle(option, { exact: true }).click()
    }
    await pick('Field', 'n')
    await pick('Operator', 'is at least')
    await page.getByRole('spinbutton', { name: 'Value' }).fill('3')
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByText('3 rows').waitFor()
    expect(filterOf(page)).toEqual({ n: { $gte: 3 } })
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByRole('columnheader', { name: /^n / }).click()
    await expect.poll(() => new URL(page.url()).searchParams.get('order')).toBe('n')
    await page.reload()
    await expect.poll(() => page.getByText(/^name \d$/).allTextContents()).toEqual(['name 3', 'name 4', 'name 5'])

    await page.getByText('JSON', { exact: true }).click()
    await page.getByLabel('JSON condition').fill('{"$or":[{"n":1},{"name":{"$regex":"5$"}}]}')
    await page.getByRole('button', { name: 'Apply' }).click()
    await expect.poll(() => page.getByText(/^name \d$/).allTextContents()).toEqual(['name 1', 'name 5'])
    await page.getByText('Match any').waitFor()
    await page.getByRole('button', { name: 'Clear filter' }).click()
    await page.getByText('5 rows').waitFor()
  })

  it('deletes the selected rows and restores them unchanged', async () => {
    const ids = [await save('Chosen', { n: 1, ACL: { someone: { read: true } } }), await save('Chosen', { n: 2 })]
    await save('Chosen', { n: 3 })
    const before = await Promise.all(ids.map((id) => read('Chosen', id)))
    const page = await visit()
    await page.goto(pageOf('Chosen'))
    for (const id of ids) await cell(page, id, 0).click()
    await page.getByRole('button', { name: 'Delete' }).click()
    await press(page, 'Delete')
    await page.getByText('2 rows deleted').waitFor()
    expect(await Promise.all(ids.map((id) => read('Chosen', id)))).toEqual([{}, {}])
    await page.locator('.ant-notification').getByRole('button', { name: 'Undo' }).click()
    await page.getByText('3 rows').waitFor()
    const after = await Promise.all(ids.map((id) => read('Chosen', id)))
    expect(after.map(({ updatedAt: _, ...rest }) => rest)).toEqual(before.map(({ updatedAt: _, ...rest }) => rest))

    for (const id of ids) await cell(page, id, 0).click()
    await page.getByRole('button', { name: 'Set field' }).click()
    await page.getByRole('dialog').getByRole('combobox', { name: 'Field' }).click()
    await page.getByTitle('n · Number').click()
    await page.getByRole('spinbutton', { name: 'n' }).fill('9')
    await press(page, 'Save')
    const numbers = async () => Promise.all(ids.map(async (id) => (await read('Chosen', id)).n))
    await expect.poll(numbers).toEqual([9, 9])
    // Values changed by another client meanwhile are kept.
    await app.request('PUT', `/1.1/classes/Chosen/${ids[1]}`, { master: true, body: { n: 5 } })
    await page.getByText('2 rows changed').waitFor()
    await page.locator('.ant-notification').getByRole('button', { name: 'Undo' }).last().click()
    await page.getByText('1 of 2 rows were not changed').waitFor()
    expect(await numbers()).toEqual([1, 5])
  })

  it('pastes a spreadsheet block, parsing each cell by its column type, all or nothing; one undo step reverts it', async () => {
    await app.admin('POST', '/classes', {
      className: 'Pasted',
      fields: { title: { type: 'String' }, n: { type: 'Number' }, yes: { type: 'Boolean' } },
    })
    const ids = [await save('Pasted', { title: 'a', n: 1 }), await save('Pasted', { title: 'b', n: 2, yes: true })]
    const all = async () =>
      (await Promise.all(ids.map((id) => read('Pasted', id)))).map(({ title, n, yes }) => [title, n, yes])
    const page = await visit()
    await page.goto(pageOf('Pasted', '?order=createdAt'))
    await choose(cell(page, ids[0]!, 2))
    const paste = (text: string) =>
      page.evaluate(`(() => {
        const clipboardData = new DataTransfer()
        clipboardData.setData('text/plain', ${JSON.stringify(text)})
        document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
      })()`)
    const before = await all()
    await paste('x\t10\ttrue\ny\tmany\tfalse\n')
    await page.getByText(/'n' must be of the type double, not 'many'/).waitFor()
    await paste('x\ny\nz\n')
    await page.getByText('The pasted block has 3 rows, but the grid has only 2 from this cell').waitFor()
    await paste('x\t1\ttrue\t2026-01-01T00:00:00Z\n')
    await page.getByText('createdAt cannot be edited here').waitFor()
    expect(await all()).toEqual(before)

    await paste('007\t10\tTRUE\r\n"two\nlines"\t-2.5\t\r\n')
    await page.getByText('2 rows changed').waitFor()
    expect(await all()).toEqual([
      ['007', 10, true],
      ['two\nlines', -2.5, undefined],
    ])
    await page.getByRole('gridcell', { name: '007', exact: true }).waitFor()
    await page.locator('.ant-notification').getByRole('button', { name: 'Undo' }).click()
    await expect.poll(all).toEqual(before)
  })

  it('edits pointers, relations, JSON, geo points and ACLs in dialogs and in the drawer', async () => {
    const { id: ann } = await app.makeUser('ann of the grid')
    await app.admin('POST', '/classes', {
      className: 'Typed',
      fields: {
        owner: { type: 'Pointer', className: '_User' },
        list: { type: 'Array' },
        place: { type: 'GeoPoint' },
        fans: { type: 'Relation', className: '_User' },
      },
    })
    const id = await save('Typed', {})
    const page = await visit()
    await page.goto(pageOf('Typed', `?open=Typed%2F${id}`))
    const drawer = page.getByRole('dialog').first()
    const edit = async (name: string) => drawer.getByRole('button', { name: `Edit ${name}`, exact: true }).click()
    const dialog = page.getByRole('dialog', { name: /^Edit/ })

    await edit('owner')
    await dialog.getByRole('combobox', { name: 'Search objects of _User' }).fill('ann of')
    await page.getByText('ann of the grid').click()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect.poll(async () => (await read('Typed', id)).owner?.objectId).toBe(ann)

    await edit('list')
    await dialog.getByLabel('list').fill('[1, {"a": null}]')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect.poll(async () => (await read('Typed', id)).list).toEqual([1, { a: null }])

    await edit('place')
    await dialog.getByRole('spinbutton', { name: 'Latitude' }).fill('48.1')
    await dialog.getByRole('spinbutton', { name: 'Longitude' }).fill('11.5')
    expect(await accessibilityFaults(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect.poll(async () => (await read('Typed', id)).place).toMatchObject({ latitude: 48.1, longitude: 11.5 })

    await edit('ACL')
    await dialog.getByRole('checkbox', { name: 'Write: Everyone' }).uncheck()
    await dialog.getByRole('combobox', { name: 'Add user or role' }).fill('ann of')
    await page.locator('.ant-select-dropdown:visible').getByText('ann of the grid').click()
    await dialog.getByRole('checkbox', { name: 'Write: ann of the grid' }).and(page.locator(':checked')).waitFor()
    await dialog.getByRole('button', { name: 'Save' }).click()
    const acl = { '*': { read: true }, [ann]: { read: true, write: true } }
    await expect.poll(async () => (await app.admin('POST', '/classes/Typed/find', {})).body.results[0].ACL).toEqual(acl)

    await drawer.getByRole('combobox', { name: 'Add object of _User' }).fill('ann of')
    await page.locator('.ant-select-dropdown:visible').getByText('ann of the grid').click()
    await drawer.getByRole('button', { name: `Remove ${ann} from the relation` }).waitFor()
    const members = await app.request('GET', '/1.1/users', {
      master: true,
      query: { where: JSON.stringify({ $relatedTo: { object: pointer('Typed', id), key: 'fans' } }) },
    })
    expect(members.body.results.map(({ objectId }: { objectId: string }) => objectId)).toEqual([ann])
  })

  it('shows user-written content as text only', async () => {
    const evil = '<img src=x onerror="window.broken=1"><script>window.broken=1</script>'
    const { id: user } = await app.makeUser(evil)
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>window.parent.broken = 1</script></svg>'
    const uploaded = await app.request('POST', `/1.1/files/${encodeURIComponent(`${evil}.svg`)}`, {
      master: true,
      body: { base64: Buffer.from(svg).toString('base64'), mime_type: 'image/svg+xml' },
    })
    expect(uploaded.status).toBe(201)
    const file = { __type: 'File', id: uploaded.body.objectId }
    const id = await save('Evil', {
      text: evil,
      list: [evil],
      json: { [`a${evil.replace(/[^a-z]/g, '')}`]: evil },
      owner: pointer('_User', user),
      bytes: { __type: 'Bytes', base64: Buffer.from(evil).toString('base64') },
      file,
      ACL: { [`role:${evil}`]: { read: true } },
    })
    const page = await visit()
    await page.goto(pageOf('Evil', `?open=Evil%2F${id}`))
    await page.getByRole('dialog').getByText(evil).first().waitFor()
    await page.getByRole('tab', { name: 'JSON' }).click()
    await page.goto(pageOf('_User', `?where=${encodeURIComponent(JSON.stringify({ username: evil }))}`))
    await page.getByRole('gridcell', { name: evil }).waitFor()
    expect(await page.evaluate('window.broken')).toBeUndefined()
    expect(await page.locator('a[href^="javascript:"]').count()).toBe(0)
  })

  it('lets a reader see everything and change nothing', async () => {
    const id = await save('Seen', { title: 'to be seen' })
    const page = await visit({ role: 'reader', apps: [app.appId] })
    await page.goto(pageOf('Seen', `?open=Seen%2F${id}`))
    const drawer = page.getByRole('dialog')
    await drawer.getByText('to be seen').waitFor()
    expect(await drawer.getByRole('button', { name: /^Edit/ }).count()).toBe(0)
    await page.keyboard.press('Escape')
    await cell(page, id, 1).dblclick()
    await page.keyboard.press('Delete')
    await page.keyboard.type('changed')
    expect(await page.getByRole('textbox', { name: 'title' }).count()).toBe(0)
    for (const name of ['Add row', 'Add column', 'Create class', 'Undo'])
      expect(await page.getByRole('button', { name }).count()).toBe(0)
    expect(await page.getByRole('checkbox').count()).toBe(0)
    expect((await read('Seen', id)).title).toBe('to be seen')
  })

  it('works in Chinese, in dark mode, and at 375 pixels without horizontal overflow', async () => {
    await save('Narrow', {
      title: '第一',
      place: { __type: 'GeoPoint', latitude: 1, longitude: 2 },
      at: date(),
      yes: true,
    })
    const page = await visit({ locale: 'zh-CN', colorScheme: 'dark', width: 375, height: 740 })
    await page.goto(pageOf('Narrow'))
    await page.getByText('共 1 行').waitFor()
    await page.getByRole('gridcell', { name: '第一' }).waitFor()
    expect(await widthOf(page)).toBeLessThanOrEqual(375)
    expect(await accessibilityFaults(page)).toEqual([])
    await choose(page.getByRole('gridcell', { name: '第一' }))
    await page.keyboard.press('Space')
    await page.getByRole('dialog').getByText('createdAt Date').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    expect(await widthOf(page)).toBeLessThanOrEqual(375)
  })
})

describe.skipIf(chromium === null)('a class of a million objects', () => {
  /** Default query timeout, after which a query gets error 124, in milliseconds. */
  const QUERY_TIMEOUT = 10_000

  beforeAll(async () => {
    await save('Large', { n: 0, name: 'row 0' })
    await app.sql(`
      INSERT INTO "Large" (id, created_at, updated_at, data)
      SELECT 'large' || lpad(n::text, 8, '0'), now(), now(), jsonb_build_object('n', n, 'name', 'row ' || n)
      FROM generate_series(1, 999999) AS n`)
    await app.sql('ANALYZE "Large"')
  })

  it('scrolls far and filters, each request well within the query timeout and with few rows in the page', async () => {
    const page = await visit()
    let slowest = 0
    page.on('requestfinished', (request) => {
      if (/\/(find|count)$/.test(request.url())) slowest = Math.max(slowest, request.timing().responseEnd)
    })
    await page.goto(pageOf('Large', '?order=n'))
    await page.getByRole('gridcell', { name: 'row 3', exact: true }).waitFor()
    const grid = page.getByRole('grid')
    const shown = () =>
      grid
        .getByText(/^row \d+$/)
        .last()
        .textContent()
    await grid.hover()
    for (let n = 0; n < 15; n++) {
      const before = await shown()
      await page.mouse.wheel(0, 1_000_000)
      await expect.poll(shown).not.toBe(before)
    }
    expect(Number((await shown())!.slice(4))).toBeGreaterThan(1400)
    expect(await page.getByRole('row').count()).toBeLessThan(80)
    await page.mouse.wheel(0, -10_000_000)
    await page.getByRole('gridcell', { name: 'row 3', exact: true }).waitFor()

    await page.goto(pageOf('Large', `?where=${encodeURIComponent('{"name":{"$regex":"99$"},"n":{"$gt":999000}}')}`))
    await page.getByText('10 rows').waitFor()
    await page.getByRole('gridcell', { name: 'row 999999', exact: true }).waitFor()
    expect(slowest).toBeLessThan(QUERY_TIMEOUT)
  })
})

function pointer(className: string, objectId: string): object {
  return { __type: 'Pointer', className, objectId }
}

function date(): object {
  return { __type: 'Date', iso: '2026-01-01T00:00:00.000Z' }
}
