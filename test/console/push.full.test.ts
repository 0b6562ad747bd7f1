import type { ServerResponse } from 'node:http'
import pg from 'pg'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import type { GenericCommand } from '../../src/realtime-protocol/schema.ts'
import { accessibilityFaults } from '../support/accessibility.ts'
import { makeApp } from '../support/app.ts'
import { chromium } from '../support/browser.ts'
import { consoleTests, FETCHED, widthOf } from '../support/console.ts'
import { connect } from '../support/raw-connection.ts'
import { standInSettings, startStandInVendors } from '../support/stand-in-vendors.ts'

const visit = consoleTests()
const app = await makeApp()
const HOSTILE = '<img src=x onerror="document.title=1">'
const pages = `/console/apps/${app.appId}/push`

const install = async (fields: object): Promise<string> => {
  const { status, body } = await app.request('POST', '/1.1/installations', { body: fields })
  expect(status, JSON.stringify(body)).toBe(201)
  return body.objectId
}
interface Result {
  readonly id: string
  readonly status: string
  readonly data: { readonly alert?: string }
}
const resultsOf = async (alert: string): Promise<Result> =>
  (await app.admin('GET', '/pushes')).body.pushes.find(({ data }: Result) => data.alert === alert)
const isData = ({ cmd }: GenericCommand) => cmd === 'data'

/** Connects a device by the built-in push channel, as the Android client does. */
async function ownDevice(installationId: string, fields: object = {}) {
  const id = await install({ deviceType: 'android', installationId, ...fields })
  const connection = await connect(app)
  connection.send({ cmd: 'login', appId: app.appId, installationId })
  await connection.take(({ cmd }) => cmd === 'loggedin')
  return {
    id,
    received: async () => {
      const { dataMessage } = await connection.take(isData)
      connection.send({ cmd: 'ack', installationId, ackMessage: { ids: [...dataMessage!.ids!] } })
      return JSON.parse(dataMessage!.msg![0]!.data!) as object
    },
  }
}

