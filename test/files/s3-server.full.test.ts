import { afterAll, afterEach, expect, test } from 'vitest'
import { openBlobs } from '../../src/files/blobs/open-blobs.ts'
import { createLog } from '../../src/log.ts'
import { go } from '../support/go.ts'
import { runProgram } from '../support/program.ts'
import { dataOfTests, type S3, startS3 } from '../support/s3.ts'
import { ADMIN_TOKEN, startFilesServer } from './own-server.ts'
import { statusOf } from './raw-http.ts'
import { bytesFrom } from './source.ts'
import { askToken, fetchBytes, md5, put, replyOf, type Token, until, upload } from './uploading.ts'

// A server with files in S3, end to end.

const MB = 1024 * 1024
const ends: (() => Promise<void>)[] = []
afterAll(async () => {
  for (const end of ends.reverse()) await end()
})

const rule: typeof test.skip = test.skipIf(go === null)
const { s3, app, program, blobs } = await begin()
afterEach(() => s3?.plug())

async function begin() {
  if (go === null) return {} as never
  const s3: S3 = await startS3((end) => void ends.push(end))
  const filesUrl = s3.filesUrl('files')
  const { app, program } = await startFilesServer({ HOMEPORT_FILES_URL: filesUrl })
  return { s3, app, program, blobs: await openBlobs({ filesUrl, data: dataOfTests() }, createLog('silent')) }
}

const read = async (id: string) => (await app.request('GET', `/1.1/files/${id}`)).body
async function objects(): Promise<string[]> {
  const names: string[] = []
  for await (const { blob } of blobs.list(app.appId)) names.push(blob)
  return names
}
const check = async (...flags: string[]) =>
  runProgram(['files', 'check', '--url', program.url, ...flags], { HOMEPORT_ADMIN_TOKEN: ADMIN_TOKEN })

rule('a file goes there, comes back whole and in ranges, and goes with its record', async () => {
  const bytes = bytesFrom(0, 9 * MB)
  const before = await objects()
  const { url, objectId } = await upload(app, 'film.mp4', bytes)
  expect(await objects()).toHaveLength(before.length + 1)
  expect((await fetchBytes(url))!.equals(bytes)).toBe(true)
  const range = await fetch(url, { headers: { range: 'bytes=8999990-9000009' } })
  expect([range.status, range.headers.get('content-range')]).toEqual([206, `bytes 8999990-9000009/${bytes.length}`])
  expect(Buffer.from(await range.arrayBuffer())).toEqual(bytes.subarray(8_999_990, 9_000_010))
  const head = await fetch(url, { method: 'HEAD' })
  expect(head.headers.get('content-length')).toBe(String(bytes.length))
  expect((await check('--checksums')).code).toBe(0)
  await app.request('DELETE', `/1.1/files/${objectId}`, { master: true })
  expect(await fetchBytes(url)).toBeNull()
  await until(async () => (await objects()).length === before.length)
})

rule('pictures are made of what lies there', async () => {
  const { default: sharp } = await import('sharp')
  const png = await sharp({ create: { width: 60, height: 40, channels: 3, background: 'red' } })
    .png()
    .toBuffer()
  const { url } = await upload(app, 'red.png', png)
  const small = await sharp((await fetchBytes(`${url}?imageView2/2/w/30`))!).metadata()
  expect([small.width, small.height]).toEqual([30, 20])
})

rule('parts become a file there, and nothing else is left', async () => {
  const before = await objects()
  const bytes = bytesFrom(0, 5 * MB)
  const { upload_url: to, url } = await askToken(app, { name: 'parts', metaData: { size: bytes.length } })
  const begun = `${to}/buckets/b/objects/~/uploads`
  const { body } = await replyOf(await fetch(begun, { method: 'POST' }))
  const parts = []
  for (let n = 1; n <= 5; n++) {
    const part = await put(`${begun}/${body.uploadId}/${n}`, bytes.subarray((n - 1) * MB, n * MB))
    parts.push({ partNumber: n, etag: part.body.etag })
  }
  const made = await fetch(`${begun}/${body.uploadId}`, { method: 'POST', body: JSON.stringify({ parts }) })
  expect(made.status).toBe(200)
  expect((await fetchBytes(url))!.equals(bytes)).toBe(true)
  await until(async () => (await objects()).length === before.length + 1)
})

