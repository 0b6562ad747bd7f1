import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeApp, type TestApp } from '../support/app.ts'
import { links, twoNodes } from '../support/two-nodes.ts'
import { askToken, fetchBytes, put, replyOf, someBytes, until, upload } from './uploading.ts'

const ADMIN_TOKEN = 'token-of-the-administrator-of-the-nodes'
const folder = mkdtempSync(join(tmpdir(), 'homeport-shared-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const stored = () =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length

describe.each(await links())('two servers with a shared folder and $name', (link) => {
  const nodes = twoNodes(link, {
    HOMEPORT_ADMIN_TOKEN: ADMIN_TOKEN,
    HOMEPORT_FILES_URL: pathToFileURL(folder).href,
  })
  let app: TestApp
  const toSecond = (url: string) => url.replace(nodes.first.url, nodes.second.url)
  beforeAll(async () => {
    app = await makeApp(nodes.first.url, ADMIN_TOKEN)
  })

  it('a file uploaded to one server can be downloaded from and deleted on the other', async () => {
    const bytes = someBytes(100_000)
    const { url, objectId } = await upload(app, 'shared.bin', bytes)
    expect((await fetchBytes(toSecond(url)))?.equals(bytes)).toBe(true)
    expect(stored()).toBe(1)
    const response = await fetch(`${nodes.second.url}/1.1/files/${objectId}`, {
      method: 'DELETE',
      headers: { 'x-lc-id': app.appId, 'x-lc-key': `${app.masterKey},master` },
    })
    expect(response.status).toBe(200)
    expect(await fetchBytes(url)).toBeNull()
    await until(async () => stored() === 0)
  })

  it('parts can be uploaded to either server', async () => {
    const bytes = someBytes(500_000)
    const { upload_url: to, url, token } = await askToken(app, { name: 'parts', metaData: { size: bytes.length } })
    const on = (n: number) => (n % 2 === 0 ? to : toSecond(to))
    const path = '/buckets/b/objects/~/uploads'
    const { body } = await replyOf(await fetch(`${on(0)}${path}`, { method: 'POST' }))
    const parts: { partNumber: number; etag: string }[] = []
    for (let n = 1; n <= 5; n++) {
      const part = bytes.subarray((n - 1) * 100_000, n * 100_000)
      const { body: taken } = await put(`${on(n)}${path}/${body.uploadId}/${n}`, part)
      parts.push({ partNumber: n, etag: taken.etag })
    }
    const complete = (n: number) =>
      fetch(`${on(n)}${path}/${body.uploadId}`, { method: 'POST', body: JSON.stringify({ parts }) })
    const statuses = (await Promise.all([complete(0), complete(1)])).map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    for (const from of [url, toSecond(url)]) expect((await fetchBytes(from))?.equals(bytes)).toBe(true)
    await until(async () => stored() === 1)
    await app.request('POST', '/1.1/fileCallback', { body: { token, result: false } })
    await until(async () => stored() === 0)
  })

  it('a token can be used only once across both servers', async () => {
    const { upload_url: to, token } = await askToken(app, { name: 'once', metaData: { size: 1000 } })
    const replies = await Promise.all([to, toSecond(to), to, toSecond(to)].map((url) => put(url, someBytes(1000))))
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 403, 403, 403])
    await app.request('POST', '/1.1/fileCallback', { body: { token, result: false } })
    await until(async () => stored() === 0)
  })
})
