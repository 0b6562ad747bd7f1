import { afterAll, expect, it } from 'vitest'
import { call } from '../support/app.ts'
import { makeHome } from '../support/home.ts'
import { emptyDatabase } from '../support/scratch-database.ts'

const KEYS = { HOMEPORT_APP_ID: 'nodes', HOMEPORT_APP_KEY: 'nodes-app-key', HOMEPORT_MASTER_KEY: 'nodes-master-key' }
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
