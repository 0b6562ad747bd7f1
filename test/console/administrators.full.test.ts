import { TOTP } from 'otpauth'
import { describe, expect, it, onTestFinished } from 'vitest'
import { accessibilityFaults } from '../support/accessibility.ts'
import { chromium } from '../support/browser.ts'
import { administrate, consoleTests, FETCHED } from '../support/console.ts'

const visit = consoleTests()

interface Known {
  readonly id: string
  readonly name: string
}

async function removeAtEnd(name: string): Promise<void> {
  onTestFinished(async () => {
    const { administrators } = await administrate<{ administrators: Known[] }>('GET', '/admin/administrators')
    for (const { id } of administrators.filter((known) => known.name === name))
      await administrate('DELETE', `/admin/administrators/${id}`)
  })
}

describe.skipIf(chromium === null)('administrators in the console', () => {
  it('an owner adds a reader, whose link works once and whose menu shows no owner pages', async () => {
    const name = `reader ${crypto.randomUUID()}`
    await removeAtEnd(name)
    const page = await visit()
    await page.goto('/console/administrators')
    await page.getByRole('button', { name: 'Add administrator' }).click()
    await page.getByLabel('Name', { exact: true }).fill(name)
    await page.locator('#role').getByText('Reader', { exact: true }).click()
    await page.getByRole('button', { name: 'Add and create link' }).click()
    const link = await page.getByText('/console/enter#').textContent()
    await page.getByRole('cell', { name, exact: true }).waitFor()
    expect(await accessibilityFaults(page)).toEqual([])

    const other = await visit()
    await other.context().clearCookies()
    await other.goto(link!)
    await other.getByLabel('New password').fill('correct horse battery')
    await other.getByRole('button', { name: 'Save password' }).click()
    await other.getByRole('heading', { name: 'Apps' }).waitFor()
    await other.getByRole('menuitem', { name: 'Audit log' }).waitFor()
    expect(await other.getByRole('menuitem', { name: 'Administrators' }).count()).toBe(0)
    await other.goto('/console/administrators')
    await other.getByText('Only owners can do this.').first().waitFor()

    await page.goto('/console/audit')
    const line = page
      .getByRole('row')
      .filter({ hasText: '/admin/administrators' })
      .filter({ hasText: 'name, role, apps' })
    await line.first().waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
  })

  it('asks for a one-time code at the next login after the codes are confirmed', async () => {
    const page = await visit({ colorScheme: 'dark' })
    await page.goto('/console/profile')
    const password = page.getByLabel('New password')
    await password.fill('correct horse battery')
    await page.getByRole('button', { name: 'Set password' }).click()
    await page.getByText('Password set.').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    const codes = page.locator('.ant-card').filter({ hasText: 'One-time codes' })
    await codes.getByLabel('Current password').fill('correct horse battery')
    await codes.getByRole('button', { name: 'Enable one-time codes' }).click()
    const secret = (await codes.locator('code').textContent())!
    const totp = new TOTP({ secret, period: 30, digits: 6 })
    await codes.getByLabel('Code from the app').fill(totp.generate())
    await codes.getByRole('button', { name: 'Confirm' }).click()
    await codes.getByText('Each login requires a code').waitFor()

    const { administrator } = (await (await page.request.get('/admin/me', { headers: FETCHED })).json()) as {
      administrator: Known
    }
    await page.getByRole('button', { name: /^Your account/ }).click()
    await page.getByRole('menuitem', { name: 'Log out' }).click()
    await page.getByLabel('Name').fill(administrator.name)
    await page.getByLabel('Password', { exact: true }).fill('correct horse battery')
    await page.getByRole('button', { name: 'Log in' }).click()
    // A code is valid once, so this uses the code of the next 30 seconds.
    await page.getByLabel('One-time code').fill(totp.generate({ timestamp: Date.now() + 30_000 }))
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('heading', { name: 'Apps' }).waitFor()
  })
})
