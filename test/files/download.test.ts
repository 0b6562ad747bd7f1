import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { makeApp } from '../support/app.ts'
import { md5, upload } from './uploading.ts'

const app = await makeApp()
const text = Buffer.from('0123456789')
const file = await upload(app, '说明 "a".txt', text)

const get = (url: string, headers: Record<string, string> = {}, method = 'GET') => fetch(url, { method, headers })
const bodyOf = async (response: Response) => Buffer.from(await response.arrayBuffer()).toString()

describe('a download', () => {
  it('sends headers for caching and none that allow execution', async () => {
    const response = await get(file.url)
    expect(await bodyOf(response)).toBe('0123456789')
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'accept-ranges': 'bytes',
      'access-control-allow-origin': '*',
      'cache-control': 'public, max-age=31536000',
      'content-disposition': `inline; filename="?? \\"a\\".txt"; filename*=UTF-8''%E8%AF%B4%E6%98%8E%20%22a%22.txt`,
      'content-length': '10',
      'content-security-policy': expect.stringMatching(/^sandbox; default-src 'none'/),
      'content-type': 'text/plain; charset=utf-8',
      'cross-origin-resource-policy': 'cross-origin',
      etag: `"${md5(text)}"`,
      'last-modified': expect.stringMatching(/ GMT$/),
      'x-content-type-options': 'nosniff',
    })
    expect(response.headers.get('content-encoding')).toBeNull()
  })

  it('with HEAD has the same headers and no body', async () => {
    const response = await get(file.url, {}, 'HEAD')
    expect([response.status, response.headers.get('content-length'), await bodyOf(response)]).toEqual([200, '10', ''])
  })

  it.each([
    ['bytes=2-4', '234', 'bytes 2-4/10'],
    ['bytes=7-', '789', 'bytes 7-9/10'],
    ['bytes=-3', '789', 'bytes 7-9/10'],
    ['bytes=8-100', '89', 'bytes 8-9/10'],
  ])('returns the requested range: %s', async (range, content, contentRange) => {
    const response = await get(file.url, { range })
    expect([response.status, await bodyOf(response)]).toEqual([206, content])
    expect(response.headers.get('content-range')).toBe(contentRange)
    expect(response.headers.get('content-length')).toBe(String(content.length))
  })

  it('rejects a range beyond the end', async () => {
    const response = await get(file.url, { range: 'bytes=10-' })
    expect([response.status, response.headers.get('content-range')]).toEqual([416, 'bytes */10'])
  })

  it.each(['bytes=0-1,4-5', 'lines=1-2', 'bytes=x', 'bytes=5-2'])(
    'of %s returns the whole file or nothing',
    async (range) => {
      const response = await get(file.url, { range })
      if (response.status === 200) expect(await bodyOf(response)).toBe('0123456789')
      else expect(response.status).toBe(416)
    },
  )

  it('returns the whole file for a range of another version', async () => {
    const stale = await get(file.url, { range: 'bytes=0-1', 'if-range': '"other"' })
    expect([stale.status, await bodyOf(stale)]).toEqual([200, '0123456789'])
    const current = await get(file.url, { range: 'bytes=0-1', 'if-range': `"${md5(text)}"` })
    expect([current.status, await bodyOf(current)]).toEqual([206, '01'])
  })

  it('responds not modified when the client has the file', async () => {
    const first = await get(file.url)
    await first.arrayBuffer()
    const etag = first.headers.get('etag')!
    const modified = first.headers.get('last-modified')!
    // `fetch` would not send conditional requests.
    const ask = async (headers: Record<string, string>) => (await plainGet(file.url, headers))[0]
    expect(await ask({ 'if-none-match': etag })).toBe(304)
    expect(await ask({ 'if-none-match': `W/${etag}` })).toBe(304)
    expect(await ask({ 'if-modified-since': modified })).toBe(304)
    expect(await ask({ 'if-none-match': '"other"' })).toBe(200)
  })

  it('is an attachment when the URL requests it, with the file name from the URL', async () => {
    const named = await get(`${file.url}?attname=${encodeURIComponent('新.txt')}`)
    expect(named.headers.get('content-disposition')).toMatch(/^attachment; .*filename\*=UTF-8''%E6%96%B0\.txt$/)
    const saved = await get(`${file.url}?download`)
    expect(saved.headers.get('content-disposition')).toMatch(/^attachment; /)
    await Promise.all([named.arrayBuffer(), saved.arrayBuffer()])
  })

  it.each(['nothing.txt', '../../etc/passwd', '%2e%2e%2f%2e%2e%2fetc%2fpasswd', '..%5c..%5cetc', '%00', ''])(
    'returns 404 for %j',
    async (key) => {
      expect((await get(`${app.url}/files/${app.appId}/${key}`)).status).toBe(404)
    },
  )

  it('returns 404 for an app that does not exist', async () => {
    expect((await get(`${app.url}/files/nobody/${file.key}`)).status).toBe(404)
    expect((await get(`${app.url}/files/..%2f${app.appId}/${file.key}`)).status).toBe(404)
  })
})

