import { describe, expect, it } from 'vitest'
import { accessibilityFaults } from '../support/accessibility.ts'
import { makeApp } from '../support/app.ts'
import { chromium } from '../support/browser.ts'
import { consoleTests, widthOf } from '../support/console.ts'

const app = await makeApp()
const visit = consoleTests()

const TABS = ['schema', 'permissions', 'acl', 'indexes', 'slow', 'danger']
const pageOf = (className: string, tab: string) => `/console/apps/${app.appId}/classes/${className}?tab=${tab}`
const shown = async (className: string) => (await app.admin('GET', `/classes/${className}`)).body
const create = (className: string, body: object, session?: string) =>
  app.request('POST', `/1.1/classes/${className}`, { body, ...(session && { session }) })

describe.skipIf(chromium === null)('the page of a class', { timeout: 60_000 }, () => {
  it('a permission change affects clients at once and can be undone', async () => {
    await create('Closed', { n: 1 })
    const ann = await app.makeUser('ann')
    await app.makeUser('bob')
    const page = await visit()
    await page.goto(pageOf('Closed', 'permissions'))
    await page.getByText('anyone can delete all objects').waitFor()
    await page.getByRole('radio', { name: 'Create: Master key only' }).click()
    await page.getByText('Clients cannot create objects').waitFor()
    expect((await create('Closed', { n: 2 })).body.code).toBe(403)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('can create objects, logged in or not').waitFor()
    expect((await create('Closed', { n: 2 })).status).toBe(201)

    await page.getByRole('radio', { name: 'Create: Selected users and roles' }).click()
    await page.getByText('No user or role is selected: only the master key can create objects').waitFor()
    await page.getByRole('combobox', { name: 'Create: users and roles' }).fill('an')
    await page.locator('.ant-select-item-option', { hasText: 'ann' }).click()
    await page.getByText('Only ann can create objects').waitFor()
    expect((await create('Closed', { n: 3 })).status).toBe(403)
    expect((await create('Closed', { n: 3 }, ann.session)).status).toBe(201)
  })

  it('adds fields with options, changes them, and deletes them with their values', async () => {
    await create('Shelf', { old: 'value' })
    const page = await visit()
    await page.goto(pageOf('Shelf', 'schema'))
    await page.getByRole('button', { name: 'Add field' }).click()
    await page.getByLabel('Name').fill('score')
    await page.getByRole('combobox', { name: 'Type' }).click()
    await page.getByTitle('Number', { exact: true }).click()
    await page.getByRole('checkbox', { name: /^Read-only/ }).check()
    await page.getByLabel('Default value').fill('nothing')
    await page.getByRole('dialog').getByRole('button', { name: 'Add field' }).click()
    await page.getByText('Enter valid JSON.').waitFor()
    await page.getByLabel('Default value').fill('7')
    await page.getByRole('dialog').getByRole('button', { name: 'Add field' }).click()
    await page.getByText('default 7').waitFor()
    expect((await shown('Shelf')).fields.score).toEqual({ type: 'Number', readOnly: true, default: 7 })
    expect((await create('Shelf', { score: 1 })).body.code).toBe(117)

    await page.getByRole('button', { name: 'Edit field score' }).click()
    await page.getByRole('checkbox', { name: /^Read-only/ }).uncheck()
    await page.getByRole('button', { name: 'Save' }).click()
    await expect.poll(async () => (await shown('Shelf')).fields.score).toEqual({ type: 'Number', default: 7 })

    await page.getByRole('button', { name: 'Delete field old' }).click()
    await page.getByLabel('Type old').fill('old')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByText('Field old deleted').waitFor()
    expect((await shown('Shelf')).fields).not.toHaveProperty('old')
    expect((await app.request('GET', '/1.1/classes/Shelf')).body.results[0]).not.toHaveProperty('old')
  })

  it('applies the chosen default ACL to new objects', async () => {
    await create('Diary', { n: 1 })
    const dora = await app.makeUser('dora')
    const page = await visit()
    await page.goto(pageOf('Diary', 'acl'))
    await page.getByRole('button', { name: 'Only the creator' }).click()
    await page.getByRole('button', { name: 'Save default ACL' }).click()
    await page.getByText('Default ACL saved').waitFor()
    const { body } = await create('Diary', { n: 2 }, dora.session)
    expect((await app.request('GET', `/1.1/classes/Diary/${body.objectId}`)).status).toBe(403)
    const own = await app.request('GET', `/1.1/classes/Diary/${body.objectId}`, { session: dora.session })
    expect(own.body.n).toBe(2)
  })

  it('creates an index, enforces unique values, and deletes it', async () => {
    await create('Code', { code: 'a' })
    const page = await visit()
    await page.goto(pageOf('Code', 'indexes'))
    await page.getByRole('button', { name: 'Add index' }).click()
    await page.getByRole('combobox', { name: 'Fields' }).fill('code')
    await page.getByTitle('code ascending').click()
    await page.getByRole('dialog').getByText('Add index').click()
    await page.getByRole('checkbox', { name: 'Unique' }).check()
    await page.getByRole('button', { name: 'Build index' }).click()
    await page.getByRole('cell', { name: /^Administrator/ }).waitFor()
    expect((await create('Code', { code: 'a' })).body.code).toBe(137)
    await page.getByRole('button', { name: 'Delete index code' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete index' }).click()
    await page.getByText('Index deleted').waitFor()
    expect((await create('Code', { code: 'a' })).status).toBe(201)
  })

  it('deletes all objects, then the class, after its name is typed', async () => {
    await create('Doomed', { n: 1 })
    const page = await visit()
    await page.goto(pageOf('Doomed', 'danger'))
    for (const deed of ['Delete all objects', 'Delete class']) {
      await page.getByRole('button', { name: deed }).click()
      const dialog = page.getByRole('dialog').filter({ visible: true })
      const confirm = dialog.getByRole('button', { name: 'Delete', exact: true })
      expect(await confirm.isDisabled()).toBe(true)
      await dialog.getByRole('textbox').fill('Doomed')
      await confirm.click()
      if (deed === 'Delete class') break
      await page.getByText('All objects of Doomed deleted').waitFor()
      await dialog.waitFor({ state: 'hidden' })
      expect((await app.request('GET', '/1.1/classes/Doomed')).body).toEqual({ results: [] })
    }
    await page.waitForURL(`**/apps/${app.appId}/data`)
    expect((await app.admin('GET', '/classes/Doomed')).status).toBe(404)
  })

  it('a reader sees every tab and no control that changes data', async () => {
    await create('Looked', { n: 1 })
    const page = await visit({ role: 'reader', apps: [app.appId] })
    await page.goto(pageOf('Looked', 'permissions'))
    expect(await page.getByRole('radio', { name: 'Create: Everyone' }).isDisabled()).toBe(true)
    for (const [tab, text] of [
      ['schema', '1 field'],
      ['acl', 'Everyone'],
      ['indexes', 'Built-in'],
      ['slow', /Node \S+:\d+ has recorded none since/],
    ] as const) {
      await page.goto(pageOf('Looked', tab))
      await page.getByText(text).first().waitFor()
      expect(
        await page
          .locator('#content')
          .getByRole('button', { name: /Add|Edit|Delete|Save/ })
          .count(),
      ).toBe(0)
    }
    expect(await page.getByRole('tab', { name: 'Danger zone' }).count()).toBe(0)
    for (const path of ['fields/n', 'objects', 'indexes/Looked_pkey', '']) {
      const answer = await page.request.delete(`/admin/apps/${app.appId}/classes/Looked/${path}`.replace(/\/$/, ''))
      expect(answer.status()).toBe(403)
    }
  })

  it.each([
    { colorScheme: 'light', width: 1440, locale: 'zh-CN' },
    { colorScheme: 'dark', width: 375, locale: 'en' },
  ] as const)('all tabs are accessible: $colorScheme, $width pixels, $locale', async (look) => {
    await app.admin('PATCH', '/classes/Everything', {
      fields: { title: { type: 'String', required: true, comment: '<b>bold</b>' }, place: { type: 'GeoPoint' } },
      permissions: { update: { roles: ['<img src=x onerror=alert(1)>'], users: [] } },
      indexes: [{ fields: ['title', '-createdAt'] }],
    })
    const page = await visit(look)
    for (const tab of TABS) {
      await page.goto(pageOf('Everything', tab))
      await page.locator('.ant-card, .ant-empty').first().waitFor()
      await page.locator('.ant-spin-spinning').waitFor({ state: 'detached' })
      expect([tab, await accessibilityFaults(page)]).toEqual([tab, []])
      expect(await widthOf(page)).toBeLessThanOrEqual(look.width)
    }
  })
})
