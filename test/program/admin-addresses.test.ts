import { expect, test } from 'vitest'
import { call, makeApp } from '../support/app.ts'
import { type OwnServer, startOwnServer } from '../support/own-server.ts'

const restricted = ['--admin-addresses', '192.0.2.0/24']
const named = await startOwnServer([...restricted, '--trusted-proxies', 'loopback'])
const unnamed = await startOwnServer(restricted)

const ask = (server: OwnServer, address: string, token = server.adminToken) =>
  call(server.url, 'GET', '/admin/apps', { authorization: `Bearer ${token}`, 'x-forwarded-for': address }, undefined)

test('the administrator token is accepted only from the configured addresses', async () => {
  expect((await ask(named, '192.0.2.1')).status).toBe(200)
  expect(await ask(named, '198.51.100.1')).toMatchObject({
    status: 403,
    body: { code: 403, error: 'Administrators cannot log in from 198.51.100.1 (--admin-addresses).' },
  })
  expect((await ask(named, '198.51.100.1', 'wrong')).status).toBe(401)
})

test("an untrusted proxy's claimed address does not admit an administrator", async () => {
  expect(await ask(unnamed, '192.0.2.1')).toMatchObject({
    status: 403,
    body: {
      error: expect.stringMatching(/^Administrators cannot log in from 192\.0\.2\.1 by the proxy .*--trusted-proxies/),
    },
  })
})

test("an untrusted proxy's claimed address does not admit the master key", async () => {
  const app = await makeApp()
  const settings = { security: { masterKeyAddresses: ['192.0.2.0/24'] } }
  expect((await app.admin('PATCH', '/settings', settings)).status).toBe(200)
  const headers = { 'x-forwarded-for': '192.0.2.1' }
  const body = { text: 'a' }
  expect(await app.request('POST', '/1.1/classes/Post', { headers, body, master: true })).toMatchObject({
    status: 403,
    body: { error: expect.stringContaining('--trusted-proxies does not name') },
  })
  expect((await app.request('POST', '/1.1/classes/Post', { headers, body })).status).toBe(201)
})
