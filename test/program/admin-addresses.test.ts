import { expect, test } from 'vitest'
import { call } from '../support/app.ts'
import { startOwnServer } from '../support/own-server.ts'

const server = await startOwnServer(['--admin-addresses', '192.0.2.0/24'])

test("the administrator's token counts from the addresses that are named", async () => {
  const ask = (address: string, token = server.adminToken) =>
    call(server.url, 'GET', '/admin/apps', { authorization: `Bearer ${token}`, 'x-forwarded-for': address }, undefined)
  expect((await ask('192.0.2.1')).status).toBe(200)
  expect(await ask('198.51.100.1')).toMatchObject({
    status: 403,
    body: { code: 403, error: 'Administrators are not let in from 198.51.100.1 (--admin-addresses).' },
  })
  expect((await ask('198.51.100.1', 'wrong')).status).toBe(401)
})
