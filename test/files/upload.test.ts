import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { makeApp } from '../support/app.ts'
import { askToken, fetchBytes, fetchMd5, md5, put, replyOf, someBytes, until, upload } from './uploading.ts'

const app = await makeApp()
const elsewhere = await makeApp()

const read = async (id: string) => (await app.request('GET', `/1.1/files/${id}`)).body
const refusal = (status: number, text: string, code = 1) => ({
  status,
  body: { code, error: expect.stringContaining(text) },
})
/** Counts all blobs of the app, referenced or not. */
const blobs = async () => (await app.sql('SELECT blob FROM "$files" UNION SELECT blob FROM "$loose_blobs"')).rows.length

describe('a token', () => {
  it('contains every member that clients need, as strings', async () => {
    const token = await askToken(app, { name: 'report.png', metaData: { size: 3 } })
    expect(token).toEqual({
      objectId: expect.stringMatching(/^[0-9a-f]{24}$/),
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      key: expect.stringMatching(/^[A-Za-z0-9]{27}\.png$/),
      url: `${app.url}/files/${app.appId}/${token.key}`,
      name: 'report.png',
      mime_type: 'image/png',
      bucket: 'homeport',
      provider: 's3',
      upload_url: `${app.url}/uploads/${app.appId}/${token.token}`,
      token: expect.stringMatching(/^[\w-]{43}$/),
    })
  })

  it('creates no record before the file exists', async () => {
    const { objectId, url } = await askToken(app, { name: 'a.txt', metaData: { size: 3 } })
    expect(await read(objectId)).toEqual({})
    expect((await fetch(url)).status).toBe(404)
  })

  it('creates the announced record together with the bytes', async () => {
    const bytes = someBytes(5000)
    const user = await app.makeUser('uploader')
    const metaData = { size: 5000, owner: user.id, _checksum: md5(bytes), width: 12 }
    const ACL = { [user.id]: { read: true, write: true } }
    const token = await askToken(app, { name: '报告.png', metaData, ACL }, { session: user.session })
    expect((await put(token.upload_url, bytes)).status).toBe(200)
    const { body } = await app.request('GET', `/1.1/files/${token.objectId}`, { session: user.session })
    expect(body).toEqual({
      objectId: token.objectId,
      createdAt: token.createdAt,
      updatedAt: token.createdAt,
      name: '报告.png',
      key: token.key,
      url: token.url,
      mime_type: 'image/png',
      bucket: 'homeport',
      provider: 's3',
      metaData,
    })
    expect(await read(token.objectId)).toMatchObject({ code: 403 })
    expect(await fetchMd5(token.url)).toBe(md5(bytes))
  })

  it('can be used once', async () => {
    const { upload_url: url, url: place } = await upload(app, 'once.bin', Buffer.from('one'))
    expect(await put(url, Buffer.from('two'))).toMatchObject(refusal(403, 'was already used', 403))
    expect(await fetchBytes(place)).toEqual(Buffer.from('one'))
  })

  it('can be used once, even by concurrent uploads', async () => {
    const { upload_url: url, url: place } = await askToken(app, { name: 'race.bin', metaData: { size: 6 } })
    const tries = Array.from({ length: 8 }, (_, n) => Buffer.from(`try  ${n}`))
    const replies = await Promise.all(tries.map((bytes) => put(url, bytes)))
    const won = replies.flatMap(({ status }, n) => (status === 200 ? [n] : []))
    expect(won).toHaveLength(1)
    expect(await fetchBytes(place)).toEqual(tries[won[0]!])
  })

  it('is bound to one app', async () => {
    const { token } = await askToken(app, { name: 'a', metaData: { size: 1 } })
    const reply = await put(`${app.url}/uploads/${elsewhere.appId}/${token}`, Buffer.from('x'))
    expect(reply).toMatchObject(refusal(403, 'invalid or expired', 403))
  })

  it('expires after a day', async () => {
    const { upload_url: url, objectId } = await askToken(app, { name: 'late', metaData: { size: 1 } })
    await app.sql(`UPDATE "$uploads" SET created_at = now() - interval '25 hours' WHERE file_id = $1`, [objectId])
    expect(await put(url, Buffer.from('x'))).toMatchObject(refusal(403, 'invalid or expired', 403))
  })

  it('is stored only as a hash', async () => {
    const { token, objectId } = await askToken(app, { name: 'secret' })
    const { rows } = await app.sql('SELECT * FROM "$uploads" WHERE file_id = $1', [objectId])
    expect(JSON.stringify(rows)).not.toContain(token)
  })

  it.each([
    ['fewer bytes than announced', 4, 'abc'],
    ['more bytes than announced', 2, 'abc'],
  ])('is bound to one size: rejects %s', async (_what, size, content) => {
    const { upload_url: url, objectId } = await askToken(app, { name: 'sized', metaData: { size } })
    expect(await put(url, Buffer.from(content))).toMatchObject(refusal(400, `its token allows ${size}`))
    expect(await read(objectId)).toEqual({})
    expect((await put(url, Buffer.alloc(size))).status).toBe(200)
  })

  it('is bound to the checksum when one was given', async () => {
    const wanted = Buffer.from('right')
    const metaData = { size: 5, _checksum: md5(wanted) }
    const { upload_url: url, objectId } = await askToken(app, { name: 'sum', metaData })
    expect(await put(url, Buffer.from('wrong'))).toMatchObject(refusal(400, '_checksum'))
    expect(await read(objectId)).toEqual({})
  })
})

