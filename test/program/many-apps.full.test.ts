import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { call } from '../support/app.ts'
import { makeHome } from '../support/home.ts'

/** More than the embedded database has connections. */
const APPS = 120

const home = makeHome(afterAll)

test('a server with more apps than its database has connections starts', async () => {
  const first = await home.start()
  const token = readFileSync(join(home.data, 'admin-token'), 'utf8').trim()
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  let left = APPS - 1
  const create = async () => {
    for (; left > 0; ) {
      left--
      expect((await call(first.url, 'POST', '/admin/apps', headers, { name: `app ${left}` })).status).toBe(201)
    }
  }
  await Promise.all([create(), create(), create(), create()])
  expect(await first.stop()).toBe(0)

  const second = await home.start()
  const { body } = await call(second.url, 'GET', '/admin/apps', headers, undefined)
  expect(body.apps).toHaveLength(APPS)
  expect(second.output()).not.toContain('too many clients')
  expect(await second.stop()).toBe(0)
}, 600_000)
