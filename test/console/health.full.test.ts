import pg from 'pg'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { accessibilityFaults } from '../support/accessibility.ts'
import { chromium } from '../support/browser.ts'
import { administrate, consoleTests, widthOf } from '../support/console.ts'

const visit = consoleTests()

/** Creates a failed job of a kind without a handler. */
async function failedJob(): Promise<{ readonly kind: string; readonly id: number }> {
  const kind = `test ${crypto.randomUUID()}`
  const id = 1_000_000_000_000 + Math.floor(Math.random() * 1_000_000_000_000)
  await runStatement(
    `INSERT INTO homeport.failed_jobs (id, kind, payload, attempts, error) VALUES ($1, $2, '{"secret":"of it"}', 3, 'refused')`,
    [id, kind],
  )
  onTestFinished(() => runStatement('DELETE FROM homeport.jobs WHERE kind = $1', [kind]))
  return { kind, id }
}

describe.skipIf(chromium === null)('health', () => {
  it('shows an owner current and past health, without accessibility violations in light and dark mode', async () => {
    const page = await visit()
    await page.goto('/console/health')
    await page.getByText('HTTP connections').waitFor()
    await page.getByRole('img', { name: 'Latency: Day' }).waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.locator('html[data-appearance="dark"]').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByText('Week', { exact: true }).click()
    await page.waitForURL('**/health?range=week')
    await page.reload()
    await page.getByRole('img', { name: 'Latency: Week' }).waitFor()
    await page.getByRole('tab', { name: 'Requests' }).click()
    // The first row contains the column headers; the slowest endpoints depend on the requests of other tests.
    await page.getByRole('row').nth(1).waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByRole('tab', { name: 'Log' }).click()
    await page.getByText(/newest first/).waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
  })

  it('shows current alerts, and sends a test alert', async () => {
    const page = await visit()
    await page.route('**/admin/alerts', (route) =>
      route.fulfill({
        json: {
          alerts: [
            {
              alert: 'disk',
              node: 'one:3000',
              problem: { code: 'alertDisk', free: 100, total: 5000 },
              since: '2026-11-27T08:00:00.000Z',
            },
          ],
        },
      }),
    )
    await page.goto('/console/health')
    const alert = page.getByRole('list', { name: 'Current alerts' }).getByRole('listitem')
    await alert.getByText('The disk of the data directory has 100 MB free of 5000 MB.').waitFor()
    await alert.getByText(/node one:3000/).waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByRole('button', { name: 'Send a test alert' }).click()
    await page.getByText(/No recipients are configured/).waitFor()
  })

  it('reruns a failed job, and discards it only after confirmation', async () => {
    const retried = await failedJob()
    const discarded = await failedJob()
    const page = await visit()
    await page.goto('/console/health?tab=jobs')
    const row = (kind: string) => page.getByRole('row').filter({ hasText: kind })
    await row(retried.kind).getByRole('button', { name: 'Retry' }).click()
    await row(retried.kind).waitFor({ state: 'detached' })
    await row(discarded.kind).getByRole('button', { name: 'Discard' }).click()
    await page.getByText('Discard this job?').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByRole('tooltip').getByRole('button', { name: 'Discard' }).click()
    await row(discarded.kind).waitFor({ state: 'detached' })
    const waiting = await administrate<{ jobs: { kind: string }[] }>('GET', '/admin/jobs?state=waiting')
    expect(waiting.jobs.map(({ kind }) => kind)).toContain(retried.kind)
    expect(waiting.jobs.map(({ kind }) => kind)).not.toContain(discarded.kind)
    expect(JSON.stringify(waiting)).not.toContain('of it')
  })

  it('is available in Chinese and fits a phone', async () => {
    const page = await visit({ locale: 'zh-CN', width: 375, height: 740 })
    for (const [tab, text] of [
      ['overview', '缓存命中率'],
      ['doctor', '解决办法：'],
      ['requests', '按接口统计'],
      ['jobs', '最终失败的任务保留一周'],
      ['log', '最近的日志'],
    ]) {
      await page.goto(`/console/health?tab=${tab}`)
      await page.getByText(text!).first().waitFor()
      expect(await widthOf(page)).toBeLessThanOrEqual(375)
    }
  })

  it.each(['light', 'dark'] as const)('log lines of every level are readable, %s', async (colorScheme) => {
    const page = await visit({ colorScheme })
    // The log levels of the shared server depend on earlier tests.
    const lines = ['error', 'warn', 'info', 'debug'].map((level, number) => ({
      number,
      text: JSON.stringify({ time: '2026-01-02T03:04:05.678Z', level, msg: `a line of ${level}`, detail: 1 }),
    }))
    await page.route('**/admin/log', (route) => route.fulfill({ json: { node: 'node', lines } }))
    await page.goto('/console/health?tab=log')
    await page.getByText('a line of debug').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
  })

  it('shows what the checks find, problems first, with their fixes, and checks again on request', async () => {
    const page = await visit()
    await page.goto('/console/health?tab=doctor')
    const findings = page.getByRole('list', { name: 'Findings' }).getByRole('listitem')
    await findings.getByText('Fix: Set HOMEPORT_SMTP_URL=').waitFor()
    const levels = (await findings.locator('.ant-tag').allTextContents()).map((text) =>
      ['Error', 'Warning', 'OK'].indexOf(text),
    )
    expect(levels).toEqual([...levels].sort())
    expect(await accessibilityFaults(page)).toEqual([])
    const repeated = page.waitForResponse('**/admin/doctor')
    await page.getByRole('button', { name: 'Check again' }).click()
    expect((await repeated).status()).toBe(200)
  })

  it('is restricted to owners', async () => {
    const page = await visit({ role: 'reader' })
    await page.goto('/console/health')
    await page.getByText('Only owners can do this.').first().waitFor()
    for (const path of ['/admin/health', '/admin/health/history', '/admin/jobs', '/admin/log'])
      expect((await page.request.get(path)).status()).toBe(403)
    const { id } = await failedJob()
    for (const send of [
      () => page.request.post(`/admin/jobs/${id}/retry`),
      () => page.request.delete(`/admin/jobs/${id}`),
    ])
      expect((await send()).status()).toBe(403)
  })

  it('rejects a history step that would return too many points', async () => {
    const from = new Date(Date.now() - 7 * 86_400_000).toISOString()
    await expect(administrate('GET', `/admin/health/history?from=${from}&step=60`)).rejects.toThrow("'step'")
  })
})

async function runStatement(text: string, values: readonly unknown[]): Promise<void> {
  const client = new pg.Client({ connectionString: inject('databaseUrl') })
  await client.connect()
  try {
    await client.query(text, [...values])
  } finally {
    await client.end()
  }
}
