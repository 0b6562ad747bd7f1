import { createServer } from 'node:net'
import type { Page } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { accessibilityFaults } from '../support/accessibility.ts'
import { makeApp } from '../support/app.ts'
import { chromium } from '../support/browser.ts'
import { consoleTests } from '../support/console.ts'

const visit = consoleTests()
const app = await makeApp()

const create = async (className: string, body: object = {}) =>
  (await app.request('POST', `/1.1/classes/${className}`, { master: true, body })).body.objectId as string
const at = (path: string) => `/console/apps/${app.appId}/${path}`
/** Navigates within the console, as its links do. */
const push = (page: Page, path: string) => page.evaluate(`__TSR_ROUTER__.history.push(${JSON.stringify(at(path))})`)

interface Covered {
  readonly toast: string
  readonly control: string
}

/** The controls covered by a toast, determined by the element at their centers. */
const COVERED = `(() => {
  const toasts = document.getElementById('toasts')
  // What is scrolled out of the page, the grid or a list is not there to be covered.
  const isScrolledOut = (control, x, y) => {
    for (let around = control.parentElement; around; around = around.parentElement) {
      if (getComputedStyle(around).overflow === 'visible') continue
      const { left, right, top, bottom } = around.getBoundingClientRect()
      if (x < left || x > right || y < top || y > bottom) return true
    }
    return false
  }
  return [...document.querySelectorAll('button, a[href], input, textarea, [role=gridcell], [role=combobox], [role=tab]')]
    .filter((control) => !toasts.contains(control))
    .flatMap((control) => {
      const { left, top, width, height } = control.getBoundingClientRect()
      const [x, y] = [left + width / 2, top + height / 2]
      const found = isScrolledOut(control, x, y) ? null : document.elementFromPoint(x, y)
      return found && toasts.contains(found) && control.checkVisibility()
        ? [{ toast: found.textContent, control: control.outerHTML.slice(0, 200) }]
        : []
    })
})()`

