import { describe, expect, it } from 'vitest'
import { accessibilityFaults } from '../support/accessibility.ts'
import { makeApp } from '../support/app.ts'
import { chromium } from '../support/browser.ts'
import { consoleTests, widthOf } from '../support/console.ts'

const visit = consoleTests()
const app = await makeApp()
const base = `/console/apps/${app.appId}`
const EVIL = '<img src=x onerror=alert(1)>'

const logIn = (username: string, password = `password of ${username}`) =>
  app.request('POST', '/1.1/login', { body: { username, password } })

describe.skipIf(chromium === null)('users in the console', () => {
  it('unlocks a user, resets its password and revokes its sessions', async () => {
    const { id, session } = await app.makeUser('locked')
    await app.makeUser(EVIL)
    const linked = { authData: { weixin: { openid: 'who it is there', access_token: 'what nobody sees' } } }
    await app.request('PUT', `/1.1/users/${id}`, { body: { ...linked, email: 'locked@example.org' }, session })
    for (let time = 0; time < 7; time++) await logIn('locked', 'wrong')
    expect((await logIn('locked')).body.code).toBe(219)

    const page = await visit()
    await page.goto(`${base}/users`)
    await page.getByText(EVIL).waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByLabel('Name, email, phone or objectId').fill('lock')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.getByText(EVIL).count()).toBe(0)
    await page.getByRole('button', { name: 'locked', exact: true }).click()
    await page.getByText('who it is there').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByRole('button', { name: 'Unlock' }).click()
    await page.getByText('User unlocked').waitFor()
    expect((await logIn('locked')).status).toBe(200)

    await page.getByRole('button', { name: 'Set password' }).click()
    await page.getByRole('dialog').getByLabel('Password').fill('another password')
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).last().click()
    await page.getByText('Password changed').waitFor()
    expect((await logIn('locked', 'another password')).status).toBe(200)

    await page.getByRole('button', { name: 'Log out everywhere' }).click()
    await page
      .getByRole('tooltip', { name: /Replaces the session token/ })
      .getByRole('button', { name: 'OK' })
      .click()
    await page.getByText('User logged out everywhere').waitFor()
    expect((await app.request('GET', '/1.1/users/me', { session })).status).toBe(400)

    await page.getByRole('button', { name: 'Unlink weixin' }).click()
    await page
      .getByRole('tooltip', { name: /can no longer log in with this account/ })
      .getByRole('button', { name: 'OK' })
      .click()
    await page.getByText('Account unlinked').waitFor()
    expect(await page.content()).not.toContain('what nobody sees')

    await page.getByLabel('Username').fill('let in')
    await page.getByRole('button', { name: 'Save' }).first().click()
    await page.getByText('User saved').waitFor()
    await page.getByRole('button', { name: 'Delete this user' }).click()
    await page.getByLabel('Type let in to confirm').fill('let in')
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByText('User deleted').waitFor()
    expect((await app.request('GET', `/1.1/users/${id}`, { master: true })).body.code).toBe(211)
  })

  it('creates a user and a role, adds the user to the role, and shows a role cycle without endless recursion', async () => {
    const page = await visit({ colorScheme: 'dark' })
    await page.goto(`${base}/users`)
    await page.getByRole('button', { name: 'New user' }).first().click()
    await page.getByLabel('Username').fill('moderating')
    await page.getByLabel('Password').fill('password of moderating')
    await page.getByRole('button', { name: 'Create user' }).click()
    await page.getByText('Not a direct member of any role.').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])

    await page.goto(`${base}/roles`)
    await page.getByRole('button', { name: 'New role' }).first().click()
    await page.getByLabel('Name', { exact: true }).fill('moderators')
    await page.getByRole('button', { name: 'Create role' }).click()
    await page.getByRole('heading', { name: 'moderators' }).waitFor()
    await page.getByLabel('Add user').first().fill('moder')
    await page.locator('.ant-select-item-option', { hasText: 'moderating' }).click()
    await page.getByRole('link', { name: 'moderating' }).waitFor()
    const { body } = await app.request('GET', '/1.1/roles', { master: true })
    const id = body.results[0].objectId as string
    const circle = { __op: 'AddRelation', objects: [{ __type: 'Pointer', className: '_Role', objectId: id }] }
    await app.request('PUT', `/1.1/roles/${id}`, { body: { roles: circle }, master: true })
    await page.reload()
    await page.locator('.ant-tree-switcher').first().click()
    await page.getByText('moderators (circular)').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByRole('button', { name: 'Remove moderating' }).click()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Undone').waitFor()
    await page.getByRole('link', { name: 'moderating' }).waitFor()
  })

  it('edits the ACL of a role, deletes the role, and requests a password reset mail', async () => {
    const everybody = { '*': { read: true, write: true } }
    const made = await app.request('POST', '/1.1/roles', { master: true, body: { name: 'doormen', ACL: everybody } })
    const id = made.body.objectId as string
    const page = await visit()
    await page.goto(`${base}/roles?role=${id}`)
    await page.getByRole('checkbox', { name: 'Write: Everyone' }).uncheck()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('ACL saved').waitFor()
    const stored = async () =>
      (await app.admin('POST', '/classes/_Role/find', { where: { objectId: id } })).body.results as { ACL: object }[]
    expect((await stored())[0]!.ACL).toEqual({ '*': { read: true } })
    await page.getByRole('button', { name: 'Delete this role' }).click()
    await page.getByLabel('Type doormen to confirm').fill('doormen')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
    await expect.poll(stored).toEqual([])

    const { id: user, session } = await app.makeUser('forgetful')
    await app.request('PUT', `/1.1/users/${user}`, { body: { email: 'forgetful@example.org' }, session })
    await page.goto(`${base}/users?user=${user}`)
    await page.getByRole('button', { name: 'Send password reset email' }).click()
    await page.getByText('Password reset email sent').waitFor()
  })

  it('a reader views users in Chinese on a phone without controls that change them', async () => {
    const { id } = await app.makeUser('seen')
    const page = await visit({ role: 'reader', apps: [app.appId], locale: 'zh-CN', width: 375, height: 740 })
    await page.goto(`${base}/users`)
    await page.getByRole('button', { name: 'seen' }).waitFor()
    expect(await widthOf(page)).toBeLessThanOrEqual(375)
    await page.goto(`${base}/users?user=${id}`)
    await page.getByText('有 sessionToken').waitFor()
    for (const name of ['保存', '设置密码', '删除此用户', '创建用户'])
      expect([name, await page.getByRole('button', { name }).count()]).toEqual([name, 0])
    expect(await accessibilityFaults(page)).toEqual([])
    await page.goto(`${base}/roles`)
    await page.getByText('选择一个角色').waitFor()
    expect(await page.getByRole('button', { name: '创建角色' }).count()).toBe(0)
    expect(await widthOf(page)).toBeLessThanOrEqual(375)
  })
})