describe('the key of a file', () => {
  it('can be chosen only with the master key', async () => {
    const body = { name: 'a.txt', key: 'chosen/路径/a.txt', metaData: { size: 1 } }
    for (const key of [body.key, 'abc', 'a.png', '0123456789abcdef0123/a.png']) {
      const refused = await app.request('POST', '/1.1/fileTokens', { body: { ...body, key } })
      const error = 'Unsupported file key. Please use masterKey to set file key.'
      expect([refused.status, refused.body]).toEqual([400, { code: 1, error }])
    }
    const token = await askToken(app, body, { master: true })
    expect(token.key).toBe(body.key)
    expect(token.url).toBe(`${app.url}/files/${app.appId}/chosen/${encodeURIComponent('路径')}/a.txt`)
    await put(token.upload_url, Buffer.from('1'))
    expect(await fetchBytes(token.url)).toEqual(Buffer.from('1'))
  })

  const withPrefix = (prefix: unknown, options: object = {}) =>
    app.request('POST', '/1.1/fileTokens', { body: { name: 'a.txt', prefix }, ...options })

  it.each([
    ['gamesaves', 'gamesaves/'],
    ['/avatars/', 'avatars/'],
    ['a/b-c/D_1', 'a/b-c/D_1/'],
    ['', ''],
    [null, ''],
  ])('accepts the prefix %j from any client before its random name', async (prefix, path) => {
    for (const options of [{}, { master: true }]) {
      const { status, body } = await withPrefix(prefix, options)
      expect([status, body.key]).toEqual([200, expect.stringMatching(new RegExp(`^${path}[A-Za-z0-9]{27}\\.txt$`))])
      expect(body.url).toBe(`${app.url}/files/${app.appId}/${body.key}`)
    }
  })

  it.each(['路径', 'a b', 'a.b', 'a%2fb', 'a?b', 'a#b', 'a:b', 'a@b', 'ａ'])(
    'accepts the prefix %j only with the master key',
    async (prefix) => {
      expect(await withPrefix(prefix)).toMatchObject(refusal(400, "'prefix' must be a path of letters, digits"))
      expect((await withPrefix(prefix, { master: true })).body.key).toMatch(/^[^/]+\/[A-Za-z0-9]{27}\.txt$/)
    },
  )

  it.each([
    '..',
    '../a',
    'a/../b',
    'a//b',
    '.',
    '/',
    'a\\b',
    'a\u0000b',
    '\ud800',
    'x'.repeat(501),
    'x/'.repeat(240),
    5,
    ['a'],
  ])('rejects the prefix %j', async (prefix) => {
    for (const options of [{}, { master: true }])
      expect(await withPrefix(prefix, options)).toMatchObject(refusal(400, 'prefix'))
  })

  it('with a prefix serves its file and keeps metaData', async () => {
    const metaData = { size: 3, prefix: 'gamesaves' }
    const { url, objectId, key } = await upload(app, 'a.txt', Buffer.from('abc'), { prefix: 'gamesaves', metaData })
    expect(await fetchBytes(url)).toEqual(Buffer.from('abc'))
    expect(await read(objectId)).toMatchObject({ key, url, metaData })
  })

  it('ends with the full name when keeping the name is requested', async () => {
    const { key } = await askToken(app, { name: 'my report.pdf', keep_file_name: true })
    expect(key).toMatch(/^[A-Za-z0-9]{27}\/my report\.pdf$/)
  })

  it('ignores the key proposed by JavaScript SDKs before 4.8', async () => {
    const proposed = '0123456789abcdef0123.png'
    expect((await askToken(app, { name: 'a.png', key: proposed })).key).not.toBe(proposed)
  })

  it.each(['../etc/passwd', 'a/../b', '/root', 'a//b', '.', 'a\\b', 'a\u0000b', 'x'.repeat(501), ''])(
    'cannot be %j',
    async (key) => {
      const reply = await app.request('POST', '/1.1/fileTokens', { body: { name: 'a', key }, master: true })
      // An empty one is ignored.
      if (key === '') expect(reply.status).toBe(200)
      else expect(reply).toMatchObject(refusal(400, "'key' must be a path"))
    },
  )

  it('takes new bytes when chosen again, and the old bytes are deleted', async () => {
    const wanted = { key: 'same.txt' }
    const first = await upload(app, 'same.txt', Buffer.from('first'), wanted, { master: true })
    const [{ blob }] = (await app.sql(`SELECT blob FROM "$files" WHERE key = 'same.txt'`)).rows
    await upload(app, 'same.txt', Buffer.from('second'), wanted, { master: true })
    expect(await fetchBytes(first.url)).toEqual(Buffer.from('second'))
    await app.request('DELETE', `/1.1/files/${first.objectId}`, { master: true })
    // The other record of the key still has them.
    expect(await fetchBytes(first.url)).toEqual(Buffer.from('second'))
    await until(async () => (await app.sql('SELECT 1 FROM "$loose_blobs" WHERE blob = $1', [blob])).rows.length === 0)
  })
})

