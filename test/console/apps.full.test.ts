import { describe, expect, it, onTestFinished } from 'vitest'
import { accessibilityFaults } from '../support/accessibility.ts'
import { makeApp } from '../support/app.ts'
import { chromium } from '../support/browser.ts'
import { administrate, consoleTests, widthOf } from '../support/console.ts'

const visit = consoleTests()
const app = await makeApp()

const keysOf = (appId: string) => administrate<Record<string, string>>('GET', `/admin/apps/${appId}`)

describe.skipIf(chromium === null)('apps in the console', () => {
  it('an owner creates an app, reads and rotates its keys, renames and deletes it', async () => {
    const page = await visit()
    await page.goto('/console/')
    const name = `made ${crypto.randomUUID()}`
    await page.getByRole('button', { name: 'New app' }).first().click()
    await page.getByRole('dialog').getByLabel('Name').fill(name)
    await page.getByLabel("Owner's email address").fill('owner@example.org')
    await page.getByRole('button', { name: 'Create app' }).click()
    await page.getByText(`App ${name} created`).waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByRole('button', { name: 'Open app' }).click()
    await page.getByText('Owned by owner@example.org').waitFor()
    const appId = new URL(page.url()).pathname.split('/').at(-1)!
    onTestFinished(async () => {
      await administrate('DELETE', `/admin/apps/${appId}`).catch(() => {})
    })

    await page.getByText('This app is empty').waitFor()
    const before = await keysOf(appId)
    expect(await page.getByText(before.masterKey!).count()).toBe(0)
    await page.getByRole('button', { name: 'Show Master Key' }).click()
    await page.getByText(before.masterKey!).waitFor()

    await page.getByRole('button', { name: 'Replace keys' }).click()
    await page.getByText('The old keys stop working immediately').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByRole('button', { name: 'Replace 1 key' }).click()
    await page.getByText('The new keys are in effect').waitFor()
    const after = await keysOf(appId)
    await page.getByText(after.masterKey!).waitFor()
    expect([after.masterKey === before.masterKey, after.appKey, after.hookKey]).toEqual([
      false,
      before.appKey,
      before.hookKey,
    ])

    await page.getByRole('button', { name: 'Edit name and owner' }).click()
    await page.getByLabel('Name', { exact: true }).fill('<b>renamed</b>')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: '<b>renamed</b>' }).waitFor()
    await page.getByText('PATCH /', { exact: true }).first().waitFor()

    await page.getByRole('button', { name: 'Delete this app' }).click()
    const confirm = page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true })
    expect(await confirm.isDisabled()).toBe(true)
    await page.getByLabel('Type <b>renamed</b> to confirm').fill('<b>renamed</b>')
    await confirm.click()
    await page.getByRole('heading', { name: 'Apps', exact: true }).waitFor()
    await expect(keysOf(appId)).rejects.toThrow(/404/)
  })

  it('a reader sees neither the secret keys nor any control that changes data', async () => {
    const page = await visit({ role: 'reader', apps: [app.appId], colorScheme: 'dark' })
    await page.goto('/console/')
    await page.getByRole('link', { name: app.appId }).waitFor()
    expect(await page.getByRole('button', { name: 'New app' }).count()).toBe(0)
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByRole('link', { name: app.appId }).click()
    await page.getByText('Not shown to readers').first().waitFor()
    expect(await page.getByText(app.appKey).count()).toBe(1)
    const buttons = ['Replace keys', 'Edit name and owner', 'Delete this app', 'Show Master Key']
    for (const name of buttons) expect([name, await page.getByRole('button', { name }).count()]).toEqual([name, 0])
    expect(await page.content()).not.toContain(app.masterKey)
    expect(await accessibilityFaults(page)).toEqual([])
  })

  it('shows the contents of an app with data, in Chinese and on a phone', async () => {
    await app.request('POST', '/1.1/classes/Post', { body: { title: 'one' } })
    await expect.poll(async () => (await app.admin('GET', '/figures')).body.objects).toBeGreaterThan(0)
    const page = await visit({ locale: 'zh-CN', width: 375, height: 740 })
    await page.goto(`/console/apps/${app.appId}`)
    await page.getByText('数据库占用').waitFor()
    await page.getByText('危险操作').waitFor()
    expect(await widthOf(page)).toBeLessThanOrEqual(375)
    expect(await accessibilityFaults(page)).toEqual([])
  })
})
