import { randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BlobMissing, type BlobStore } from '../../src/files/blobs/blob-store.ts'
import { openBlobs } from '../../src/files/blobs/open-blobs.ts'
import { go } from '../support/go.ts'
import { recordedLog } from '../support/recorded-log.ts'
import { dataOfTests, type S3, startS3 } from '../support/s3.ts'
import { temporaryFiles, uploadsIn } from './remains.ts'
import { bytesFrom, source, storedForm } from './source.ts'

const MB = 1024 * 1024
const ALL = { max: 1024 * MB }
const PART = 8 * MB

const folder = mkdtempSync(join(tmpdir(), 'homeport-blobs-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const ends: (() => Promise<void>)[] = []
afterAll(async () => {
  for (const end of ends.reverse()) await end()
})

let s3: S3 | undefined
const { log } = recordedLog()

const stores = [
  { kind: 'folder', url: () => `file://${folder}`, skipped: false },
  { kind: 's3', url: () => s3!.filesUrl('a/prefix'), skipped: go === null },
] as const

/** Except for the store where sizes matter: a blob uploaded in one piece, and one uploaded in parts. */
const sizes = [3 * 65_536 + 5, PART + MB]

describe.each(stores)('blobs in $kind', ({ kind, url, skipped }) => {
  let blobs: BlobStore
  const app = `App_${kind}-1`
  const other = `App_${kind}-2`
  const newBlob = () => randomUUID().replaceAll('-', '')

  beforeAll(async () => {
    if (skipped) return
    if (kind === 's3') s3 = await startS3((end) => void ends.push(end))
    blobs = await openBlobs({ filesUrl: url(), data: dataOfTests() }, log)
  }, 300_000)

  const rule: typeof test.skip = test.skipIf(skipped)

  rule('the store can be checked, and says where it is without secrets', async () => {
    await blobs.check()
    expect(blobs.description).toContain(kind)
    expect(blobs.description).not.toContain('secret')
  })

  rule.each([0, 1, ...sizes, 2 * PART, 2 * PART + 1])(
    '%d bytes come back as they were, with size and md5',
    async (size) => {
      const blob = newBlob()
      expect(await blobs.write(app, blob, source(size), { max: size })).toEqual(storedForm(size))
      expect((await buffer(await blobs.read(app, blob))).equals(bytesFrom(0, size))).toBe(true)
      expect((await blobs.stat(app, blob))?.size).toBe(size)
    },
  )

  rule('a range is what of it lies in the blob', async () => {
    const blob = newBlob()
    const size = 100_000
    await blobs.write(app, blob, source(size), ALL)
    for (const [start, end] of [
      [0, 0],
      [1, 70_000],
      [99_999, 99_999],
      [99_000, 200_000],
      [100_000, 100_001],
    ] as const) {
      const read = await buffer(await blobs.read(app, blob, { start, end }))
      const expected = bytesFrom(start, Math.max(start, Math.min(end + 1, size)))
      expect(read.equals(expected)).toBe(true)
      expect((await blobs.readAll(app, blob, { start, end })).equals(expected)).toBe(true)
    }
    const empty = newBlob()
    await blobs.write(app, empty, source(0), ALL)
    expect(await buffer(await blobs.read(app, empty, { start: 0, end: 0 }))).toHaveLength(0)
    for (const [start, end] of [
      [-1, 0],
      [2, 1],
      [0, 1.5],
      [Number.NaN, 1],
    ] as const) {
      await expect(blobs.read(app, blob, { start, end })).rejects.toThrow(RangeError)
      await expect(blobs.readAll(app, blob, { start, end })).rejects.toThrow(RangeError)
    }
  })

  rule('many streams at a time give all of it, however large their pieces', async () => {
    const blob = newBlob()
    const size = 300_000
    await blobs.write(app, blob, source(size), ALL)
    const all = await Promise.all(Array.from({ length: 80 }, () => blobs.read(app, blob)))
    for (const bytes of await Promise.all(all.map(buffer))) expect(bytes.equals(bytesFrom(0, size))).toBe(true)
  })

  rule.each(sizes)(
    'a source that fails after most of %d bytes leaves nothing, and its error comes back',
    async (size) => {
      const blob = newBlob()
      // An interrupted upload, which must not be reported as a fault of the store.
      const broken = Object.assign(new Error('broken'), { code: 'ECONNRESET', syscall: 'read' })
      const failing = source(size, {
        before: (given) => {
          if (given > size - 70_000) throw broken
        },
      })
      await expect(blobs.write(app, blob, failing, ALL)).rejects.toBe(broken)
      await expectNothing(blob)
    },
  )

  rule.each(sizes)('one byte more than %d leaves nothing, and the rest of the source is not read', async (size) => {
    const blob = newBlob()
    let released = false
    async function* endless() {
      try {
        yield* source(size)
        for (;;) yield Buffer.alloc(1)
      } finally {
        released = true
      }
    }
    await expect(blobs.write(app, blob, endless(), { max: size })).rejects.toMatchObject({ status: 413 })
    await expectNothing(blob)
    expect(released).toBe(true)
  })

  rule.each(sizes)('an abort while the source hangs after %d bytes leaves nothing', async (size) => {
    const blob = newBlob()
    const controller = new AbortController()
    async function* hanging() {
      yield* source(size)
      setTimeout(() => controller.abort(new Error('gone')), 20)
      await new Promise(() => {})
    }
    const writing = blobs.write(app, blob, hanging(), { ...ALL, signal: controller.signal })
    await expect(writing).rejects.toThrow('gone')
    await expectNothing(blob)
  })

  rule('a signal that has aborted before, or with the last byte, leaves nothing', async () => {
    const blob = newBlob()
    const before = AbortSignal.abort(new Error('gone'))
    await expect(blobs.write(app, blob, source(10), { ...ALL, signal: before })).rejects.toThrow('gone')
    const last = new AbortController()
    async function* aborting() {
      yield* source(10)
      last.abort(new Error('gone'))
    }
    await expect(blobs.write(app, blob, aborting(), { ...ALL, signal: last.signal })).rejects.toThrow('gone')
    await expectNothing(blob)
  })

  rule('of 64 MB no more than a chunk is in memory at a time', async () => {
    const blob = newBlob()
    const size = 64 * MB
    // Uploads to S3 are buffered on disk.
    const place = kind === 's3' ? join(dataOfTests(), 'spool') : folder
    let most = 0
    const before = async (given: number) => {
      if (given > 3 * 65_536) most = Math.max(most, given - arrivedIn(place))
    }
    const stored = await blobs.write(app, blob, source(size, { before }), ALL)
    expect(stored).toEqual(storedForm(size))
    expect(most).toBeLessThanOrEqual(2 * 65_536)
    if (kind === 's3') expect(readdirSync(place)).toEqual([])
    await blobs.remove(app, blob)
  })

  rule('a blob that is missing: reading throws BlobMissing, stat is null, removing succeeds', async () => {
    await expect(blobs.read(app, newBlob())).rejects.toThrow(BlobMissing)
    await expect(blobs.read(app, newBlob(), { start: 0, end: 1 })).rejects.toThrow(BlobMissing)
    await expect(blobs.readAll(app, newBlob(), { start: 0, end: 1 })).rejects.toThrow(BlobMissing)
    expect(await blobs.stat(app, newBlob())).toBeNull()
    await blobs.remove(app, newBlob())
    await blobs.remove('no-such-app', newBlob())
    expect(await listed('no-such-app')).toEqual([])
  })

  rule('what is no name of a blob is refused everywhere', async () => {
    const names = ['', '.', '..', '../x', 'a/b', 'a\\b', '.tmp-x', 'a.b', 'ä', 'a\0', 'a\n', 'a'.repeat(65)]
    for (const name of names)
      for (const [inApp, blob] of [
        [app, name],
        [name, 'blob'],
      ] as const) {
        await expect(blobs.write(inApp, blob, source(1), ALL)).rejects.toThrow(/another form/)
        await expect(blobs.read(inApp, blob)).rejects.toThrow(/another form/)
        await expect(blobs.remove(inApp, blob)).rejects.toThrow(/another form/)
        await expect(blobs.stat(inApp, blob)).rejects.toThrow(/another form/)
        expect(() => blobs.path(inApp, blob)).toThrow(/another form/)
      }
    for (const name of names) {
      await expect(blobs.removeApp(name)).rejects.toThrow(/another form/)
      await expect(listed(name)).rejects.toThrow(/another form/)
    }
  })

  rule('writes at once do not mix, even of one name', async () => {
    const names = Array.from({ length: 8 }, newBlob)
    await Promise.all(names.map((blob, index) => blobs.write(app, blob, source(200_000 + index), ALL)))
    for (const [index, blob] of names.entries())
      expect((await buffer(await blobs.read(app, blob))).equals(bytesFrom(0, 200_000 + index))).toBe(true)
    const same = newBlob()
    await Promise.all([100_000, 200_000].map((size) => blobs.write(app, same, source(size), ALL)))
    const read = await buffer(await blobs.read(app, same))
    expect([100_000, 200_000]).toContain(read.length)
    expect(read.equals(bytesFrom(0, read.length))).toBe(true)
  })

  rule('a list has all blobs of its app, and a removed app has none', async () => {
    const begin = Date.now() - 2000
    const names = Array.from({ length: 1005 }, newBlob)
    for (let first = 0; first < names.length; first += 16)
      await Promise.all(
        names.slice(first, first + 16).map((blob, index) => blobs.write(other, blob, source(first + index), ALL)),
      )
    await blobs.remove(other, names[1004]!)
    const found = new Map<string, { size: number; modifiedAt: Date }>()
    for await (const { blob, ...rest } of blobs.list(other)) found.set(blob, rest)
    expect([...found.keys()].sort()).toEqual(names.slice(0, 1004).sort())
    expect(names.slice(0, 1004).map((blob) => found.get(blob)!.size)).toEqual(names.slice(0, 1004).map((_, n) => n))
    for (const { modifiedAt } of found.values()) expect(modifiedAt.getTime()).toBeGreaterThan(begin)
    const kept = await listed(app)
    await blobs.removeApp(other)
    expect(await listed(other)).toEqual([])
    await expect(blobs.read(other, names[0]!)).rejects.toThrow(BlobMissing)
    expect(await listed(app)).toEqual(kept)
    await blobs.removeApp(other)
    await blobs.write(other, names[0]!, source(5), ALL)
    expect(await listed(other)).toEqual([names[0]])
    await blobs.removeApp(other)
  })

  rule('a stream that nobody reads to its end can be destroyed', async () => {
    const blob = newBlob()
    await blobs.write(app, blob, source(4 * MB), ALL)
    for (let times = 0; times < 20; times++) {
      const stream: Readable = await blobs.read(app, blob)
      stream.destroy()
    }
    expect(await buffer(await blobs.read(app, blob))).toHaveLength(4 * MB)
  })

  async function listed(inApp: string): Promise<string[]> {
    const names: string[] = []
    for await (const { blob } of blobs.list(inApp)) names.push(blob)
    return names.sort()
  }

  async function expectNothing(blob: string): Promise<void> {
    await expect(blobs.read(app, blob)).rejects.toThrow(BlobMissing)
    expect(await blobs.stat(app, blob)).toBeNull()
    expect(await listed(app)).not.toContain(blob)
    expect(await remains()).toEqual([])
  }

  /** Returns the bytes of the file being written. */
  function arrivedIn(place: string): number {
    if (!existsSync(place)) return 0
    return temporaryFiles(place).reduce((sum, file) => sum + statSync(file).size, 0)
  }

  /** Returns everything that is neither a blob nor a folder. */
  async function remains(): Promise<readonly string[]> {
    return kind === 's3' ? uploadsIn(s3!) : temporaryFiles(folder)
  }
})
