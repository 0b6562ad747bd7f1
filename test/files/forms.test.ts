import { describe, expect, it } from 'vitest'
import { makeApp, type Reply } from '../support/app.ts'
import { askToken, fetchBytes, fetchMd5, md5, put, replyOf, someBytes, type Token } from './uploading.ts'

// The upload formats of the hosted service's providers, as sent by official clients (protocol/files, Upload by provider).

const app = await makeApp()
const read = async (id: string) => (await app.request('GET', `/1.1/files/${id}`)).body

const send = async (
  method: string,
  url: string,
  body?: Uint8Array | string | FormData,
  headers: Record<string, string> = {},
): Promise<Reply> =>
  replyOf(
    await fetch(url, {
      method,
      headers,
      ...(body !== undefined && { body: body instanceof Uint8Array ? Buffer.from(body) : body }),
    }),
  )

function form(fields: Record<string, string>, file: Uint8Array, name = 'file'): FormData {
  const data = new FormData()
  for (const [field, value] of Object.entries(fields)) data.append(field, value)
  data.append(name, new Blob([Buffer.from(file)]), '图.png')
  return data
}

/** Builds a multipart body, which tests can corrupt. */
function multipart(parts: readonly [head: string, body: Uint8Array | string][], end = '--x--\r\n'): Buffer {
  const pieces = parts.flatMap(([head, body]) => [
    Buffer.from(`--x\r\n${head}\r\n\r\n`),
    Buffer.from(body),
    Buffer.from('\r\n'),
  ])
  return Buffer.concat([...pieces, Buffer.from(end)])
}

const FILE_HEAD = 'content-disposition: form-data; name="file"; filename="a"'
const FORM = { 'content-type': 'multipart/form-data; boundary=x' }

describe('the upload provider in a token response', () => {
  const providerOf = async (agent: string, size: number | null, header = 'x-lc-ua') => {
    const body = { name: 'a', metaData: size === null ? {} : { size } }
    return (await askToken(app, body, { headers: { [header]: agent } })).provider
  }

  it.each([
    ['LeanCloud-JS-SDK/4.15.2 (Browser)', 100, 's3'],
    ['LeanCloud-JS-SDK/4.15.2 (Browser)', 64 * 1024 * 1024 - 1, 's3'],
    ['LeanCloud-JS-SDK/4.15.2 (Browser)', 64 * 1024 * 1024, 'qiniu'],
    ['LeanCloud-JS-SDK/3.15.0 (Browser)', 100, 's3'],
    // This version may upload a stream: it rejects streams for S3, or never resolves.
    ['LeanCloud-JS-SDK/4.15.2 (Node.js/v20)', 100, 'qiniu'],
    ['LeanCloud-JS-SDK/4.15.2 (Node.js/v20)', null, 'qiniu'],
    ['LeanCloud-JS-SDK/3.15.0 (Node.js/v20)', 100, 'qiniu'],
    ['LeanCloud-JS-SDK/4.15.2 (Weapp)', 100, 'qiniu'],
    ['LeanCloud-JS-SDK/3.15.0 (Weapp)', 100, 'qiniu'],
    // This version has the upload URL of Qiniu built in.
    ['LeanCloud-JS-SDK/2.5.4 (Node.js/v20)', null, 's3'],
    ['LeanCloud-JS-SDK/2.5.4 (Weapp)', null, 'qcloud'],
    ['AV/js1.5.5', null, 's3'],
    ['LeanCloud Java SDK', 100, 's3'],
    ['AVOS Cloud python-2.9.12 SDK', null, 's3'],
    ['', null, 's3'],
  ])('for %j and %s bytes: %s', async (agent, size, provider) => {
    expect(await providerOf(agent, size)).toBe(provider)
  })

  it('is also detected from the User-Agent', async () => {
    expect(await providerOf('LeanCloud-JS-SDK/4.15.2 (Node.js/v20)', null, 'user-agent')).toBe('qiniu')
  })

  it.each(['s3', 'qiniu', 'qcloud'])('is %s when the app configures it', async (provider) => {
    const own = await makeApp()
    await own.admin('PATCH', '/settings', { files: { provider } })
    const token = await askToken(own, { name: 'a' }, { headers: { 'x-lc-ua': 'LeanCloud-JS-SDK/4.15.2 (Weapp)' } })
    expect(token.provider).toBe(provider)
  })
})