describe('deleting a record', () => {
  it('deletes its bytes', async () => {
    const token = await upload(app, 'gone.txt', Buffer.from('gone'))
    const before = await blobs()
    await app.request('DELETE', `/1.1/files/${token.objectId}`, { master: true })
    expect(await fetchBytes(token.url)).toBeNull()
    await until(async () => (await blobs()) === before - 1)
  })

  it('deletes the bytes of a key with its last record, also for two concurrent deletions', async () => {
    const [one, two] = [
      await upload(app, 'both', Buffer.from('1'), { key: 'both' }, { master: true }),
      await upload(app, 'both', Buffer.from('2'), { key: 'both' }, { master: true }),
    ]
    await Promise.all(
      [one, two].map(({ objectId }) => app.request('DELETE', `/1.1/files/${objectId}`, { master: true })),
    )
    expect(await fetchBytes(one.url)).toBeNull()
    await until(async () => (await app.sql(`SELECT 1 FROM "$files" WHERE key = 'both'`)).rows.length === 0)
  })

  it('requires the master key', async () => {
    const { objectId, url } = await upload(app, 'kept.txt', Buffer.from('kept'))
    expect((await app.request('DELETE', `/1.1/files/${objectId}`)).status).toBe(403)
    expect(await fetchBytes(url)).toEqual(Buffer.from('kept'))
  })
})