// Active content never gets the rights of the API origin.
describe('an uploaded file', () => {
  it.each([
    ['page.html', 'text/html', 'application/octet-stream'],
    ['page.xhtml', 'application/xhtml+xml', 'application/octet-stream'],
    ['picture.svg', 'image/svg+xml', 'image/svg+xml'],
    ['data.xml', 'text/xml', 'application/octet-stream'],
    ['style.css', 'text/css', 'application/octet-stream'],
    ['paper.pdf', 'application/pdf', 'application/pdf'],
    ['script.js', 'text/javascript', 'application/octet-stream'],
    ['mail.mht', 'message/rfc822', 'application/octet-stream'],
    ['frames', 'multipart/x-mixed-replace', 'application/octet-stream'],
    ['script.mjs', 'application/javascript', 'application/octet-stream'],
    ['old.js', 'text/javascript1.5', 'application/octet-stream'],
    ['older.js', 'text/livescript', 'application/octet-stream'],
  ])('is an attachment and never executed: %s', async (name, mimeType, shown) => {
    const { url } = await upload(app, name, Buffer.from('<script>alert(1)</script>'), { mime_type: mimeType })
    const response = await get(url)
    await response.arrayBuffer()
    expect(response.headers.get('content-type')).toBe(shown)
    expect(response.headers.get('content-disposition')).toMatch(/^attachment; /)
    expect(response.headers.get('content-security-policy')).toMatch(/^sandbox;/)
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  })

  it('keeps its declared type, whatever its bytes contain', async () => {
    const { url } = await upload(app, 'cat.png', Buffer.from('<html><script>alert(1)</script>'))
    const response = await get(url)
    await response.arrayBuffer()
    expect(response.headers.get('content-type')).toBe('image/png')
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  })
})

describe('a domain of the app', () => {
  it('serves files by their key at its root, and file records contain its URL', async () => {
    const own = await makeApp()
    const host = `files-${own.appId.toLowerCase()}.example.org`
    await own.admin('PATCH', '/settings', { files: { domain: `https://${host}` } })
    const made = await upload(own, 'logo.png', Buffer.from('logo'), { key: 'art/logo.png' }, { master: true })
    expect(made.url).toBe(`https://${host}/art/logo.png`)
    expect((await own.request('GET', `/1.1/files/${made.objectId}`)).body.url).toBe(made.url)
    expect(await bodyOfHost(own.url, host, '/art/logo.png')).toEqual([200, 'logo'])
    expect(await bodyOfHost(own.url, host.toUpperCase(), '/art/logo.png?download')).toEqual([200, 'logo'])
    expect((await bodyOfHost(own.url, host, '/missing.png'))[0]).toBe(404)
    const page = await upload(own, 'page.html', Buffer.from('<p>'))
    // The domain shows it inline; the host of the API does not.
    expect(await dispositionOf(own.url, host, new URL(page.url).pathname)).toMatch(/^inline/)
    const onApi = `/files/${own.appId}${new URL(page.url).pathname}`
    expect(await dispositionOf(own.url, 'api.example.org', onApi)).toMatch(/^attachment/)
    // On other hosts the path keeps its usual meaning.
    expect((await bodyOfHost(own.url, 'other.example.org', '/art/logo.png'))[0]).toBe(404)
  })

  it('is not served before it is configured', async () => {
    const host = `files-${app.appId.toLowerCase()}.example.org`
    expect((await bodyOfHost(app.url, host, `/${file.key}`))[0]).toBe(404)
  })

  it.each([
    'files.example.org',
    'https://files.example.org/path',
    'ftp://files.example.org',
    'https://user@example.org',
  ])('is no %s', async (wrong) => {
    const { status, body } = await app.admin('PATCH', '/settings', { files: { domain: wrong } })
    expect([status, body.error]).toEqual([400, expect.stringContaining('files.domain')])
  })
})

describe('records', () => {
  it('contain the URL of a stored file, also in other objects, and scans only the key', async () => {
    const { body: post } = await app.request('POST', '/1.1/classes/Post', {
      body: { cover: { __type: 'File', id: file.objectId } },
    })
    const { body: shown } = await app.request('GET', `/1.1/classes/Post/${post.objectId}`)
    expect(shown.cover).toMatchObject({ __type: 'File', url: file.url, key: file.key })
    const { body: found } = await app.request('GET', '/1.1/files', {
      query: { where: JSON.stringify({ key: file.key }) },
    })
    expect(found.results).toMatchObject([{ url: file.url }])
    const { body: chosen } = await app.request('GET', '/1.1/files', {
      query: { where: JSON.stringify({ key: file.key }), keys: 'name' },
    })
    expect(chosen.results[0]).not.toHaveProperty('url')
    const { body: scanned } = await app.request('GET', '/1.1/scan/classes/_File', { master: true })
    const record = scanned.results.find(({ objectId }: { objectId: string }) => objectId === file.objectId)
    expect(record).toMatchObject({ key: file.key })
    expect(record).not.toHaveProperty('url')
  })

  it('created by clients cannot take the key of another file', async () => {
    const body = { name: 'theirs', url: 'https://example.org/a.png', key: file.key }
    const { body: made } = await app.request('POST', '/1.1/files', { body })
    expect((await app.request('GET', `/1.1/files/${made.objectId}`)).body).not.toHaveProperty('key')
  })
})

const bodyOfHost = (url: string, host: string, path: string) => plainGet(`${url}${path}`, { host })

function dispositionOf(url: string, host: string, path: string): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    request(`${url}${path}`, { headers: { host } }, (response) => {
      response.resume()
      resolve(response.headers['content-disposition'])
    })
      .on('error', reject)
      .end()
  })
}

/** @returns status and body */
function plainGet(url: string, headers: Record<string, string>): Promise<[number, string]> {
  return new Promise((resolve, reject) => {
    request(url, { headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => resolve([response.statusCode!, Buffer.concat(chunks).toString()]))
    })
      .on('error', reject)
      .end()
  })
}
