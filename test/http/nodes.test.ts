import { afterAll, expect, it } from 'vitest'
import { call } from '../support/app.ts'
import { makeHome } from '../support/home.ts'
import { emptyDatabase } from '../support/scratch-database.ts'

const TOKEN = 'token-of-the-administrator-of-two-nodes'
const KEYS = {
  HOMEPORT_APP_ID: 'nodes',
  HOMEPORT_APP_KEY: 'nodes-app-key',
  HOMEPORT_MASTER_KEY: 'nodes-master-key',
  HOMEPORT_ADMIN_TOKEN: TOKEN,
}
const HEADERS = { 'x-lc-id': 'nodes', 'x-lc-key': 'nodes-app-key', 'content-type': 'application/json' }

// Outside of tests: what is registered to run after all of them is not heard inside one.
const databaseUrl = await emptyDatabase()
const first = await makeHome(afterAll).start(['--database-url', databaseUrl], KEYS)
const second = await makeHome(afterAll).start(['--database-url', databaseUrl], KEYS)

it('a second node on the same database finds what the first has made', async () => {
  const made = await call(first.url, 'POST', '/1.1/classes/Shared', HEADERS, { n: 1 })
  expect(made.status).toBe(201)
  const path = `/1.1/classes/Shared/${made.body.objectId}`
  expect((await call(second.url, 'GET', path, HEADERS, undefined)).body.n).toBe(1)
  expect((await call(second.url, 'POST', '/1.1/classes/Shared', HEADERS, { n: 'text' })).body.code).toBe(111)
  expect((await call(second.url, 'PUT', path, HEADERS, { n: { __op: 'Increment', amount: 2 } })).status).toBe(200)
  expect((await call(first.url, 'GET', path, HEADERS, undefined)).body.n).toBe(3)
})

it('a class that the first node has just made and closed is closed on the second', async () => {
  const administrator = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
  for (const [className, body] of [
    ['Closed', {}],
    ['ClosedToo', { n: 1 }],
  ] as const) {
    const permissions = { create: 'master' }
    const closed = await call(first.url, 'PATCH', `/admin/apps/nodes/classes/${className}`, administrator, {
      permissions,
    })
    expect(closed.status).toBe(200)
    const path = `/1.1/classes/${className}`
    const requests = [{ method: 'POST', path, body }]
    const [refused, batch] = await Promise.all([
      call(second.url, 'POST', path, HEADERS, body),
      call(second.url, 'POST', '/1.1/batch', HEADERS, { requests }),
    ])
    expect({ status: refused.status, body: refused.body }).toMatchObject({ status: 403, body: { code: 403 } })
    expect(batch.body).toMatchObject([{ error: { code: 403 } }])
  }
})
