import { createHash } from 'node:crypto'
import { request as httpRequest, type OutgoingHttpHeaders } from 'node:http'
import { json } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { bytesFrom } from '../../files/source.ts'
import { makeApp, type TestApp } from '../../support/app.ts'
import { signOf } from './client-requests.ts'

// How clients that cannot run here upload files: Swift 17, Objective-C 13, C# 1.0 to 2.x, leancloud_storage 0.7 and 0.8 for
// Dart, PHP 0.10 to 0.14. What they send to each provider that they know, and what they demand of the answers.

const ANY_TEXT = expect.any(String)
const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const MEGABYTE = 1024 * 1024
const NAME = '报告 1.bin'
const TYPE = 'application/octet-stream'

const apps = new Map<string, TestApp>()
for (const provider of ['s3', 'qiniu', 'qcloud']) {
  const app = await makeApp()
  await app.admin('PATCH', '/settings', { files: { provider } })
  apps.set(provider, app)
}

interface Sent {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a body by reading it
  readonly body: any
}

/** Sends exactly these headers, `Host` among them, which some clients give without the port. */
function send(method: string, url: string, headers: OutgoingHttpHeaders, body?: Uint8Array | string): Promise<Sent> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method, headers })
    request.on('response', (answer) => {
      json(answer).then((read) => resolve({ status: answer.statusCode!, body: read }), reject)
    })
    request.on('error', reject)
    request.end(body)
  })
}

interface Field {
  readonly name: string
  readonly value: Uint8Array | string
  /** Fields with one are files. */
  readonly filename?: string
}

/** The body of a form; `before` stands in front of it. */
function form(boundary: string, fields: readonly Field[], before = ''): Buffer {
  const pieces = fields.flatMap(({ name, value, filename }) => [
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"`),
    Buffer.from(filename === undefined ? '\r\n\r\n' : `; filename="${filename}"\r\nContent-Type: ${TYPE}\r\n\r\n`),
    Buffer.from(value),
    Buffer.from('\r\n'),
  ])
  return Buffer.concat([Buffer.from(before), ...pieces, Buffer.from(`--${boundary}--\r\n`)])
}

/** Asks for a token as a client does, lets it upload, tells the server of it, and compares what is there then. */
async function upload(
  agent: string,
  provider: string,
  asked: object,
  bytes: Buffer,
  // biome-ignore lint/suspicious/noExplicitAny: what a client takes of the answer, it says itself
  put: (token: any) => Promise<unknown>,
): Promise<void> {
  const app = apps.get(provider)!
  const headers = { 'x-lc-sign': signOf(app.appKey), 'x-lc-id': app.appId, 'user-agent': agent }
  const post = (path: string, body: object) =>
    send('POST', `${app.url}/1.1/${path}`, { ...headers, 'content-type': 'application/json' }, JSON.stringify(body))
  const { status, body: token } = await post('fileTokens', asked)
  expect(status, JSON.stringify(token)).toBe(200)
  // What all of them read of it: each a text. Some make it part of the file, with the dates as dates.
  const texts = { objectId: ANY_TEXT, upload_url: ANY_TEXT, token: ANY_TEXT, key: ANY_TEXT, url: ANY_TEXT }
  expect(token).toMatchObject({ ...texts, provider, bucket: ANY_TEXT, mime_type: ANY_TEXT, createdAt: ISO })
  await put(token)
  expect((await post('fileCallback', { token: token.token, result: true })).status).toBe(200)
  const fetched = Buffer.from(await (await fetch(token.url)).arrayBuffer())
  expect(fetched.equals(bytes)).toBe(true)
  const { body: record } = await app.request('GET', `/1.1/files/${token.objectId}`)
  expect(record).toMatchObject({ name: NAME, url: token.url, metaData: { size: bytes.length } })
}

const expectSuccess = async (sending: Promise<Sent>) => {
  const { status, body } = await sending
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}

