import { mkdtempSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { exportFile } from '../import/imports.ts'
import { call } from '../support/app.ts'
import { freePort } from '../support/free-port.ts'
import { makeHome } from '../support/home.ts'
import { type Program, runProgram } from '../support/program.ts'
import { newDatabase } from '../support/scratch-database.ts'
import { hasSearchServer, startSearchServer } from '../support/search-server/start.ts'
import { CERTIFICATE } from '../support/stand-in-certificate.ts'
import { asUsual, startTlsProxy } from '../support/tls-proxy.ts'
import { withoutProgress } from '../support/without-progress.ts'

const TOKEN = 'token-of-the-administrator-of-searching-nodes'
const KEYS = {
  HOMEPORT_APP_ID: 'searching',
  HOMEPORT_APP_KEY: 'searching-app-key',
  HOMEPORT_MASTER_KEY: 'searching-master-key',
  HOMEPORT_ADMIN_TOKEN: TOKEN,
}
const HEADERS = { 'x-lc-id': 'searching', 'x-lc-key': 'searching-app-key', 'content-type': 'application/json' }
const ADMIN = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
const PASSWORD = 'secret of the search server'
const WAIT = { timeout: 60_000, interval: 50 }

describe.skipIf(!hasSearchServer)('nodes with an OpenSearch server behind TLS', async () => {
  if (!hasSearchServer) return
  const openSearch = await startSearchServer(afterAll)
  const folder = mkdtempSync(join(tmpdir(), 'homeport-search-nodes-'))
  afterAll(() => rm(folder, { recursive: true, force: true }))
  const certificate = join(folder, 'ca.pem')
  await writeFile(certificate, CERTIFICATE)
  const credentials = new Set<string | undefined>()
  const address = new URL(
    await startTlsProxy(openSearch.url, afterAll, (headers, from) => {
      credentials.add(headers.authorization)
      return asUsual(headers, from)
    }),
  )
  address.username = 'homeport'
  address.password = PASSWORD
  const closed = new URL(address)
  closed.port = String(await freePort())
  const trusting = { NODE_EXTRA_CA_CERTS: certificate, HOMEPORT_SEARCH_URL: address.href }

  const databaseUrl = await newDatabase()
  const start = () => makeHome(afterAll).start(['--database-url', databaseUrl], { ...KEYS, ...trusting })
  const [first, second] = [await start(), await start()]
  const write = (node: Program, text: string) => call(node.url, 'POST', '/1.1/classes/Shared', HEADERS, { text })
  const hits = async (node: Program, q: string): Promise<number> =>
    (await call(node.url, 'GET', `/1.1/search/select?clazz=Shared&q=${q}`, HEADERS, undefined)).body.hits

  it('authenticate, and each finds the writes of the other', async () => {
    const fields = { text: { type: 'String', searchable: true } }
    await call(first.url, 'PATCH', '/admin/apps/searching/classes/Shared', ADMIN, { fields })
    await expect.poll(() => hits(second, 'none'), WAIT).toBe(0)
    await write(first, 'from first')
    await expect.poll(() => hits(second, 'first'), WAIT).toBe(1)
    await write(second, 'from second')
    await expect.poll(() => hits(first, 'second'), WAIT).toBe(1)
    expect([...credentials]).toEqual([`Basic ${Buffer.from(`homeport:${PASSWORD}`).toString('base64')}`])
  })

  it('find imported objects', async () => {
    const times = { createdAt: '2019-03-04T05:06:07.089Z', updatedAt: '2021-03-04T05:06:07.001Z' }
    const rows = Array.from({ length: 3000 }, (_, n) => ({
      objectId: `imported${n}`,
      ...times,
      text: n === 2999 ? 'the last one' : '搬来的文章',
      ...(n === 7 && { ACL: {} }),
    }))
    const file = join(folder, 'Shared.0.jsonl')
    await writeFile(file, exportFile('Shared', rows))
    const options = ['import', '--app', 'searching', '--url', first.url, '--report', join(folder, 'report'), file]
    const { code, stderr } = await runProgram(options, { HOMEPORT_ADMIN_TOKEN: TOKEN }, undefined, 60_000)
    expect([code, withoutProgress(stderr)]).toEqual([0, ''])
    await expect.poll(() => hits(second, '文章'), WAIT).toBe(2998)
    expect(await hits(first, 'last')).toBe(1)
  }, 120_000)

  it('continue when the indexing node crashes', async () => {
    await Promise.all(Array.from({ length: 50 }, () => write(first, 'last words')))
    await first.kill()
    await expect.poll(() => hits(second, 'words'), WAIT).toBe(50)
  })

  describe('doctor', () => {
    const doctor = (environment: Record<string, string>) =>
      runProgram(['doctor', '--data', join(folder, 'data')], environment)

    it('reports which search server is used', async () => {
      const { code, stdout, stderr } = await doctor(trusting)
      expect([code, withoutProgress(stderr)]).toEqual([0, ''])
      expect(stdout).toMatch(/^ok +search server: OpenSearch \d+\.\d+/m)
    })

    it.each([
      ['whose certificate it does not trust', address.href, /SELF_SIGNED_CERT/],
      ['that is not there', closed.href, /ECONNREFUSED/],
    ])('reports a fault of one %s, without its password', async (_, searchUrl, reason) => {
      const { code, stdout, stderr } = await doctor({ HOMEPORT_SEARCH_URL: searchUrl })
      expect(code).toBe(1)
      const [line] = /^error +cannot use the search server: .*$/m.exec(stdout)!
      expect(line).toMatch(reason)
      for (const text of [stdout, stderr]) expect(text).not.toMatch(/secret( |%20)of/)
    })
  })
})
