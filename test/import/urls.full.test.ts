import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { exportFile, makeImportTarget } from './imports.ts'

const target = await makeImportTarget()

const server = createServer(({ url = '' }, response) => {
  if (!url.startsWith('/key-of-it/Post.jsonl')) return void response.writeHead(404).end()
  response.end(exportFile('Post', [{ objectId: 'one', title: 'x' }]))
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
afterAll(() => void server.close())

describe('an import of a URL', () => {
  test('downloads the file, imports it like any other, and leaves no copy', async () => {
    const { code, stdout, stderr } = await target.run(`${origin}/key-of-it/Post.jsonl?signature=of-it`)
    expect([code, stderr]).toEqual([0, expect.any(String)])
    expect(stdout + stderr).not.toContain('of-it')
    expect((await target.report()).counts.Post).toMatchObject({ read: 1, created: 1 })
    const downloads = join(target.folder, '.report', 'downloads')
    expect(existsSync(downloads) ? readdirSync(downloads) : []).toEqual([])
  })

  test('reports an unavailable file', async () => {
    const { code, stderr } = await target.run(`${origin}/elsewhere.jsonl`)
    expect([code, stderr]).toEqual([1, expect.stringMatching(/elsewhere\.jsonl: the server returned status 404/)])
  })
})