describe('the upload callback', () => {
  it('is accepted, and can be repeated', async () => {
    const { token, objectId } = await upload(app, 'done', Buffer.from('x'))
    const tell = () => app.request('POST', '/1.1/fileCallback', { body: { token, result: true } })
    expect(await tell()).toMatchObject({ status: 200, body: {} })
    expect(await tell()).toMatchObject({ status: 200, body: {} })
    expect(await read(objectId)).toMatchObject({ name: 'done' })
  })

  it('reporting a failure leaves nothing, even after the bytes arrived', async () => {
    const { token, objectId, url } = await upload(app, 'failed', Buffer.from('x'))
    await app.request('POST', '/1.1/fileCallback', { body: { token, result: false } })
    expect(await read(objectId)).toEqual({})
    expect(await fetchBytes(url)).toBeNull()
  })

  it('of an empty file creates it when the client sent no bytes', async () => {
    // As the Java client does.
    const { token, objectId, url } = await askToken(app, { name: 'empty.txt', metaData: { size: 0 } })
    await app.request('POST', '/1.1/fileCallback', { body: { token, result: true } })
    expect(await read(objectId)).toMatchObject({ name: 'empty.txt', metaData: { size: 0 } })
    expect(await fetchBytes(url)).toEqual(Buffer.alloc(0))
  })

  it('of another app is ignored', async () => {
    const { token, objectId } = await upload(app, 'mine', Buffer.from('x'))
    await elsewhere.request('POST', '/1.1/fileCallback', { body: { token, result: false } })
    expect(await read(objectId)).toMatchObject({ name: 'mine' })
  })
})

describe('an upload', () => {
  it.each([0, 1, 65_536, 5_000_001])('of %i bytes is downloaded unchanged', async (size) => {
    const bytes = someBytes(size)
    const { url, objectId } = await upload(app, 'size.bin', bytes)
    expect(await fetchMd5(url)).toBe(md5(bytes))
    expect((await read(objectId)).metaData.size).toBe(size)
  })

  it('that is interrupted leaves nothing and can be restarted', async () => {
    const { upload_url: url, objectId } = await askToken(app, { name: 'broken', metaData: { size: 1_000_000 } })
    await new Promise<void>((resolve) => {
      const sending = request(url, { method: 'PUT', headers: { 'content-length': 1_000_000 } })
      sending.on('error', () => resolve())
      sending.write(Buffer.alloc(500_000), () => setTimeout(() => sending.destroy(), 50))
    })
    expect(await read(objectId)).toEqual({})
    const bytes = someBytes(1_000_000)
    expect((await put(url, bytes)).status).toBe(200)
    expect(await read(objectId)).toMatchObject({ metaData: { size: 1_000_000 } })
  })

  it('without a type or file extension is typed by its bytes', async () => {
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    )
    const { objectId } = await upload(app, 'nameless', png)
    expect(await read(objectId)).toMatchObject({ mime_type: 'image/png' })
  })

  it('is rejected when the class denies the caller', async () => {
    const closed = await makeApp()
    await closed.admin('PATCH', '/classes/_File', { permissions: { create: 'users' } })
    const body = { name: 'a', metaData: { size: 1 } }
    expect((await closed.request('POST', '/1.1/fileTokens', { body })).status).toBe(403)
    const { session } = await closed.makeUser('somebody')
    expect((await closed.request('POST', '/1.1/fileTokens', { body, session })).status).toBe(200)
  })

  it.each([
    [{ name: 'a', metaData: { size: -1 } }, 'metaData.size'],
    [{ name: 'a', metaData: { size: 'big' } }, 'metaData.size'],
    [{ name: 'a', metaData: 'x' }, 'metaData'],
    [{ name: 'a', metaData: { note: 'x'.repeat(20_000) } }, 'metaData'],
    [{ name: 'x'.repeat(301) }, 'name'],
    [{ name: 'a\nb' }, 'name'],
    [{ name: ['a'] }, 'name'],
    [{ name: 'a', mime_type: 5 }, 'mime_type'],
    [{ name: 'a', keep_file_name: 'yes' }, 'keep_file_name'],
  ])('rejects the announcement %j', async (body, named) => {
    const reply = await app.request('POST', '/1.1/fileTokens', { body })
    expect(reply).toMatchObject(refusal(400, named))
  })

  it.each([
    {},
    [],
    { __type: 'File' },
    { name: '' },
    { name: null, mime_type: null, metaData: null },
    { metaData: {} },
    { metaData: [] },
    { ACL: { '*': { read: true } }, keep_file_name: true },
  ])('rejects the announcement %j, which does not describe a file', async (body) => {
    for (const path of ['/1.1/fileTokens', '/1.1/qiniu'])
      for (const options of [{}, { master: true }])
        expect(await app.request('POST', path, { body, ...options })).toMatchObject(
          refusal(400, 'The body must describe the file'),
        )
  })

  it.each([{ name: 'a' }, { mime_type: 'image/png' }, { key: '0123456789abcdef0123.png' }, { metaData: { size: 1 } }])(
    'accepts the announcement %j',
    async (body) => {
      expect((await app.request('POST', '/1.1/fileTokens', { body })).status).toBe(200)
    },
  )

  it.each([
    { size: 3 },
    { size: 3, owner: 'somebody' },
    { size: 3, _name: 'a.txt', _checksum: md5(Buffer.from('abc')), list: [1, { two: null }], 数: '字' },
  ])('keeps metaData %j unchanged', async (metaData) => {
    const { session } = await app.makeUser(`keeps ${JSON.stringify(metaData)}`)
    for (const options of [{}, { session }, { master: true }]) {
      const token = await askToken(app, { name: 'a.txt', metaData }, options)
      await put(token.upload_url, Buffer.from('abc'))
      expect((await read(token.objectId)).metaData).toEqual(metaData)
    }
  })

  it('stores its byte size in metaData when the client does not know it', async () => {
    const { upload_url: url, objectId } = await askToken(app, { name: 'a.txt', metaData: { color: 'red' } })
    await put(url, Buffer.from('abc'))
    expect((await read(objectId)).metaData).toEqual({ color: 'red', size: 3 })
  })

  it('requires a valid ACL', async () => {
    const reply = await app.request('POST', '/1.1/fileTokens', { body: { name: 'a', ACL: { x: 'y' } } })
    expect(reply).toMatchObject({ status: 400, body: { code: 123 } })
  })
})