describe('Swift', () => {
  const agent = 'LeanCloud-Swift-SDK/17.10.1'
  const boundary = 'alamofire.boundary.3f2b1a0c9d8e7f60'
  const type = `multipart/form-data; boundary=${boundary}`
  // FileUploader.createTouchParameters
  const asked = (size: number) => ({ name: NAME, mime_type: TYPE, metaData: { size } })
  const host = (url: string) => ({ host: new URL(url).host })

  it.each([0, 1, 3_000_001])('puts %i bytes to S3', async (size) => {
    const bytes = bytesFrom(0, size)
    await upload(agent, 's3', asked(size), bytes, ({ upload_url: url }) => {
      // FileUploader.writeToS3
      const headers = { 'content-type': TYPE, 'content-length': size, 'cache-control': 'public, max-age=31536000' }
      return expectSuccess(send('PUT', url, { ...host(url), ...headers }, bytes))
    })
  })

  it('posts a form to Qiniu', async () => {
    const bytes = bytesFrom(0, 100_000)
    await upload(agent, 'qiniu', asked(bytes.length), bytes, ({ upload_url: url, key, token }) => {
      // FileUploader.writeToQiniu
      const body = form(boundary, [
        { name: 'token', value: token },
        { name: 'key', value: key },
        { name: 'file', value: bytes, filename: NAME },
      ])
      return expectSuccess(send('POST', url, { ...host(url), 'content-type': type }, body))
    })
  })

  it('posts a form to Tencent', async () => {
    const bytes = bytesFrom(0, 100_000)
    await upload(agent, 'qcloud', asked(bytes.length), bytes, ({ upload_url: url, token }) => {
      // FileUploader.writeToQCloud
      const body = form(boundary, [
        { name: 'filecontent', value: bytes, filename: NAME },
        { name: 'op', value: 'upload' },
      ])
      return expectSuccess(send('POST', url, { ...host(url), 'content-type': type, authorization: token }, body))
    })
  })
})

describe('Objective-C', () => {
  const agent = 'LeanCloud-Objective-C-SDK/13.9.0'
  const boundary = 'Boundary+7A1C3E5F9B2D4068'
  const type = `multipart/form-data; boundary=${boundary}`
  // LCFile.uploadLocalDataWithData: with a compact UUID as key, and the ending of the name.
  const proposed = '0c8f6d2e3b1a49578e6f0a1b2c3d4e5f.bin'
  const asked = (size: number) => ({ name: NAME, mime_type: TYPE, key: proposed, metaData: { size } })
  /** The client gives it without the port. */
  const host = (url: string) => ({ host: new URL(url).hostname })

  it('puts to S3', async () => {
    const bytes = bytesFrom(0, 100_000)
    await upload(agent, 's3', asked(bytes.length), bytes, ({ upload_url: url }) => {
      const headers = { 'content-type': TYPE, 'cache-control': 'public, max-age=31536000' }
      return expectSuccess(send('PUT', url, { ...host(url), ...headers, 'content-length': bytes.length }, bytes))
    })
  })

  it('posts a form to Qiniu, under the key that it has proposed', async () => {
    const bytes = bytesFrom(0, 100_000)
    await upload(agent, 'qiniu', asked(bytes.length), bytes, ({ upload_url: url, token }) => {
      const body = form(boundary, [
        { name: 'file', value: bytes, filename: proposed },
        { name: 'key', value: proposed },
        { name: 'token', value: token },
      ])
      return expectSuccess(send('POST', url, { ...host(url), 'content-type': type }, body))
    })
  })

  it('posts a form to Tencent, whose answer has the code 0', async () => {
    const bytes = bytesFrom(0, 100_000)
    await upload(agent, 'qcloud', asked(bytes.length), bytes, async ({ upload_url: url, token }) => {
      const body = form(boundary, [
        { name: 'filecontent', value: bytes, filename: proposed },
        { name: 'op', value: 'upload' },
      ])
      const headers = { ...host(url), 'content-type': type, authorization: token }
      expect(await expectSuccess(send('POST', url, headers, body))).toMatchObject({ code: 0 })
    })
  })
})

