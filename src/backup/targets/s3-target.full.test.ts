import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { go } from '../../../test/support/go.ts'
import { type S3, startS3 } from '../../../test/support/s3.ts'
import type { BackupTarget } from './backup-target.ts'
import { openTarget } from './open-target.ts'

describe.skipIf(go === null)('backups in S3', () => {
  const ends: (() => Promise<void>)[] = []
  let s3: S3
  let target: BackupTarget

  beforeAll(async () => {
    s3 = await startS3((end) => void ends.push(end))
    target = await openTarget(s3.filesUrl('backups'))
  }, 300_000)
  afterAll(async () => {
    target?.close()
    for (const end of ends.reverse()) await end()
  })

  it('stores a file of many parts as a stream, and returns the same bytes', async () => {
    const [stored, sent] = [createHash('sha256'), createHash('sha256')]
    await target.write(
      'a/large',
      chunks(40, (chunk) => sent.update(chunk)),
    )
    for await (const chunk of await target.read('a/large')) stored.update(chunk)
    expect(stored.digest('hex')).toBe(sent.digest('hex'))
  })

  it('lists and removes folders, the first file before the others', async () => {
    await target.write('b/manifest.json', Readable.from([Buffer.from('{}')]))
    await target.write('b/part', Readable.from([Buffer.from('part')]))
    expect(await target.folders()).toContain('b')
    expect(await target.files('b')).toEqual(['manifest.json', 'part'])
    await target.removeFolder('b', 'manifest.json')
    expect(await target.files('b')).toEqual([])
    expect(await target.folders()).not.toContain('b')
    await target.remove('b/part')
  })

  it('does not store a file whose content fails, and reports the error of the content', async () => {
    const failing = async function* () {
      yield* chunks(20)
      throw new Error('the content failed')
    }
    await expect(target.write('c/part', failing())).rejects.toThrow('the content failed')
    expect(await target.files('c')).toEqual([])
  })

  it('reports a missing file and an unreachable store', async () => {
    await expect(target.read('c/missing')).rejects.toThrow("'c/missing' does not exist in the s3 bucket")
    s3.unplug()
    try {
      await expect(target.write('d/part', chunks(1))).rejects.toThrow('The S3 store failed')
      await expect(target.folders()).rejects.toThrow('The S3 store failed')
    } finally {
      s3.plug()
    }
  })
})

async function* chunks(megabytes: number, onChunk: (chunk: Buffer) => void = () => {}) {
  for (let count = 0; count < megabytes; count++) {
    const chunk = Buffer.alloc(1024 * 1024, `chunk ${count} `)
    onChunk(chunk)
    yield chunk
  }
}