describe('settings', () => {
  it('limit the size of a file, whether declared or not', async () => {
    const small = await makeApp()
    await small.admin('PATCH', '/settings', { files: { maxSize: 10 } })
    const body = { name: 'a', metaData: { size: 11 } }
    expect((await small.request('POST', '/1.1/fileTokens', { body })).status).toBe(413)
    const { upload_url: url } = await askToken(small, { name: 'a' })
    expect((await put(url, Buffer.alloc(11))).status).toBe(413)
    expect((await put(url, Buffer.alloc(10))).status).toBe(200)
  })

  it('limit the storage of an app', async () => {
    const small = await makeApp()
    await small.admin('PATCH', '/settings', { files: { maxTotal: 100 } })
    await upload(small, 'a', Buffer.alloc(60))
    const reply = await small.request('POST', '/1.1/fileTokens', { body: { name: 'b', metaData: { size: 60 } } })
    expect(reply).toMatchObject(refusal(400, 'files.maxTotal', 154))
  })

  it('list the accepted types', async () => {
    const pictures = await makeApp()
    await pictures.admin('PATCH', '/settings', { files: { types: ['image/*'] } })
    const reply = await pictures.request('POST', '/1.1/fileTokens', { body: { name: 'a.html' } })
    expect(reply).toMatchObject(refusal(400, "'text/html' are not accepted"))
    await upload(pictures, 'a.png', Buffer.from('x'))
  })

  it('limit file uploads per address', async () => {
    const limited = await makeApp()
    await limited.admin('PATCH', '/settings', { limits: { uploads: { address: { hour: 2 } } } })
    const ask = (master = false) => limited.request('POST', '/1.1/fileTokens', { body: { name: 'a' }, master })
    const replies = [await ask(), await ask(), await ask()]
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 429])
    expect((await ask(true)).status).toBe(200)
  })
})