describe.skipIf(chromium === null)('the console', () => {
  it('submits dialogs with Enter from any of their fields, and texts of several lines with Ctrl+Enter', async () => {
    await app.admin('POST', '/classes', { className: 'Entered', fields: { list: { type: 'Array' } } })
    const id = await create('Entered')
    const page = await visit()
    await page.goto(at('data/Entered'))
    await page.getByRole('button', { name: 'Add a column' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('first')
    await page.keyboard.press('Enter')
    await page.getByRole('columnheader', { name: /^first / }).waitFor()
    await page.getByRole('button', { name: 'Add a column' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('second')
    await page.getByRole('dialog').getByLabel('What it is for').fill('a comment')
    await page.keyboard.press('Enter')
    await page.getByRole('columnheader', { name: /^second / }).waitFor()

    await page.goto(at(`data/Entered?open=Entered%2F${id}`))
    await page.getByRole('button', { name: 'Change list', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: /^Change/ })
    await dialog.getByLabel('list').fill('[1,')
    await page.keyboard.press('Control+Enter')
    await dialog.getByRole('alert').first().waitFor()
    await dialog.getByLabel('list').fill('[1, 2]')
    await page.keyboard.press('Control+Enter')
    await expect
      .poll(async () => (await app.request('GET', `/1.1/classes/Entered/${id}`, { master: true })).body.list)
      .toEqual([1, 2])

    // Dialogs without a field, and those that require typing a name.
    await page.goto(at('data/Entered'))
    await page.getByRole('row').filter({ hasText: id }).getByRole('gridcell').first().click()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('With Ctrl+Z or Undo').waitFor()
    await page.keyboard.press('Enter')
    await page.getByText('No objects yet').waitFor()
    await page.goto(at('classes/Entered?tab=schema'))
    await page.getByRole('button', { name: 'Delete the field first' }).click()
    await page.getByRole('dialog').getByRole('textbox').fill('first')
    await page.keyboard.press('Enter')
    await expect
      .poll(async () => Object.keys((await app.admin('GET', '/classes/Entered')).body.fields))
      .toEqual(['list', 'second'])
  })

  it('shows the columns of a class without objects', async () => {
    await app.admin('POST', '/classes', { className: 'Bare' })
    const page = await visit()
    await page.goto(at('data/Bare'))
    await page.getByText('No objects yet').waitFor()
    await page.getByRole('columnheader', { name: /^objectId/ }).waitFor()
    for (const name of ['one', 'two']) {
      await page.getByRole('button', { name: 'Add a column' }).click()
      await page.getByRole('dialog').getByLabel('Name').fill(name)
      await page.keyboard.press('Enter')
      await page.getByRole('columnheader', { name: new RegExp(`^${name} `) }).waitFor()
    }
    expect(await accessibilityFaults(page)).toEqual([])
  })

  it.each([
    { width: 1440, height: 900 },
    { width: 375, height: 740 },
  ])('covers no control with a toast at $width pixels', async (size) => {
    for (let n = 0; n < 40; n++) await create(`Toasted${size.width}`, { n, list: [n] })
    const page = await visit(size)
    await page.goto(at(`data/Toasted${size.width}`))
    await page.getByRole('gridcell', { name: '39', exact: true }).waitFor()
    await page.getByRole('gridcell', { name: '39', exact: true }).dblclick()
    await page.getByRole('grid').getByLabel('n', { exact: true }).fill('x')
    await page.keyboard.press('Enter')
    await page.getByText('n was not saved').waitFor()
    expect(await page.evaluate<Covered[]>(COVERED)).toEqual([])
    await page.getByRole('row').nth(3).getByRole('gridcell').first().click()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('With Ctrl+Z or Undo').waitFor()
    await page.keyboard.press('Enter')
    await page.locator('.ant-notification').getByRole('button', { name: 'Undo' }).waitFor()
    expect(await page.evaluate<Covered[]>(COVERED)).toEqual([])
    expect(await accessibilityFaults(page)).toEqual([])
    // Drawers and dialogs end above the toast.
    await page.getByRole('gridcell', { name: '30', exact: true }).click()
    await page.keyboard.press('Space')
    await page.getByRole('dialog').getByText('createdAt Date').waitFor()
    expect(await page.evaluate<Covered[]>(COVERED)).toEqual([])
    expect(await page.locator('.ant-notification').getByRole('button', { name: 'Undo' }).isVisible()).toBe(true)
  })

  it('counts a class in its list as on its page and on the overview', async () => {
    await create('Counted')
    await app.sql(`
      INSERT INTO "Counted" (id, created_at, updated_at, data)
      SELECT 'counted' || n, now(), now(), '{}' FROM generate_series(1, 2999) AS n`)
    // Sets a PostgreSQL estimate far from the real count.
    await app.sql(`UPDATE pg_class SET reltuples = 117200 WHERE oid = '"Counted"'::regclass`)
    const { body } = await app.admin('GET', '/class-counts')
    expect(body.counts.Counted).toEqual({ count: 3000, kind: 'exact' })
    const figures = (await app.admin('GET', '/figures')).body
    const counts = Object.values(body.counts as Record<string, { count: number }>)
    expect(figures.objects).toBe(counts.reduce((sum, { count }) => sum + count, 0))
    const page = await visit()
    await page.goto(at('data/Counted'))
    await page.getByText('3,000 rows').waitFor()
    await page.getByRole('menuitem', { name: /Counted\s*3,000/ }).waitFor()
  })

  it('undoes a deletion with Ctrl+Z, including ids, ACLs, creation times and relation members', async () => {
    await app.admin('POST', '/classes', {
      className: 'Undone',
      fields: { fans: { type: 'Relation', className: '_User' }, n: { type: 'Number' } },
    })
    const { id: fan } = await app.makeUser('fan')
    const related = { __type: 'Pointer', className: '_User', objectId: fan }
    const ids = [
      await create('Undone', { n: 1, ACL: { [fan]: { read: true } } }),
      await create('Undone', { n: 2, fans: { __op: 'AddRelation', objects: [related] } }),
    ]
    const all = async () => (await app.admin('POST', '/classes/Undone/find', { order: 'n' })).body.results
    const without = (rows: { updatedAt: string }[]) => rows.map(({ updatedAt: _, ...rest }) => rest)
    const before = await all()
    const page = await visit()
    await page.goto(at('data/Undone'))
    for (const id of ids) await page.getByRole('row').filter({ hasText: id }).getByRole('gridcell').first().click()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('With Ctrl+Z or Undo').waitFor()
    await page.keyboard.press('Enter')
    await expect.poll(all).toEqual([])
    await page.getByText('2 rows were deleted').waitFor()
    await page.keyboard.press('Control+z')
    await expect.poll(async () => without(await all())).toEqual(without(before))
    const where = JSON.stringify({
      $relatedTo: { object: { ...related, className: 'Undone', objectId: ids[1] }, key: 'fans' },
    })
    const members = await app.request('GET', '/1.1/users', { master: true, query: { where } })
    expect(members.body.results.map(({ objectId }: { objectId: string }) => objectId)).toEqual([fan])
    await page.getByText('2 rows', { exact: true }).waitFor()
    // The dialog names the data that cannot be restored.
    await page.goto(at('data/_User'))
    await page.getByRole('row').filter({ hasText: fan }).getByRole('gridcell').first().click()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('This cannot be undone').waitFor()
  })

  it.each(['data/Offline', 'users', 'push/devices', 'settings', 'messaging', 'classes/Offline?tab=schema', 'connect'])(
    'shows a retryable error when offline: %s',
    async (path) => {
      await create('Offline', { title: 'there' })
      const page = await visit({ expected: /./ })
      await page.goto(at(''))
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.context().setOffline(true)
      await push(page, path)
      const retry = page.getByRole('main').getByRole('button', { name: 'Try again' }).first()
      await retry.waitFor({ timeout: 60_000 })
      await page.getByText('The server does not answer').first().waitFor()
      expect(await page.locator('.ant-skeleton:visible, .ant-spin-spinning:visible').count()).toBe(0)
      await page.context().setOffline(false)
      await retry.click()
      await expect.poll(() => page.getByText('The server does not answer').count(), { timeout: 60_000 }).toBe(0)
      await page.getByRole('heading', { level: 1 }).waitFor()
    },
  )

  it('shows a retryable error when offline and the page code is already loaded', async () => {
    await create('Loaded', { title: 'loaded' })
    await create('Unloaded', { title: 'unloaded' })
    const page = await visit({ expected: /./ })
    await page.goto(at('data/Loaded'))
    await page.getByRole('gridcell', { name: 'loaded', exact: true }).waitFor()
    await page.context().setOffline(true)
    await push(page, 'data/Unloaded')
    const retry = page.getByRole('alert').getByRole('button', { name: 'Try again' }).first()
    await retry.waitFor({ timeout: 60_000 })
    expect(await page.locator('.ant-skeleton:visible').count()).toBe(0)
    await page.context().setOffline(false)
    await retry.click()
    await page.getByRole('gridcell', { name: 'unloaded', exact: true }).waitFor()
  })

  it('labels pointers with the title of the target object, or with the field chosen for its class', async () => {
    const target = await create('Titled', { title: 'A fine title', code: 'C-17' })
    const pointer = { __type: 'Pointer', className: 'Titled', objectId: target }
    const id = await create('Pointing', { to: pointer, many: [pointer, pointer] })
    const page = await visit()
    await page.goto(at('data/Pointing'))
    await expect.poll(() => page.getByRole('button', { name: `Open Titled A fine title ${target}` }).count()).toBe(3)
    await page.goto(at('classes/Titled?tab=schema'))
    await page.getByRole('combobox', { name: 'Title field' }).click()
    await page.locator('.ant-select-dropdown:visible').getByTitle('code', { exact: true }).click()
    await expect
      .poll(async () => (await app.admin('GET', '/settings')).body.console.titleFields)
      .toEqual({ Titled: 'code' })
    expect(await accessibilityFaults(page)).toEqual([])
    await page.goto(at(`data/Pointing?open=Pointing%2F${id}`))
    await page.getByRole('dialog').getByText('C-17').first().waitFor()
    expect(await page.getByText('A fine title').count()).toBe(0)
    expect(await accessibilityFaults(page)).toEqual([])
  })

  it('reports a push whose devices are all invalid', async () => {
    for (const installationId of ['gone 1', 'gone 2'])
      await app.request('POST', '/1.1/installations', {
        master: true,
        body: { deviceType: 'android', installationId, channels: ['gone'], valid: false },
      })
    const { body } = await app.request('POST', '/1.1/push', {
      master: true,
      body: { channels: ['gone'], data: { alert: 'hello' } },
    })
    const page = await visit()
    await page.goto(at(`push/results/${body.objectId}`))
    await page.getByText('This push was for no device').waitFor()
    await page.getByText('No device gets this: all 2 that match are invalid').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.goto(at('push'))
    await page.getByText('Reached no device').first().waitFor()
    await page.goto(at('push/new'))
    await page.locator('.ant-segmented-item', { hasText: /channel/i }).click()
    await page.getByRole('combobox', { name: /channel/i }).fill('gone')
    await page.keyboard.press('Enter')
    await page.getByText('No device gets this: all 2 that match are invalid').waitFor()
  })

  it('reports a wrong source address within five seconds', async () => {
    const silent = createServer(() => {})
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void silent.close())
    const { port } = silent.address() as { port: number }
    const page = await visit()
    await page.goto(at('moving-in'))
    await page.getByLabel('Its app id').fill('there')
    await page.getByLabel('Its master key').fill('key')
    for (const [url, says] of [
      ['http://127.0.0.1:1999', 'cannot be reached (ECONNREFUSED)'],
      ['http://nowhere.invalid', 'was not found'],
      [`http://127.0.0.1:${port}`, 'did not respond within 4 seconds'],
      [app.url, 'rejected the keys'],
    ] as const) {
      await page.getByLabel('Address of its API').fill(url)
      const started = performance.now()
      await page.getByRole('button', { name: 'Next' }).click()
      await page.getByRole('alert').filter({ hasText: says }).waitFor()
      expect(performance.now() - started).toBeLessThan(8000)
    }
    expect((await app.admin('GET', '/moves')).body.moves).toEqual([])
  })

  it('finds settings, users and object ids in the palette', async () => {
    const { id: user } = await app.makeUser('penelope')
    const id = await create('Palette', { title: 'found' })
    const page = await visit()
    const search = async (text: string, entry: RegExp) => {
      await page.goto(at(''))
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.keyboard.press('Control+k')
      await page.getByPlaceholder(/objectId/).fill(text)
      await page.getByRole('option', { name: entry }).first().click()
    }
    await search('penel', /penelope/)
    await page.waitForURL(new RegExp(`/users\\?user=${user}`))
    await search(id, new RegExp(`Palette ${id}`))
    await page.getByRole('dialog').getByText('found').waitFor()
    await search('clientClass', /Clients make classes/)
    await page.getByLabel('Clients make classes').waitFor()
    await search('returnAcl', /ACLs in answers/)
    await page.waitForURL(/settings\?q=storage.returnAclInQueries/)
  })

  it('keeps the buttons of the field table on a phone', async () => {
    const fields = {
      a_rather_long_name_of_a_field: { type: 'Pointer', className: '_Installation', comment: 'long '.repeat(20) },
    }
    await app.admin('POST', '/classes', { className: 'Phone', fields })
    const page = await visit({ width: 375, height: 740 })
    await page.goto(at('classes/Phone?tab=schema'))
    const button = page.getByRole('button', { name: /^Change the field a_rather/ })
    await button.waitFor()
    const { x, width } = (await button.boundingBox())!
    expect(x).toBeGreaterThanOrEqual(0)
    expect(x + width).toBeLessThanOrEqual(375)
    await button.click()
    await page.getByRole('dialog').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
  })
})
