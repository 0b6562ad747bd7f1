import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { startCaddy, startNginx } from '../../scripts/smoke/start-proxies.mjs'
import { makeApp } from '../support/app.ts'
import { findProgram } from '../support/find-program.ts'

const proxies = [
  { name: 'nginx', program: findProgram('HOMEPORT_TEST_NGINX', ['nginx'], ['/usr/sbin/nginx']), start: startNginx },
  { name: 'caddy', program: findProgram('HOMEPORT_TEST_CADDY', ['caddy'], ['/usr/bin/caddy']), start: startCaddy },
]
for (const { name, program } of proxies)
  if (program === null)
    console.warn(`Tests behind ${name} are skipped: it was not found (Debian: apt-get install ${name}).`)

test.for(proxies)('clients work behind $name with the shipped configuration', async ({ program, start }, { skip }) => {
  if (program === null) return skip()
  const app = await makeApp()
  const directory = mkdtempSync(join(tmpdir(), 'homeport-test-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const proxy = await start(program, directory, new URL(app.url).host)
  onTestFinished(() => proxy.stop())
  const script = fileURLToPath(new URL('../../scripts/smoke/client-behind-proxy.mjs', import.meta.url))
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [script, proxy.url, proxy.plainUrl, app.appId, app.appKey],
    { env: { ...process.env, NODE_EXTRA_CA_CERTS: proxy.authority } },
  )
  expect(stdout.trim().split('\n')).toEqual([
    'HTTP is redirected to HTTPS',
    '104857600 bytes uploaded',
    'the file and ranges of it downloaded',
    expect.stringMatching(/^a query of \d{5} characters$/),
    'a chat over wss',
  ])
})