describe('the legacy paths', () => {
  it('POST /1.1/qiniu returns a token', async () => {
    const { status, body } = await app.request('POST', '/1.1/qiniu', { body: { name: 'a.png' } })
    expect([status, body.bucket]).toEqual([200, 'homeport'])
  })

  it('POST /1.1/files/:name stores the content unchanged', async () => {
    const bytes = someBytes(70_000)
    const response = await fetch(`${app.url}/1.1/files/${encodeURIComponent('猫.png')}`, {
      method: 'POST',
      headers: { 'x-lc-id': app.appId, 'x-lc-key': app.appKey, 'content-type': 'image/png' },
      body: bytes,
    })
    const { status, body } = await replyOf(response)
    expect([status, body.name]).toEqual([201, '猫.png'])
    expect(await read(body.objectId)).toMatchObject({ name: '猫.png', mime_type: 'image/png', url: body.url })
    expect(await fetchMd5(body.url)).toBe(md5(bytes))
  })

  describe('POST /1.1/files/:name', () => {
    const keys = { 'x-lc-id': app.appId, 'x-lc-key': app.appKey }
    const send = async (name: string, body: string | Buffer | FormData, type?: string) => {
      const headers = { ...keys, ...(type !== undefined && { 'content-type': type }) }
      return replyOf(await fetch(`${app.url}/1.1/files/${name}`, { method: 'POST', headers, body }))
    }

    it.each([
      ['a text', 'Hello, World!'],
      ['a text with what is no UTF-8', Buffer.from('\xd6\xd0\xce\xc4', 'latin1')],
      ['a text of JSON', '{"a": 1}'],
      ['a text that begins as JSON', '{ not JSON'],
      ['an empty text', ''],
    ])('accepts %s as text/plain', async (_what, content) => {
      const { status, body } = await send('hello.txt', content, 'text/plain')
      expect(status).toBe(201)
      expect(await read(body.objectId)).toMatchObject({ name: 'hello.txt', mime_type: 'text/plain' })
      expect(await fetchBytes(body.url)).toEqual(Buffer.from(content))
    })

    it('reads a request carried in a text/plain body', async () => {
      const carried = {
        _ApplicationId: app.appId,
        _ApplicationKey: app.appKey,
        base64: 'aGVsbG8=',
        _ContentType: 'text/x',
      }
      const headers = { 'content-type': 'text/plain' }
      const body = JSON.stringify(carried)
      const reply = await replyOf(await fetch(`${app.url}/1.1/files/a.txt`, { method: 'POST', headers, body }))
      expect(reply.status).toBe(201)
      expect(await fetchBytes(reply.body.url)).toEqual(Buffer.from('hello'))
    })

    it.each([
      ['of a browser', 'file'],
      ['in whatever field', 'upload'],
    ])('accepts the file of a form %s', async (_what, field) => {
      const bytes = someBytes(70_000)
      const form = new FormData()
      form.append('note', 'a field')
      form.append(field, new Blob([new Uint8Array(bytes)], { type: 'image/png' }), 'other.png')
      form.append('second', new Blob(['second']), 'second.png')
      const { status, body } = await send('cat.png', form)
      expect([status, body.name]).toEqual([201, 'cat.png'])
      expect(await read(body.objectId)).toMatchObject({ name: 'cat.png', mime_type: 'image/png' })
      expect(await fetchMd5(body.url)).toBe(md5(bytes))
    })

    it.each<[what: string, type: string | undefined]>([
      ['without a Content-Type', undefined],
      // `curl --data-binary @cat.png`
      ['labeled as a form', 'application/x-www-form-urlencoded'],
    ])('accepts content %s, typed by the name', async (_what, type) => {
      for (const content of [
        someBytes(70_000),
        Buffer.from('a=b&url'),
        Buffer.from('{ not JSON'),
        Buffer.from('{"a":1}'),
      ]) {
        // `fetch` labels texts itself, but not bytes.
        const { status, body } = await send('cat.png', content, type)
        expect([status, body.mime_type]).toEqual([201, 'image/png'])
        expect(await fetchBytes(body.url)).toEqual(content)
      }
      const record = Buffer.from('{"url":"https://example.org/cat.png"}')
      expect(await send('cat.png', record, type)).toMatchObject({ status: 201, body: JSON.parse(record.toString()) })
      const base64 = Buffer.from('{"base64":"aGVsbG8="}')
      expect(await fetchBytes((await send('a.txt', base64, type)).body.url)).toEqual(Buffer.from('hello'))
    })

    it('accepts the record of an external file, or base64, as a form', async () => {
      const type = 'application/x-www-form-urlencoded'
      const record = await send('cat.png', 'url=https%3A%2F%2Fexample.org%2Fcat.png', type)
      expect(record).toMatchObject({ status: 201, body: { url: 'https://example.org/cat.png', name: 'cat.png' } })
      expect(await fetchBytes((await send('a.txt', 'base64=aGVsbG8%3D', type)).body.url)).toEqual(Buffer.from('hello'))
    })

    it('types the file of a form by its name if the part has no Content-Type', async () => {
      const form = '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\ncontent\r\n--x--\r\n'
      for (const [name, type] of [
        ['cat.png', 'image/png'],
        ['notes.txt', 'text/plain'],
      ] as const) {
        const { status, body } = await send(name, form, 'multipart/form-data; boundary=x')
        expect([status, body.mime_type]).toEqual([201, type])
        expect(await fetchBytes(body.url)).toEqual(Buffer.from('content'))
      }
    })

    it.each<[what: string, type: string, form: string, error: string]>([
      [
        'no file',
        'multipart/form-data; boundary=x',
        '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n--x--\r\n',
        'must have a file',
      ],
      ['no boundary', 'multipart/form-data', '--x--\r\n', 'boundary'],
      [
        'no end',
        'multipart/form-data; boundary=x',
        '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nhalf',
        'malformed',
      ],
    ])('rejects a form with %s', async (_what, type, form, error) => {
      expect(await send('a.png', form, type)).toMatchObject(refusal(400, error))
    })

    it('rejects every body without an app key', async () => {
      for (const type of ['text/plain', 'multipart/form-data; boundary=x', 'image/png']) {
        const headers = { 'x-lc-id': app.appId, 'content-type': type }
        expect((await fetch(`${app.url}/1.1/files/a.txt`, { method: 'POST', headers, body: '--x--' })).status).toBe(401)
      }
    })
  })

  it('POST /1.1/files/:name accepts base64 content', async () => {
    const body = { base64: Buffer.from('hello').toString('base64'), _ContentType: 'text/plain' }
    const reply = await app.request('POST', '/1.1/files/hello.txt', { body })
    expect(reply.status).toBe(201)
    expect(await fetchBytes(reply.body.url)).toEqual(Buffer.from('hello'))
    const broken = await app.request('POST', '/1.1/files/hello.txt', { body: { base64: '%%%' } })
    expect(broken).toMatchObject(refusal(400, "'base64' must be valid base64"))
    const wrong = await app.request('POST', '/1.1/files/a.txt', { body: { base64: '', metaData: 'x' } })
    expect(wrong).toMatchObject(refusal(400, "'metaData'"))
    // Validating a long input of mostly valid characters takes no longer.
    const spaces = await app.request('POST', '/1.1/files/spaces.txt', { body: { base64: `${' '.repeat(5_000_000)}%` } })
    expect(spaces).toMatchObject(refusal(400, "'base64' must be valid base64"))
  })

  it('requires an app key', async () => {
    const response = await fetch(`${app.url}/1.1/files/a.png`, {
      method: 'POST',
      headers: { 'x-lc-id': app.appId, 'content-type': 'image/png' },
      body: someBytes(100),
    })
    expect(response.status).toBe(401)
  })
})