describe('C#', () => {
  const agent = 'LeanCloud-CSharp-SDK/1.0.4'
  // LCFile.GetUploadToken; the size is there since 1.0.
  const asked = (size: number) => ({ name: NAME, __type: 'File', mime_type: null, metaData: { size } })

  it('puts to S3, in chunks', async () => {
    const bytes = bytesFrom(0, 5 * MEGABYTE + 1)
    await upload(agent, 's3', asked(bytes.length), bytes, ({ upload_url: url }) => {
      // LCAWSUploader.Upload
      const headers = { 'transfer-encoding': 'chunked', 'cache-control': 'public, max-age=31536' }
      return expectSuccess(send('PUT', url, headers, bytes))
    })
  })

  it.each([1, 4 * MEGABYTE, 9 * MEGABYTE + 5])('sends %i bytes to Qiniu in parts of 4 MB', async (size) => {
    const bytes = bytesFrom(0, size)
    await upload(agent, 'qiniu', asked(size), bytes, async ({ upload_url: url, bucket, key, token }) => {
      // LCQiniuUploader
      const uploads = `${url}/buckets/${bucket}/objects/${encodeURI(Buffer.from(key).toString('base64'))}/uploads`
      const headers = { host: new URL(url).hostname, authorization: `UpToken ${token}` }
      const { uploadId } = await expectSuccess(send('POST', uploads, headers))
      expect(uploadId).toEqual(ANY_TEXT)
      const parts: object[] = []
      for (let start = 0; start < size; start += 4 * MEGABYTE) {
        const part = bytes.subarray(start, start + 4 * MEGABYTE)
        const md5 = createHash('md5').update(part).digest('base64')
        const described = { 'content-type': TYPE, 'content-md5': md5, 'content-length': part.length }
        const partNumber = parts.length + 1
        const { etag } = await expectSuccess(
          send('PUT', `${uploads}/${uploadId}/${partNumber}`, { ...headers, ...described }, part),
        )
        parts.push({ partNumber, etag })
      }
      const body = JSON.stringify({ parts })
      const type = { 'content-type': 'application/json' }
      await expectSuccess(send('POST', `${uploads}/${uploadId}`, { ...headers, ...type }, body))
    })
  })

  it('before 1.0 proposes a key, and posts a form without a name to Qiniu', async () => {
    const bytes = bytesFrom(0, 1000)
    const key = '7f8a1c62-3df0-4be0-9a1b-0f4f1f9d2c11'
    await upload(agent, 'qiniu', { ...asked(1000), key, metaData: {} }, bytes, ({ upload_url: url, token }) => {
      const boundary = '5f0a7e0e-9d5c-4a34-8d1e-4b1f3c0a7d52'
      const body = Buffer.concat([
        form(boundary, [
          { name: 'key', value: key },
          { name: 'token', value: token },
          // ByteArrayContent, which has neither a name nor a type.
          { name: 'file', value: bytes },
        ]),
      ])
      return expectSuccess(send('POST', url, { 'content-type': `multipart/form-data; boundary="${boundary}"` }, body))
    })
  })
})

describe('Dart', () => {
  const agent = 'LeanCloud-Flutter-SDK/0.8.1'

  it.each([
    ['a key of its own (0.1)', { key: '110ec58a-a0f2-4ac4-8393-c866d813b8d1', metaData: {} }],
    ['no data of its own (0.7)', { metaData: null }],
  ])('puts to S3, with %s', async (_, more) => {
    const bytes = bytesFrom(0, 100_000)
    // LCFile._getUploadToken
    await upload(
      agent,
      's3',
      { name: NAME, __type: 'File', mime_type: null, ...more },
      bytes,
      ({ upload_url: url }) => {
        // _LCAWSUploader.uploadData
        const headers = { 'cache-control': 'public, max-age=31536000', 'content-length': bytes.length }
        return expectSuccess(send('PUT', url, { ...headers, 'content-type': TYPE }, bytes))
      },
    )
  })
})

describe('PHP', () => {
  const agent = 'LeanCloud PHP SDK 0.14.0'
  // File::save
  const asked = (size: number) => {
    const metaData = { owner: 'unknown', ...(size > 0 && { size }) }
    return { name: NAME, ACL: null, mime_type: TYPE, metaData, __type: 'File' }
  }

  it.each([0, 3_000_001])('puts %i bytes to S3, and waits for leave to do so', async (size) => {
    const bytes = bytesFrom(0, size)
    await upload(agent, 's3', asked(size), bytes, ({ upload_url: url }) => {
      // S3Uploader::upload: curl wants to be asked for more than a megabyte.
      const headers = { 'user-agent': agent, 'content-type': TYPE, 'content-length': size }
      return expectSuccess(send('PUT', url, { ...headers, ...(size > 0 && { expect: '100-continue' }) }, bytes))
    })
  })

  it('posts a form without a name to Tencent, with an empty line in front of it', async () => {
    const bytes = bytesFrom(0, 100_000)
    await upload(agent, 'qcloud', asked(bytes.length), bytes, async ({ upload_url: url, token }) => {
      const boundary = createHash('md5').update('now').digest('hex')
      // QCloudUploader::upload; the name is that of a key, which is null.
      const fields = [
        { name: 'op', value: 'upload' },
        { name: 'sha', value: createHash('sha1').update(bytes).digest('hex') },
        { name: 'filecontent', value: bytes, filename: '' },
      ]
      const headers = { 'content-type': `multipart/form-data; boundary=${boundary}`, authorization: token }
      const answer = await expectSuccess(send('POST', url, headers, form(boundary, fields, '\r\n')))
      expect(answer).toMatchObject({ code: 0, message: ANY_TEXT })
    })
  })
})

describe('Java before 7', () => {
  it('puts to S3 with an empty type, where it knows none', async () => {
    const bytes = bytesFrom(0, 1000)
    const asked = { name: NAME, mime_type: '', __type: 'File', metaData: { _name: NAME, size: 1000 } }
    await upload('LeanCloud-Java-SDK/6.0.5', 's3', asked, bytes, ({ upload_url: url }) =>
      expectSuccess(send('PUT', url, { 'content-type': '', 'content-length': 1000 }, bytes)),
    )
  })
})
