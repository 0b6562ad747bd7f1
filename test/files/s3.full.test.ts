import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { BlobStore } from '../../src/files/blobs/blob-store.ts'
import { openBlobs } from '../../src/files/blobs/open-blobs.ts'
import { go } from '../support/go.ts'
import { recordedLog } from '../support/recorded-log.ts'
import { dataOfTests, type S3, startS3 } from '../support/s3.ts'
import { uploadsIn } from './remains.ts'
import { bytesFrom, source, storedForm } from './source.ts'

const MB = 1024 * 1024
const HOUR = 3_600_000
const ALL = { max: 1024 * MB }
const AWAY = { status: 503, code: 511, message: expect.stringMatching(/files cannot be stored/) }

const ends: (() => Promise<void>)[] = []
afterAll(async () => {
  for (const end of ends.reverse()) await end()
})

let s3: S3
beforeAll(async () => {
  if (go !== null) s3 = await startS3((end) => void ends.push(end))
}, 300_000)
afterEach(() => s3?.plug())

const rule: typeof test.skip = test.skipIf(go === null)

async function opened(filesUrl = s3.filesUrl('prefix')): Promise<{ blobs: BlobStore; said: () => string }> {
  const { log, lines } = recordedLog()
  return { blobs: await openBlobs({ filesUrl, data: dataOfTests() }, log), said: () => JSON.stringify(lines) }
}

/** Calls `then` once the store has received so many more bytes. */
async function whenReceived(bytes: number, then: () => void): Promise<void> {
  const from = s3.received()
  while (s3.received() < from + bytes) await new Promise((resolve) => setImmediate(resolve))
  then()
}

rule('a wrong secret is refused, told to the administrator, and shown nowhere', async () => {
  const { blobs, said } = await opened(s3.filesUrl('prefix', 'a-wrong-secret'))
  await expect(blobs.check()).rejects.toThrow(/^Files cannot be stored in the s3 bucket .*: SignatureDoesNotMatch/)
  await expect(blobs.check()).rejects.not.toThrow(/a-wrong-secret/)
  await expect(blobs.write('app', 'abc', source(10), ALL)).rejects.toMatchObject(AWAY)
  await expect(blobs.read('app', 'abc')).rejects.toMatchObject(AWAY)
  expect(said()).toContain('SignatureDoesNotMatch')
  expect(said()).not.toContain('a-wrong-secret')
})

rule('a bucket that is not there is a fault of the store, not a missing blob', async () => {
  const { blobs, said } = await opened(s3.filesUrl('prefix').replace(`@${s3.bucket}/`, '@no-such-bucket/'))
  await expect(blobs.check()).rejects.toThrow(/NoSuchBucket/)
  await expect(blobs.write('app', 'abc', source(10), ALL)).rejects.toMatchObject(AWAY)
  await expect(blobs.read('app', 'abc')).rejects.toMatchObject(AWAY)
  expect(said()).toContain('NoSuchBucket')
})

rule(
  'a store that goes away in the middle of an upload: 503, no blob, all well when it is back, the rest swept',
  async () => {
    const { blobs, said } = await opened()
    const cutting = whenReceived(10 * MB, () => s3.unplug())
    await expect(blobs.write('app', 'broken', source(80 * MB), ALL)).rejects.toMatchObject(AWAY)
    await cutting
    await expect(blobs.write('app', 'small', source(10), ALL)).rejects.toMatchObject(AWAY)
    await expect(blobs.read('app', 'small')).rejects.toMatchObject(AWAY)
    await expect(blobs.stat('app', 'small')).rejects.toMatchObject(AWAY)
    await expect(blobs.remove('app', 'small')).rejects.toMatchObject(AWAY)
    expect(JSON.parse(said())).toHaveLength(1)

    s3.plug()
    expect(await blobs.stat('app', 'broken')).toBeNull()
    for await (const found of blobs.list('app')) expect(found).toBeUndefined()
    expect(await blobs.write('app', 'broken', source(20 * MB), ALL)).toEqual(storedForm(20 * MB))

    expect(await uploadsIn(s3)).toEqual(['prefix/app/broken'])
    await blobs.sweep(HOUR)
    await (await opened(s3.filesUrl('other'))).blobs.sweep(-HOUR)
    expect(await uploadsIn(s3)).toEqual(['prefix/app/broken'])
    await blobs.sweep(-HOUR)
    expect(await uploadsIn(s3)).toEqual([])
    expect(await blobs.stat('app', 'broken')).toMatchObject({ size: 20 * MB })
  },
)

rule.each([10, 20 * MB])('%d bytes whose last answer got lost: what was refused is not there', async (size) => {
  const { blobs } = await opened()
  // The first response of a multipart upload contains its upload id.
  const losing = size > 16 * MB ? whenReceived(MB, () => s3.loseAnswers()) : s3.loseAnswers()
  await expect(blobs.write('app', 'unanswered', source(size), ALL)).rejects.toMatchObject(AWAY)
  await losing
  s3.plug()
  expect(await blobs.stat('app', 'unanswered')).toBeNull()
  await blobs.sweep(-HOUR)
})

rule('a store that is away does not hide why a source has failed', async () => {
  const { blobs } = await opened()
  const before = (given: number) => {
    if (given < 20 * MB) return
    s3.unplug()
    throw new Error('the client is gone')
  }
  await expect(blobs.write('app', 'gone', source(40 * MB, { before }), ALL)).rejects.toThrow('the client is gone')
})

rule('a client may put a blob by a presigned URL, of the type and size that were said, and no other one', async () => {
  const { blobs } = await opened()
  const presigned = { size: 10, mimeType: 'image/png', seconds: 60 }
  const url = (await blobs.presignUpload('app', 'own', presigned))!
  const put = async (to: string, type: string, size: number) => {
    const response = await fetch(to, { method: 'PUT', headers: { 'content-type': type }, body: bytesFrom(0, size) })
    await response.arrayBuffer()
    return response.status
  }
  expect(await put(url, 'text/html', 10)).toBe(403)
  expect(await put(url, 'image/png', 11)).toBe(403)
  expect(await put(url.replace('/own', '/other'), 'image/png', 10)).toBe(403)
  expect(await blobs.stat('app', 'own')).toBeNull()
  expect(await put(url, 'image/png', 10)).toBe(200)
  expect(await blobs.stat('app', 'own')).toEqual(storedForm(10))
  const anySize = (await blobs.presignUpload('app', 'any', { ...presigned, size: null }))!
  expect(await put(anySize, 'image/png', 12)).toBe(200)
  expect(await blobs.stat('app', 'any')).toEqual(storedForm(12))
})

test('reports a missing region in one line', async () => {
  const before = { ...process.env }
  for (const name of ['AWS_REGION', 'AWS_DEFAULT_REGION', 'AWS_PROFILE']) delete process.env[name]
  process.env.AWS_CONFIG_FILE = '/nowhere'
  try {
    await expect(opened('s3://bucket')).rejects.toThrow(/^--files-url .* names no region: /)
  } finally {
    process.env = before
  }
})