rule('away in the middle of an upload: 503, no record, nothing half-written, and the token is good again', async () => {
  const bytes = bytesFrom(0, 24 * MB)
  const before = await objects()
  const { upload_url: to, url, objectId } = await askToken(app, { name: 'outage', metaData: { size: bytes.length } })
  async function* source() {
    for (let sent = 0; sent < bytes.length; sent += MB) {
      if (sent === 20 * MB) s3.unplug()
      yield bytes.subarray(sent, sent + MB)
    }
  }
  const response = await fetch(to, {
    method: 'PUT',
    headers: { 'content-type': 'application/octet-stream' },
    body: ReadableStream.from(source()) as never,
    duplex: 'half',
  } as never)
  expect(await replyOf(response)).toMatchObject({ status: 503, body: { code: 511 } })
  expect(await read(objectId)).toEqual({})
  expect((await put(to, bytes)).status).toBe(503)
  expect((await app.request('POST', '/1.1/classes/Thing', { body: { works: true } })).status).toBe(201)
  s3.plug()
  expect(await objects()).toEqual(before)
  expect((await put(to, bytes)).status).toBe(200)
  expect((await fetchBytes(url))!.equals(bytes)).toBe(true)
})

rule('away in the middle of a download: the connection breaks, others get 503, and it works again', async () => {
  const bytes = bytesFrom(0, 24 * MB)
  const { url } = await upload(app, 'broken.bin', bytes)
  const response = await fetch(url)
  const reader = response.body!.getReader()
  await reader.read()
  s3.unplug()
  const rest = async () => {
    while (!(await reader.read()).done);
  }
  await expect(rest()).rejects.toThrow()
  expect(await replyOf(await fetch(url))).toMatchObject({ status: 503, body: { code: 511 } })
  // Metadata needs no store.
  expect((await statusOf(program.url, 'HEAD', new URL(url).pathname)).status).toBe(200)
  s3.plug()
  expect((await fetchBytes(url))!.equals(bytes)).toBe(true)
})

rule('bytes that clients put there themselves become a file when they say so, and stay as they were then', async () => {
  await app.admin('PATCH', '/settings', { files: { directUploads: true } })
  try {
    const before = await objects()
    const bytes = bytesFrom(0, 1000)
    const ask = (name: string) => askToken(app, { name, metaData: { size: bytes.length } })
    const tell = ({ token }: Token) => app.request('POST', '/1.1/fileCallback', { body: { token, result: true } })
    const direct = (to: string, content: Buffer, type = 'image/png') =>
      fetch(to, { method: 'PUT', body: Buffer.from(content), headers: { 'content-type': type } })

    const token = await ask('direct.png')
    expect(token.upload_url).toContain(s3.endpoint)
    expect(await tell(token)).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('not in the file storage') },
    })
    expect((await direct(token.upload_url, bytesFrom(0, 1001))).status).toBe(403)
    expect((await direct(token.upload_url, bytes, 'text/html')).status).toBe(403)
    expect((await direct(token.upload_url, bytes)).status).toBe(200)
    expect(await read(token.objectId)).toEqual({})
    expect(await fetchBytes(token.url)).toBeNull()
    expect((await tell(token)).status).toBe(200)
    expect(await read(token.objectId)).toMatchObject({ name: 'direct.png', metaData: { size: 1000 } })
    const response = await fetch(token.url)
    expect(response.headers.get('etag')).toBe(`"${md5(bytes)}"`)
    expect(response.headers.get('content-type')).toBe('image/png')

    // Its URL is valid for an hour, and a replaced object does not change the file.
    expect((await direct(token.upload_url, bytesFrom(7, 1007))).status).toBe(200)
    expect((await fetchBytes(token.url))!.equals(bytes)).toBe(true)
    expect((await check('--checksums')).code).toBe(0)

    // A failed copy is not retried forever.
    const large = bytesFrom(0, 8 * MB)
    const wrong = await askToken(app, {
      name: 'wrong.png',
      metaData: { size: large.length, _checksum: '0'.repeat(32) },
    })
    expect((await direct(wrong.upload_url, large)).status).toBe(200)
    const statuses: number[] = []
    while (statuses.length < 20 && statuses.at(-1) !== 413) statuses.push((await tell(wrong)).status)
    expect([statuses[0], statuses.at(-1)]).toEqual([400, 413])

    // The token is used up, and later uploads with it are ignored.
    expect((await tell(token)).status).toBe(200)
    expect((await put(`${program.url}/uploads/${app.appId}/${token.token}`, bytes)).status).not.toBe(200)
    expect((await fetchBytes(token.url))!.equals(bytes)).toBe(true)

    // The bucket never stores active content.
    for (const name of ['page.html', 'drawing.svg', 'script.js', 'style.css', 'feed.xml', 'page.xhtml'])
      expect((await ask(name)).upload_url).not.toContain(s3.endpoint)

    // A client that never reports its upload leaves nothing.
    const silent = await ask('silent.png')
    await direct(silent.upload_url, bytes)
    expect((await check()).code).toBe(0)
    await app.sql(`UPDATE "$loose_blobs" SET since = since - interval '2 days'`)
    expect((await check('--repair')).code).toBe(0)
    expect(await objects()).toHaveLength(before.length + 1)
    expect(await read(silent.objectId)).toEqual({})
  } finally {
    await app.admin('PATCH', '/settings', { files: { directUploads: false } })
  }
})