describe('a form', () => {
  const bytes = someBytes(300_000)

  it('accepts the Qiniu format', async () => {
    const token = await askToken(app, { name: '图.png', metaData: { size: bytes.length } })
    const reply = await send(
      'POST',
      token.upload_url,
      form({ name: '图.png', key: token.key, token: token.token }, bytes),
    )
    expect(reply).toMatchObject({ status: 200, body: { key: token.key, hash: md5(bytes), code: 0 } })
    expect(await fetchMd5(token.url)).toBe(md5(bytes))
    expect(await read(token.objectId)).toMatchObject({ name: '图.png', provider: 's3' })
  })

  it('accepts fields after the file', async () => {
    const token = await askToken(app, { name: 'a' })
    const data = new FormData()
    data.append('file', new Blob([bytes]), 'a')
    data.append('token', token.token)
    expect((await send('POST', token.upload_url, data)).status).toBe(200)
    expect(await fetchMd5(token.url)).toBe(md5(bytes))
  })

  it.each(['fileContent', 'filecontent'])('accepts the Tencent format, with the file in %s', async (field) => {
    const token = await askToken(app, { name: 'a' })
    const url = `${token.upload_url}?sign=${token.token}`
    const reply = await send('POST', url, form({ op: 'upload' }, bytes, field), { authorization: token.token })
    expect(reply).toMatchObject({ status: 200, body: { code: 0, message: 'SUCCESS' } })
    expect(await fetchMd5(token.url)).toBe(md5(bytes))
  })

  it('accepts an additional file under another name', async () => {
    // Sends `op` as Python does.
    const token = await askToken(app, { name: 'a' })
    const data = new FormData()
    data.append('op', new Blob(['upload']), 'op')
    data.append('filecontent', new Blob([bytes]), 'filecontent')
    expect((await send('POST', token.upload_url, data)).status).toBe(200)
    expect(await fetchMd5(token.url)).toBe(md5(bytes))
  })

  it.each([
    ['has no file', multipart([['content-disposition: form-data; name="name"', 'x']]), FORM, 'must have a file'],
    ['breaks off in its file', multipart([[FILE_HEAD, 'abc']], ''), FORM, 'malformed or incomplete'],
    ['breaks off behind its file', multipart([[FILE_HEAD, 'abc']], '--x\r\n'), FORM, 'malformed or incomplete'],
    ['has no boundary', multipart([[FILE_HEAD, 'abc']]), { 'content-type': 'multipart/form-data' }, 'boundary'],
    ['is none', Buffer.from('abc'), { 'content-type': 'image/png' }, 'must be a form'],
    [
      'has a thousand fields',
      multipart(Array.from({ length: 1000 }, (_, n) => [`content-disposition: form-data; name="f${n}"`, 'x'])),
      FORM,
      'too many fields',
    ],
  ])('that %s is rejected and leaves nothing', async (_what, body, headers, text) => {
    const token = await askToken(app, { name: 'a' })
    const reply = await send('POST', token.upload_url, body, headers)
    expect(reply).toMatchObject({ status: 400, body: { code: 1, error: expect.stringContaining(text) } })
    expect(await read(token.objectId)).toEqual({})
    // The token is still valid.
    expect((await put(token.upload_url, bytes)).status).toBe(200)
  })

  it('rejects an additional large file under another name', async () => {
    const token = await askToken(app, { name: 'a' })
    const reply = await send('POST', token.upload_url, form({}, someBytes(2_000_000), 'other'))
    expect(reply.status).toBe(413)
  })
})