describe.skipIf(chromium === null)('push in the console', () => {
  it('composes a push, counts its audience, delivers it to a device and shows the result', async () => {
    const device = await ownDevice('tea phone', { channels: ['tea'], level: 7 })
    await install({ deviceType: 'ios', deviceToken: 'ab'.repeat(32), channels: ['tea'] })
    const page = await visit()
    await page.goto(pages)
    await page.getByText('No pushes in the last seven days').waitFor()
    await page.getByRole('button', { name: 'New push' }).click()
    await page.getByText('Enter a text.').waitFor()
    await page.getByLabel('Title', { exact: true }).fill(`Kettle ${HOSTILE}`)
    await page.getByLabel('Text', { exact: true }).fill(`Tea is ready ${HOSTILE}`)
    await page.getByText('Channels', { exact: true }).click()
    await page.getByRole('combobox', { name: 'Channels' }).fill('tea,')
    await page.getByText('2 devices').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByText('Conditions', { exact: true }).click()
    await page.getByRole('button', { name: 'Add condition' }).click()
    await page.getByLabel('Field', { exact: true }).fill('level')
    await page.getByTitle('level', { exact: true }).click()
    await page.getByLabel('Value', { exact: true }).fill('7')
    await page.getByText('1 device', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Send…' }).click()
    await page.getByRole('dialog').getByText('1 device', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Send now' }).click()
    expect(await device.received()).toMatchObject({ alert: `Tea is ready ${HOSTILE}`, title: `Kettle ${HOSTILE}` })

    await page.getByRole('heading', { name: `Tea is ready ${HOSTILE}` }).waitFor()
    await page.getByText('Done').waitFor()
    await page.getByRole('row', { name: /Built-in push channel 1 0/ }).waitFor({ timeout: 60_000 })
    expect(await accessibilityFaults(page)).toEqual([])

    await app.request('POST', '/1.1/push', {
      master: true,
      body: { data: { alert: 'Biscuits' }, where: { deviceType: 'ios' } },
    })
    await page.goto(pages)
    await page.getByRole('link', { name: 'Biscuits' }).click()
    await page.getByRole('cell', { name: "there are no credentials for '_default'" }).waitFor()
    await page.getByText('Failed', { exact: true }).first().waitFor()
  })

  it('schedules and cancels a push', async () => {
    await install({ deviceType: 'ios', deviceToken: 'cd'.repeat(32), channels: ['later'] })
    const page = await visit({ colorScheme: 'dark' })
    await page.goto(`${pages}/new`)
    await page.getByLabel('Text', { exact: true }).fill('See you tomorrow')
    await page.getByText('JSON condition').click()
    await page.getByRole('textbox', { name: 'JSON condition' }).fill('{"channels":"later"}')
    await page.getByText('1 device', { exact: true }).waitFor()
    await page.getByLabel('Send at').fill('2030-01-02T03:04')
    await page.getByRole('button', { name: 'Schedule…' }).click()
    await page.getByRole('button', { name: 'Schedule', exact: true }).click()
    await page.getByText('Scheduled', { exact: true }).last().waitFor()
    await page.goto(`${pages}/scheduled`)
    await page
      .getByRole('row', { name: /See you tomorrow/ })
      .getByText(/Jan 2, 2030/)
      .waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByRole('button', { name: 'Cancel: See you tomorrow' }).click()
    await page.getByRole('button', { name: 'Cancel push' }).click()
    await page.getByText('No scheduled pushes').waitFor()
    const { body } = await app.request('GET', '/1.1/scheduledPushMessages', { master: true })
    expect(body.results).toEqual([])
  })

  it('finds a device, sends it a test push, and deletes it', async () => {
    const device = await ownDevice(`phone ${HOSTILE}`, { channels: [`a${Date.now()}`] })
    const page = await visit()
    await page.goto(`${pages}/devices`)
    await page.getByRole('button', { name: device.id }).waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByLabel('objectId, installationId or token').fill(`phone ${HOSTILE}`)
    await page.keyboard.press('Enter')
    await expect.poll(() => page.getByRole('row').count()).toBe(2)
    await page.getByRole('button', { name: device.id }).click()
    await page.getByRole('button', { name: 'Push to this device' }).click()
    await page.getByLabel('Text', { exact: true }).fill('Just a test')
    await page.getByText('1 device', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Send…' }).click()
    await page.getByRole('button', { name: 'Send now' }).click()
    expect(await device.received()).toMatchObject({ alert: 'Just a test' })

    await page.goto(`${pages}/devices?id=${device.id}`)
    await page.getByRole('button', { name: device.id }).click()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog', { name: 'Delete this device?' }).getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No devices').waitFor()
  })

  it('retries devices that a provider rejected too often; a reader cannot', async () => {
    const vendors = await startStandInVendors()
    onTestFinished(() => vendors.stop())
    const { mi } = standInSettings(vendors.url)
    await app.admin('PATCH', '/settings', { push: { mi } })
    const deviceToken = 'a-device-of-mi'
    await install({
      deviceType: 'android',
      deviceToken,
      registrationId: deviceToken,
      vendor: 'mi',
      channels: ['again'],
    })
    const state = vendors.vendors.mi
    const isBusy = (response: ServerResponse) => void response.writeHead(503).end()
    state.faults.push(...Array.from({ length: 50 }, () => isBusy))
    await app.request('POST', '/1.1/push', {
      master: true,
      body: { data: { alert: 'Once more' }, channels: ['again'] },
    })
    const client = new pg.Client(inject('databaseUrl'))
    await client.connect()
    onTestFinished(() => client.end())
    // As if it had been retried for seventeen minutes.
    const page = await visit()
    await expect
      .poll(
        async () => {
          await client.query(`UPDATE "app_${app.appId}"."$push_pages" SET attempt = 9 WHERE attempt > 0`)
          return (await resultsOf('Once more')).status
        },
        { timeout: 60_000 },
      )
      .toBe('error')
    state.faults.length = 0
    await page.goto(pages)
    await page.getByRole('link', { name: 'Once more' }).click()
    const reader = await visit({ role: 'reader', apps: [app.appId] })
    await reader.goto(new URL(page.url()).pathname)
    await reader.getByRole('heading', { name: 'Once more' }).waitFor()
    expect(await reader.getByRole('button', { name: 'Retry' }).count()).toBe(0)
    const { id } = await resultsOf('Once more')
    const { csrfToken } = await (await reader.request.get('/admin/me', { headers: FETCHED })).json()
    const byHand = await reader.request.post(`/admin/apps/${app.appId}/pushes/${id}/retry`, {
      headers: { 'x-csrf-token': csrfToken },
      data: {},
    })
    expect(byHand.status()).toBe(403)
    await page.getByRole('button', { name: 'Retry' }).click()
    await page.getByRole('tooltip').getByRole('button', { name: 'Retry' }).click()
    await expect.poll(() => state.delivered.get(deviceToken), { timeout: 60_000 }).toBe(1)
    await page.getByText('Done', { exact: true }).waitFor({ timeout: 60_000 })
    await expect.poll(() => page.getByRole('button', { name: 'Retry' }).count()).toBe(0)
    const again = await app.admin('POST', `/pushes/${id}/retry`, {})
    expect(again).toMatchObject({ status: 400 })
  })

  it('checks credentials with their providers; a reader can only view', async () => {
    const vendors = await startStandInVendors()
    try {
      const { hms, mi } = standInSettings(vendors.url)
      const wrong = { ...mi._default, appSecret: 'wrong-secret' }
      await app.admin('PATCH', '/settings', { push: { hms, mi: { _default: wrong } } })
      const page = await visit()
      await page.goto(`${pages}/credentials`)
      await page.getByRole('button', { name: 'Check: HMS _default' }).click()
      await page.getByText('The provider accepts the credentials.').waitFor()
      await page.getByRole('button', { name: 'Check: Mi _default' }).click()
      await page.getByText('The provider rejects the credentials.').waitFor()
      await page.getByText(/21301/).waitFor()
      expect(await page.content()).not.toContain('wrong-secret')
      expect(await accessibilityFaults(page)).toEqual([])
    } finally {
      await vendors.stop()
    }

    const narrow = { role: 'reader', apps: [app.appId], locale: 'zh-CN', width: 375, height: 740 } as const
    const reader = await visit(narrow)
    for (const place of ['', '/scheduled', '/devices', '/credentials', '/new']) {
      await reader.goto(pages + place)
      await reader.getByRole('heading', { level: 1 }).waitFor()
      await reader.getByRole('navigation', { name: '推送' }).waitFor()
      expect(await widthOf(reader)).toBeLessThanOrEqual(375)
      expect(await reader.getByRole('button', { name: /创建|检查|取消|发送|删除/ }).count()).toBe(0)
    }
    const refused = await reader.evaluate(`fetch('/admin/me').then((answer) => answer.json()).then(({ csrfToken }) =>
      fetch('/admin/apps/${app.appId}/push-credentials/check', {
        method: 'POST', headers: { 'x-csrf-token': csrfToken, 'content-type': 'application/json' },
        body: '{"provider":"mi","kind":"account","name":"_default"}' })).then(({ status }) => status)`)
    expect(refused).toBe(403)
    // Such a condition would reveal a token letter by letter.
    const where = encodeURIComponent('{"deviceToken":{"$regex":"^a"}}')
    const asked = await reader.request.get(`/admin/apps/${app.appId}/pushes/audience?where=${where}`)
    expect(asked.status()).toBe(403)
  })
})
