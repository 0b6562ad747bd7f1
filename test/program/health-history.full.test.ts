import { expect, it, onTestFinished } from 'vitest'
import { makeHome } from '../support/home.ts'

const ADMIN = { authorization: 'Bearer token-of-this-administrator' }

interface History {
  readonly points: readonly { readonly node: string; readonly requests: number; readonly p99: number | null }[]
}

it('measurements of a node survive a restart', async () => {
  const home = makeHome(onTestFinished)
  const environment = { HOMEPORT_ADMIN_TOKEN: 'token-of-this-administrator', HOMEPORT_APP_ID: 'app' }
  const keys = { HOMEPORT_APP_KEY: 'key-of-the-app', HOMEPORT_MASTER_KEY: 'master-key-of-the-app' }
  const first = await home.start([], { ...environment, ...keys })
  for (let n = 0; n < 20; n++)
    await fetch(`${first.url}/1.1/date`, { headers: { 'x-lc-id': 'app', 'x-lc-key': 'key-of-the-app' } })
  await first.stop()
  const { url } = await home.start(['--port', new URL(first.url).port], { ...environment, ...keys })
  const { points } = (await (await fetch(`${url}/admin/health/history?step=60`, { headers: ADMIN })).json()) as History
  expect(new Set(points.map(({ node }) => node)).size).toBe(1)
  const busy = points.find(({ p99 }) => p99 !== null)
  expect(busy!.requests).toBeGreaterThan(0)
  const state = await (await fetch(`${url}/admin/health`, { headers: ADMIN })).json()
  expect(state).toMatchObject({ node: points[0]!.node, database: { failedJobs: 0 }, redis: null })
})