describe('parts', () => {
  const MB = 1024 * 1024
  const partsUrl = ({ upload_url, bucket, key }: Token) =>
    `${upload_url}/buckets/${bucket}/objects/${Buffer.from(key).toString('base64url')}/uploads`
  const begin = async (token: Token) => {
    const { body } = await send('POST', partsUrl(token), undefined, { authorization: `UpToken ${token.token}` })
    return `${partsUrl(token)}/${body.uploadId}`
  }
  const finish = (url: string, parts: object[]) =>
    send('POST', url, JSON.stringify({ parts, fname: 'a', mimeType: 'video/mp4' }), {
      'content-type': 'application/json',
    })

  it('are joined in order, regardless of the order of arrival', async () => {
    const bytes = someBytes(5 * MB + 17)
    const token = await askToken(app, { name: 'film.mp4', metaData: { size: bytes.length } })
    const url = await begin(token)
    const piece = (n: number) => bytes.subarray((n - 1) * 2 * MB, n * 2 * MB)
    const parts: { partNumber: number; etag: string }[] = []
    for (const n of [3, 1, 2]) {
      const { body } = await send('PUT', `${url}/${n}`, piece(n), { 'content-md5': md5(piece(n)) })
      parts.push({ partNumber: n, etag: body.etag })
    }
    parts.sort((one, other) => one.partNumber - other.partNumber)
    expect(await read(token.objectId)).toEqual({})
    expect(await finish(url, parts)).toMatchObject({ status: 200, body: { key: token.key } })
    expect(await fetchMd5(token.url)).toBe(md5(bytes))
    expect(
      (
        await app.sql('SELECT 1 FROM "$upload_parts" p JOIN "$uploads" USING (token_hash) WHERE file_id = $1', [
          token.objectId,
        ])
      ).rows,
    ).toEqual([])
  })

  it('can be uploaded again', async () => {
    const token = await askToken(app, { name: 'a' })
    const url = await begin(token)
    await send('PUT', `${url}/1`, Buffer.from('wrong'))
    const { body } = await send('PUT', `${url}/1`, Buffer.from('right'))
    await finish(url, [{ partNumber: 1, etag: body.etag }])
    expect(await fetchBytes(token.url)).toEqual(Buffer.from('right'))
  })

  it.each([
    ['that is missing', [{ partNumber: 2, etag: md5(Buffer.from('one')) }], 'Part 2 is missing'],
    ['of other bytes', [{ partNumber: 1, etag: md5(Buffer.from('two')) }], 'Part 1 is missing or does not match'],
    ['twice', [1, 1].map((partNumber) => ({ partNumber, etag: md5(Buffer.from('one')) })), 'sorted by partNumber'],
  ])('are not joined with one %s', async (_what, parts, text) => {
    const token = await askToken(app, { name: 'a' })
    const url = await begin(token)
    await send('PUT', `${url}/1`, Buffer.from('one'))
    expect(await finish(url, parts)).toMatchObject({ status: 400, body: { error: expect.stringContaining(text) } })
    expect(await read(token.objectId)).toEqual({})
  })

  it('are not joined when the total size differs from the announced size', async () => {
    const token = await askToken(app, { name: 'a', metaData: { size: 4 } })
    const url = await begin(token)
    const { body } = await send('PUT', `${url}/1`, Buffer.from('one'))
    expect((await finish(url, [{ partNumber: 1, etag: body.etag }])).status).toBe(400)
    expect((await send('PUT', `${url}/2`, Buffer.from('too much'))).status).toBe(413)
  })

  it('are rejected when their checksum differs from the announced one', async () => {
    const url = await begin(await askToken(app, { name: 'a' }))
    const reply = await send('PUT', `${url}/1`, Buffer.from('one'), { 'content-md5': md5(Buffer.from('two')) })
    expect(reply).toMatchObject({ status: 400, body: { error: expect.stringContaining('Content-MD5') } })
  })

  it.each(['0', '10001', 'x', '-1', '1e3'])('reject the number %s', async (number) => {
    const url = await begin(await askToken(app, { name: 'a' }))
    expect((await send('PUT', `${url}/${number}`, Buffer.from('x'))).status).toBe(400)
  })

  it('are deleted when the upload is aborted', async () => {
    const token = await askToken(app, { name: 'a' })
    const url = await begin(token)
    await send('PUT', `${url}/1`, Buffer.from('one'))
    expect((await send('DELETE', url)).status).toBe(200)
    const { rows } = await app.sql(
      'SELECT 1 FROM "$upload_parts" p JOIN "$uploads" USING (token_hash) WHERE file_id = $1',
      [token.objectId],
    )
    expect(rows).toEqual([])
  })

  it('of another upload are not found', async () => {
    const token = await askToken(app, { name: 'a' })
    expect((await send('PUT', `${partsUrl(token)}/000000000000000000000000/1`, Buffer.from('x'))).status).toBe(404)
  })
})

describe('blocks', () => {
  const block = 4 * 1024 * 1024
  const chunk = 256 * 1024

  async function sendBlocks(token: Token, bytes: Uint8Array): Promise<string[]> {
    const contexts: string[] = []
    for (let start = 0; start < bytes.length; start += block) {
      const whole = bytes.subarray(start, start + block)
      let reply = await send('POST', `${token.upload_url}/mkblk/${whole.length}`, whole.subarray(0, chunk))
      for (let at = chunk; at < whole.length; at += chunk) {
        expect(reply.body).toMatchObject({ offset: at, crc32: expect.any(Number), host: token.upload_url })
        reply = await send('POST', `${token.upload_url}/bput/${reply.body.ctx}/${at}`, whole.subarray(at, at + chunk))
      }
      contexts.push(reply.body.ctx)
    }
    return contexts
  }
  const make = ({ upload_url, key }: Token, size: number, contexts: string[]) =>
    send('POST', `${upload_url}/mkfile/${size}/key/${Buffer.from(key).toString('base64url')}`, contexts.join(','))

  it('are joined into a file, whose key is in the response', async () => {
    const bytes = someBytes(block + 2 * chunk + 5)
    const token = await askToken(app, { name: 'voice.amr', metaData: { size: bytes.length } })
    const contexts = await sendBlocks(token, bytes)
    expect(await make(token, bytes.length, contexts)).toMatchObject({ status: 200, body: { key: token.key } })
    expect(await fetchMd5(token.url)).toBe(md5(bytes))
  })

  it('are rejected with a gap, another size or an unknown context', async () => {
    const token = await askToken(app, { name: 'a' })
    const { body } = await send('POST', `${token.upload_url}/mkblk/10`, Buffer.from('12345'))
    expect((await send('POST', `${token.upload_url}/bput/${body.ctx}/6`, Buffer.from('x'))).status).toBe(400)
    expect((await make(token, 6, [body.ctx])).status).toBe(400)
    expect((await make(token, 5, [`${'0'.repeat(24)}.5`])).status).toBe(400)
    expect((await make(token, 5, ['x'])).status).toBe(400)
    expect((await make(token, 5, [body.ctx])).status).toBe(200)
  })

  it('are at most 4 MB', async () => {
    const token = await askToken(app, { name: 'a' })
    expect((await send('POST', `${token.upload_url}/mkblk/${block + 1}`, Buffer.from('x'))).status).toBe(400)
    expect((await send('POST', `${token.upload_url}/mkblk/${block}`, someBytes(block + 1))).status).toBe(413)
  })
})
