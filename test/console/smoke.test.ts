import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { makeApp } from '../support/app.ts'
import { chromium } from '../support/browser.ts'
import { administrate, consoleTests } from '../support/console.ts'

// One test per area of the console: it shows server data in a real browser without script errors. The full suite tests each area
// with every dialog, role, language and screen width.

const visit = consoleTests()
const app = await makeApp()

interface Area {
  readonly area: string
  /** The path below `/console/`; `:app` is the app's id. */
  readonly path: string
  /** A text from the data of the app or the server. */
  readonly shows: string | RegExp
}

const AREAS: readonly Area[] = [
  { area: 'the overview of an app', path: 'apps/:app/', shows: 'App ID' },
  { area: 'a class', path: 'apps/:app/classes/Entry?tab=schema', shows: 'headline' },
  { area: 'users', path: 'apps/:app/users', shows: 'quentin' },
  { area: 'roles', path: 'apps/:app/roles', shows: 'wardens' },
  { area: 'files', path: 'apps/:app/files', shows: 'picture.txt' },
  { area: 'messaging', path: 'apps/:app/messaging', shows: 'tea' },
  { area: 'push', path: 'apps/:app/push', shows: 'rising' },
  { area: 'devices', path: 'apps/:app/push/devices', shows: 'tides' },
  { area: 'cloud code', path: 'apps/:app/cloud-code', shows: /leanengine|cloud code/i },
  { area: 'the code for SDKs', path: 'apps/:app/connect', shows: 'leancloud-storage' },
  { area: 'moving in', path: 'apps/:app/moving-in', shows: /export/i },
  { area: 'settings', path: 'apps/:app/settings', shows: 'Clients can create classes' },
  { area: 'health', path: 'health', shows: 'HTTP connections' },
  { area: 'backups', path: 'backups', shows: 'Back up now' },
  { area: 'administrators', path: 'administrators', shows: /visitor [0-9a-f-]{36}/ },
  { area: 'the audit log', path: 'audit', shows: '/admin/administrators' },
]

const create = async (path: string, body: object) => {
  const reply = await app.request('POST', path, { master: true, body })
  expect(reply.status, JSON.stringify(reply.body)).toBeLessThan(300)
  return reply.body
}

/** Navigates to a page as a link of the console does; loading the console for each page would take half a second of CPU time. */
async function open(page: Page, path: string): Promise<void> {
  const url = `/console/${path.replace(':app', app.appId)}`
  if (page.url() === 'about:blank') await page.goto(url)
  else await page.evaluate(`__TSR_ROUTER__.history.push(${JSON.stringify(url)})`)
}

describe.skipIf(chromium === null)('the console', () => {
  beforeAll(async () => {
    await app.makeUser('quentin')
    await create('/1.1/classes/Entry', { headline: 'a headline', n: 7 })
    await create('/1.1/roles', { name: 'wardens', ACL: {} })
    await create('/1.1/files/picture.txt', { base64: Buffer.from('words').toString('base64') })
    await create('/1.2/rtm/conversations', { name: 'tea', m: ['quentin', 'ruth'] })
    await create('/1.1/installations', { deviceType: 'android', installationId: 'quentins', channels: ['tides'] })
    await create('/1.1/push', { channels: ['tides'], data: { alert: 'rising' } })
  })

  it('shows each area', async () => {
    const page = await visit()
    for (const { area, path, shows } of AREAS) {
      await open(page, path)
      const isShown = () => page.getByRole('main').getByText(shows).first().isVisible()
      await expect.poll(isShown, { message: area, timeout: 60_000 }).toBe(true)
    }
  })

  it('creates an app', async () => {
    const page = await visit()
    await open(page, '')
    const name = `created ${crypto.randomUUID()}`
    await page.getByRole('button', { name: 'New app' }).first().click()
    await page.getByRole('dialog').getByLabel('Name').fill(name)
    await page.getByRole('button', { name: 'Create app' }).click()
    await page.getByRole('button', { name: 'Open app' }).click()
    await page.getByText('This app is empty').waitFor()
    const appId = new URL(page.url()).pathname.split('/').at(-1)!
    onTestFinished(async () => {
      await administrate('DELETE', `/admin/apps/${appId}`)
    })
    expect(await administrate('GET', `/admin/apps/${appId}`)).toMatchObject({ appId, name })
  })

  it('adds a row to a class', async () => {
    const page = await visit()
    await open(page, 'apps/:app/data/Entry')
    await page.getByRole('gridcell', { name: 'a headline' }).waitFor()
    await page.getByRole('button', { name: 'Add row' }).last().click()
    const count = async () =>
      (await app.request('GET', '/1.1/classes/Entry', { master: true, query: { count: '1', limit: '0' } })).body.count
    await expect.poll(count).toBe(2)
  })

  it('asks visitors without a session to log in', async () => {
    const page = await visit()
    await page.context().clearCookies()
    await open(page, 'apps/:app/users')
    await page.getByRole('heading', { name: /log in/i }).waitFor()
  })
})
