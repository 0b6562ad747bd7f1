import { crc32, deflateSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { makeApp, type TestApp } from '../support/app.ts'
import { connectRaw, statusOf } from './raw-http.ts'
import { askToken, fetchBytes, put, replyOf, someBytes, until, upload } from './uploading.ts'

// Attacks available to a client without the master key.

const app = await makeApp()
const file = await upload(app, 'file.txt', Buffer.from('0123456789'))
const pathOf = (url: string) => new URL(url).pathname
const read = async (id: string) => (await app.request('GET', `/1.1/files/${id}`)).body

/** Counts the blobs of the app that are neither a file nor a part of one. */
const loose = async (of: TestApp = app) => Number((await of.sql('SELECT count(*) FROM "$loose_blobs"')).rows[0].count)

const sendPart = async (url: string, number: number, bytes: Uint8Array) =>
  replyOf(await fetch(`${url}/${number}`, { method: 'PUT', body: Buffer.from(bytes) }))

/**
 * Starts an upload in parts.
 * @returns the URL of its parts
 */
async function beginParts(uploadUrl: string): Promise<string> {
  const parts = `${uploadUrl}/buckets/homeport/objects/~/uploads`
  const { body } = await replyOf(await fetch(parts, { method: 'POST' }))
  return `${parts}/${body.uploadId}`
}

const complete = async (url: string, parts: readonly { partNumber: number; etag: string }[]) =>
  replyOf(await fetch(url, { method: 'POST', body: JSON.stringify({ parts }) }))

describe('a path', () => {
  const of = (key: string) => `/files/${app.appId}/${key}`

  it.each([
    ['that climbs', of('../../../../etc/passwd')],
    ['that climbs, encoded', of('%2e%2e/%2e%2e/%2e%2e/etc/passwd')],
    ['that climbs, slashes encoded', of('..%2f..%2f..%2fetc%2fpasswd')],
    ['that climbs, encoded twice', of('%252e%252e%252fetc%252fpasswd')],
    ['that is absolute', of('/etc/passwd')],
    ['with backslashes', of('..%5c..%5cetc')],
    ['with NUL', of('a%00b')],
    ['that is no text', of('%ff%fe')],
    ['that is broken', of('%zz')],
    ['of 10 000 characters', of('x'.repeat(10_000))],
    ['of an app that climbs', '/files/..%2f..%2fetc/passwd'],
    ['of an app with NUL', '/files/a%00b/passwd'],
    ['of an app that is no text', '/files/%ff/x'],
    ['of a token with NUL', `/uploads/${app.appId}/a%00b`],
    ['of an upload to an app with NUL', '/uploads/a%00b/token'],
    ['of nothing', of('')],
  ])('%s returns 404', async (_what, path) => {
    for (const method of ['GET', 'HEAD', 'PUT', 'POST', 'DELETE']) {
      const { status } = await statusOf(app.url, method, path, method === 'GET' ? [] : ['content-length: 0'])
      expect([400, 401, 403, 404, 405, 414], `${method} ${path.slice(0, 80)}`).toContain(status)
    }
  })

  it('of an upload rejects HEAD', async () => {
    const { upload_url: url } = await askToken(app, { name: 'a', metaData: { size: 1 } })
    expect((await statusOf(app.url, 'HEAD', pathOf(url))).status).toBe(404)
  })
})

describe('a name', () => {
  it.each([
    ['line ends', 'a\r\nset-cookie: x=1'],
    ['line ends in another script', '图\r\nset-cookie: x=1'],
    ['NUL', 'a\0b'],
    ['half a character at the bound', `${'a'.repeat(299)}😀`],
    ['10 000 characters', '图'.repeat(1500)],
    ['a slash alone', '/'],
    ['quotes', '"; filename="evil.exe'],
  ])('with %s, as the name of a download, is a valid header', async (_what, attname) => {
    const response = await fetch(`${file.url}?attname=${encodeURIComponent(attname)}`)
    expect(await response.text()).toBe('0123456789')
    expect(response.headers.get('set-cookie')).toBeNull()
    const disposition = response.headers.get('content-disposition')!
    expect(disposition).toMatch(/^attachment; filename=/)
    expect(disposition.replaceAll(/"(\\.|[^"\\])*"/g, '').match(/filename=/g)).toHaveLength(1)
  })

  it('written right to left does not hide its extension', async () => {
    const { url } = await upload(app, 'photo\u202egpj.exe', Buffer.from('MZ'))
    const disposition = (await fetch(url)).headers.get('content-disposition')!
    expect(disposition).not.toContain(encodeURIComponent('\u202e'))
    expect(disposition).toContain('photo_gpj.exe')
  })
})

describe('a length', () => {
  const request = (path: string, headers: readonly string[]) =>
    [`PUT ${path} HTTP/1.1`, 'host: x', ...headers, '', ''].join('\r\n')

  it('smaller than the body: excludes the excess bytes from the file', async () => {
    const { upload_url: url, url: place } = await askToken(app, { name: 'short', metaData: { size: 3 } })
    const raw = await connectRaw(app.url)
    raw.send(`${request(pathOf(url), ['content-length: 3'])}abcdef\r\n\r\n`)
    expect(await raw.ended).toContain('HTTP/1.1 400')
    // The connection can end before the upload.
    expect([null, 'abc']).toContain((await fetchBytes(place))?.toString() ?? null)
  })

  it('larger than the body: stores nothing', async () => {
    const { upload_url: url, objectId, url: place } = await askToken(app, { name: 'long', metaData: { size: 10 } })
    const raw = await connectRaw(app.url)
    raw.send(`${request(pathOf(url), ['content-length: 10'])}abc`)
    raw.socket.end()
    await raw.ended
    expect(await read(objectId)).toEqual({})
    expect((await fetch(place)).status).toBe(404)
  })

  it('declared twice is rejected', async () => {
    const { upload_url: url, objectId } = await askToken(app, { name: 'two', metaData: { size: 3 } })
    const raw = await connectRaw(app.url)
    raw.send(`${request(pathOf(url), ['content-length: 3', 'transfer-encoding: chunked'])}3\r\nabc\r\n0\r\n\r\n`)
    expect(await raw.statusLine).toMatch(/ 400 /)
    expect(await read(objectId)).toEqual({})
  })

  it('not declared, with endless chunks: rejects the body at the limit and closes the connection', async () => {
    const bounded = await makeApp()
    await bounded.admin('PATCH', '/settings', { files: { maxSize: 1_000_000 } })
    const { upload_url: url } = await askToken(bounded, { name: 'endless' })
    const raw = await connectRaw(app.url)
    raw.send(request(pathOf(url), ['transfer-encoding: chunked']))
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`
    let sent = 0
    const timer = setInterval(() => {
      if (raw.socket.destroyed || raw.socket.writableLength > 1_000_000) return
      raw.send(chunk)
      sent += chunk.length
    }, 2)
    expect(await raw.statusLine).toMatch(/ 413 /)
    await raw.ended
    clearInterval(timer)
    expect(sent).toBeGreaterThan(1_000_000)
    await until(async () => (await bounded.sql('SELECT blob FROM "$files"')).rows.length === 0)
  })
})

describe('a rejection', () => {
  const bytes = someBytes(8 * 1024 * 1024)
  const refusedUpload = async (body: RequestInit['body']) => {
    const { upload_url: url } = await askToken(app, { name: 'refused', metaData: { size: bytes.length - 1 } })
    return replyOf(await fetch(url, { method: 'PUT', body, duplex: 'half' } as RequestInit))
  }

  it.each<[string, () => RequestInit['body'], number]>([
    ['declares its length', () => Buffer.from(bytes), 400],
    ['declares no length', () => new Blob([Buffer.from(bytes)]).stream(), 413],
  ])('reaches a client that is still sending and %s', async (_what, body, status) => {
    for (let round = 0; round < 3; round++) expect((await refusedUpload(body())).status).toBe(status)
  })

  it('reaches a client without a valid token that is still sending and declares no length', async () => {
    const url = `${app.url}/uploads/${app.appId}/unknown`
    for (let round = 0; round < 3; round++) {
      const body = new Blob([Buffer.from(bytes)]).stream()
      const response = await fetch(url, { method: 'PUT', body, duplex: 'half' } as RequestInit)
      expect(response.status).toBe(403)
    }
  })
})

describe('parts', () => {
  it('joined twice concurrently: one attempt wins and produces a complete file', async () => {
    const bytes = someBytes(300_000)
    const { upload_url: url, url: place } = await askToken(app, { name: 'both', metaData: { size: bytes.length } })
    const parts = await beginParts(url)
    const { body } = await sendPart(parts, 1, bytes)
    const other = someBytes(300_000)
    const list = [{ partNumber: 1, etag: body.etag }]
    const statuses = (
      await Promise.all([complete(parts, list), put(url, other), complete(parts, list), put(url, other)])
    ).map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(statuses.filter((status) => status === 403)).toHaveLength(3)
    const won = statuses.indexOf(200) % 2 === 0 ? bytes : other
    expect(won.equals((await fetchBytes(place))!)).toBe(true)
  })

  it('uploaded repeatedly are accepted a bounded number of times, and replaced parts are deleted', async () => {
    const mine = await makeApp()
    const bytes = someBytes(4 * 1024 * 1024)
    const { upload_url: url } = await askToken(mine, { name: 'again', metaData: { size: bytes.length } })
    const parts = await beginParts(url)
    const statuses: number[] = []
    while (statuses.length < 30 && statuses.at(-1) !== 413) statuses.push((await sendPart(parts, 1, bytes)).status)
    expect(statuses.at(-1)).toBe(413)
    expect(statuses.length).toBeGreaterThan(4)
    // A new multipart upload does not reset the limit.
    expect((await sendPart(await beginParts(url), 1, bytes)).status).toBe(413)
    await until(async () => (await loose(mine)) === 0)
  })

  it('can be joined only a limited number of times', async () => {
    const bytes = someBytes(4 * 1024 * 1024)
    const metaData = { size: bytes.length, _checksum: '0'.repeat(32) }
    const { upload_url: url } = await askToken(app, { name: 'copies', metaData })
    const parts = await beginParts(url)
    const { body } = await sendPart(parts, 1, bytes)
    const statuses: number[] = []
    const list = [{ partNumber: 1, etag: body.etag }]
    while (statuses.length < 30 && statuses.at(-1) !== 413) statuses.push((await complete(parts, list)).status)
    expect(statuses[0]).toBe(400)
    expect(statuses.at(-1)).toBe(413)
  })

  it('of unknown total size are charged at least a megabyte each', async () => {
    const limited = await makeApp()
    await limited.admin('PATCH', '/settings', { limits: { uploadMegabytes: { address: { hour: 3 } } } })
    const { upload_url: url } = await askToken(limited, { name: 'untold' })
    const parts = await beginParts(url)
    const statuses = []
    for (const number of [1, 2, 3, 4]) statuses.push((await sendPart(parts, number, someBytes(1000))).status)
    expect(statuses).toEqual([200, 200, 200, 429])
    await until(async () => (await loose(limited)) === 0)
  })

  it('repeating one block produce no file', async () => {
    const { upload_url: url } = await askToken(app, { name: 'blocks' })
    const { body } = await replyOf(await fetch(`${url}/mkblk/10`, { method: 'POST', body: someBytes(10) }))
    const make = async (times: number) =>
      replyOf(
        await fetch(`${url}/mkfile/${10 * times}/key/x`, {
          method: 'POST',
          body: Array(times).fill(body.ctx).join(','),
        }),
      )
    expect(await make(2)).toMatchObject({ status: 400, body: { error: expect.stringContaining('block') } })
    expect((await make(50_000)).status).toBe(413)
    expect((await make(1)).status).toBe(200)
  })

  it('aborted while being joined produce no file or a complete one', async () => {
    const bytes = someBytes(3_000_000)
    const { upload_url: url, url: place } = await askToken(app, { name: 'dropped', metaData: { size: bytes.length } })
    const parts = await beginParts(url)
    const list = []
    for (let n = 0; n < 3; n++) {
      const part = bytes.subarray(n * 1_000_000, (n + 1) * 1_000_000)
      list.push({ partNumber: n + 1, etag: (await sendPart(parts, n + 1, part)).body.etag })
    }
    const [made] = await Promise.all([complete(parts, list), fetch(parts, { method: 'DELETE' })])
    expect([200, 400]).toContain(made.status)
    const there = await fetchBytes(place)
    expect(made.status === 200 ? there?.equals(bytes) : there === null).toBe(true)
  })
})

describe('the declared type of a file', () => {
  const html = Buffer.from('<script>alert(1)</script>')
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  )

  it('follows how a browser would read it: an image that contains a page stays an image', async () => {
    const { url } = await upload(app, 'a.png', Buffer.concat([png, html]), { mime_type: 'image/png' })
    const { headers } = await fetch(url)
    expect(headers.get('content-type')).toBe('image/png')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('content-security-policy')).toMatch(/^sandbox;/)
  })

  it.each([
    'text/html',
    'TEXT/HTML ; charset=latin1',
    'application/xhtml+xml',
    'image/svg+xml',
    'text/xml',
    'application/pdf+xml',
    'application/pdf-html',
    'multipart/x-mixed-replace;boundary=x',
    'message/rfc822',
  ])('grants no privileges: %s', async (mimeType) => {
    const { url } = await upload(app, 'page', html, { mime_type: mimeType })
    const { headers } = await fetch(url)
    expect(headers.get('content-security-policy')).toMatch(/^sandbox;/)
  })

  it('is required when the app accepts only some types: undetectable bytes are rejected', async () => {
    const pictures = await makeApp()
    await pictures.admin('PATCH', '/settings', { files: { types: ['image/*'] } })
    const nameless = await askToken(pictures, { name: 'nameless', metaData: { size: html.length } })
    expect(await put(nameless.upload_url, html)).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(/are not accepted/) },
    })
    await upload(pictures, 'nameless', png)
  })
})

describe('resource exhaustion', () => {
  /** Returns a PNG of one color with the given width and height. */
  function bigPng(side: number): Buffer {
    const chunk = (type: string, data: Buffer) => {
      const body = Buffer.concat([Buffer.from(type), data])
      const length = Buffer.alloc(4)
      length.writeUInt32BE(data.length)
      return Buffer.concat([length, body, crcOf(body)])
    }
    const head = Buffer.alloc(13)
    head.writeUInt32BE(side, 0)
    head.writeUInt32BE(side, 4)
    head.set([1, 0, 0, 0, 0], 8)
    const rows = deflateSync(Buffer.alloc((Math.ceil(side / 8) + 1) * side))
    const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
    return Buffer.concat([signature, chunk('IHDR', head), chunk('IDAT', rows), chunk('IEND', Buffer.alloc(0))])
  }

  it('by PNG and SVG bombs produces no image', async () => {
    const svg = `<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a "aaaaaaaaaa">${Array.from(
      { length: 8 },
      (_, n) => `<!ENTITY ${'bcdefghi'[n]} "${`&${'abcdefgh'[n]};`.repeat(10)}">`,
    ).join('')}]><svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/><text>&i;</text></svg>`
    const bomb = await upload(app, 'bomb.png', bigPng(20_000))
    const entities = await upload(app, 'bomb.svg', Buffer.from(svg))
    for (const { url } of [bomb, entities])
      for (const query of [
        'imageView2/0/w/10',
        'imageMogr2/thumbnail/10x',
        'imageMogr2/thumbnail/9999x9999!/rotate/45',
      ]) {
        const response = await fetch(`${url}?${query}`)
        await response.arrayBuffer()
        expect([400, 415], query).toContain(response.status)
      }
  })

  it('by ranges returns the whole file or nothing', async () => {
    for (const range of [
      `bytes=${'0-0,'.repeat(3000)}1-1`,
      `bytes=${'9'.repeat(5000)}-`,
      `bytes=-${'9'.repeat(5000)}`,
    ]) {
      const { status, text } = await statusOf(app.url, 'GET', pathOf(file.url), [`range: ${range}`])
      expect([200, 206, 416, 431]).toContain(status)
      expect(text.length).toBeLessThan(3000)
    }
  })

  it('by new image variants of one file is limited by the settings; cached variants are not', async () => {
    const own = await makeApp()
    await own.admin('PATCH', '/settings', { limits: { picturesOfFile: 3 } })
    const [one, other] = [await upload(own, 'one.png', bigPng(64)), await upload(own, 'other.png', bigPng(64))]
    const get = async (url: string, width: number) => {
      const response = await fetch(`${url}?imageView2/2/w/${width}`)
      return { status: response.status, text: await response.text() }
    }
    for (const width of [10, 20, 30]) expect((await get(one.url, width)).status).toBe(200)
    const refused = await get(one.url, 40)
    expect(refused.status).toBe(429)
    expect(JSON.parse(refused.text).error).toContain('3 new pictures of one file in an hour')
    for (const width of [10, 20, 30]) expect((await get(one.url, width)).status).toBe(200)
    expect((await get(other.url, 40)).status).toBe(200)
    await own.admin('PATCH', '/settings', {
      limits: { picturesOfFile: 0, pictureMegapixels: { address: { hour: 1 } } },
    })
    expect((await get(one.url, 50)).status).toBe(200)
    expect((await get(one.url, 51)).status).toBe(429)
    expect((await get(one.url, 50)).status).toBe(200)
  })

  it('by image requests of one address does not delay file downloads', async () => {
    const { url } = await upload(app, 'large.png', bigPng(4000))
    let made = 0
    const asked = Array.from({ length: 400 }, async (_, n) => {
      const response = await fetch(`${url}?imageView2/2/w/${1000 + n}`).catch(() => null)
      await response?.arrayBuffer()
      if (response?.status === 200) made++
      return response?.status
    })
    expect(await fetchBytes(file.url)).toHaveLength(10)
    const madeBefore = made
    const statuses = new Set(await Promise.all(asked))
    expect([...statuses].filter((status) => status !== 200 && status !== 429 && status !== 503)).toEqual([])
    expect(madeBefore).toBeLessThan(made)
  })
})

function crcOf(bytes: Buffer): Buffer {
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(bytes))
  return sum
}
