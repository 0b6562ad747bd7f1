import { mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { errors } from '../../errors.ts'
import type { Principal } from '../../scheduling/principal.ts'
import { sharp } from './image-library.ts'
import { parsePictureRequest } from './picture-request.ts'
import { type PictureCounts, Pictures, type PicturesOptions } from './pictures.ts'
import type { PictureSource } from './read-source.ts'

const small = await sharp({ create: { width: 64, height: 64, channels: 3, background: 'red' } })
  .png()
  .toBuffer()
const noise = { type: 'gaussian' as const, mean: 128, sigma: 60 }
/** Large enough that its result is not served from memory. */
const large = await sharp({ create: { width: 700, height: 700, channels: 3, background: 'red', noise } })
  .png()
  .toBuffer()

const BLOCK = 4096

let directory: string
let opened: Pictures[]
let faults: unknown[]

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'pictures-'))
  opened = []
  faults = []
})

afterEach(async () => {
  vi.useRealTimers()
  for (const pictures of opened) await pictures.close()
  await rm(directory, { recursive: true, force: true })
})

function open(options: Partial<PicturesOptions> = {}): Pictures {
  const onFault = (error: unknown) => void faults.push(error)
  const pictures = new Pictures({ directory: join(directory, 'pictures'), onFault, ...options })
  opened.push(pictures)
  return pictures
}

const someone: Principal = { app: 'app', address: '10.0.0.1', user: '' }

/** Returns a source that counts how often it was opened. */
function file(bytes: Buffer = small) {
  const opened = {
    times: 0,
    source(): PictureSource {
      opened.times++
      return { bytes }
    },
  }
  return opened
}

interface RequestOptions {
  readonly of?: { source(): PictureSource | Promise<PictureSource> }
  readonly blob?: string
  readonly app?: string
  readonly principal?: Principal
  readonly limits?: PictureCounts
}

function request(
  pictures: Pictures,
  query: string,
  { of = file(), blob = 'blob', app = 'app', principal = someone, limits }: RequestOptions = {},
) {
  return pictures.get({
    appId: app,
    blob,
    source: of.source,
    request: parsePictureRequest(query)!,
    principal,
    ...(limits && { limits }),
  })
}

async function kept(): Promise<string[]> {
  const names = await readdir(join(directory, 'pictures'), { recursive: true })
  return names.filter((name) => /\.[a-z]+$/.test(name))
}

/** Returns a promise and the function that resolves it. */
function promised<Value>() {
  let resolve: (value: Value) => void = () => undefined
  const promise = new Promise<Value>((keep) => {
    resolve = keep
  })
  return { promise, resolve }
}

/** Returns a source that blocks until the test calls `pass`. */
function gate(bytes: Buffer = small) {
  const { promise, resolve } = promised<PictureSource>()
  const opened = promised<void>()
  return {
    source: () => {
      opened.resolve()
      return promise
    },
    opened: opened.promise,
    pass: () => resolve({ bytes }),
  }
}

it('computes a result once and caches it', async () => {
  const pictures = open()
  const of = file()
  const first = await request(pictures, 'imageView2/2/w/32', { of })
  const second = await request(pictures, 'imageView2/2/w/32', { of })
  expect(of.times).toBe(1)
  expect(second).toEqual(first)
  expect(first).toMatchObject({
    contentType: 'image/png',
    size: expect.any(Number),
    etag: expect.stringMatching(/^"[0-9a-f-]+"$/),
  })
  expect(await kept()).toHaveLength(1)
})

it('reads a local source file in place', async () => {
  const path = join(directory, 'stored')
  await writeFile(path, small)
  const request = parsePictureRequest('imageView2/2/w/32')!
  const picture = await open().get({ appId: 'app', blob: 'blob', source: { path }, request, principal: someone })
  expect(picture).toMatchObject({ contentType: 'image/png' })
})

it('keeps separate results per request, file and app', async () => {
  const pictures = open()
  const tags = [
    await request(pictures, 'imageView2/2/w/32'),
    await request(pictures, 'imageView2/2/w/31'),
    await request(pictures, 'imageView2/2/w/32', { blob: 'other' }),
    await request(pictures, 'imageView2/2/w/32', { app: 'other' }),
  ].map((picture) => picture!.etag)
  expect(new Set(tags)).toHaveLength(4)
})

it('computes a result once for concurrent requests', async () => {
  const pictures = open()
  const of = file()
  const all = await Promise.all(Array.from({ length: 40 }, () => request(pictures, 'imageView2/2/w/32', { of })))
  expect(of.times).toBe(1)
  expect(new Set(all.map((picture) => picture!.etag))).toHaveLength(1)
})

it('computes at most as many pictures at a time as there are slots', async () => {
  const pictures = open({ slots: 2 })
  const gates = Array.from({ length: 5 }, () => gate())
  let begun = 0
  for (const each of gates) void each.opened.then(() => begun++)
  const all = gates.map((of, at) =>
    request(pictures, 'imageView2/2/w/32', { of, blob: `${at}`, principal: { ...someone, address: `10.0.0.${at}` } }),
  )
  await Promise.race(gates.map((each) => each.opened))
  expect(begun).toBeLessThanOrEqual(2)
  for (const each of gates) each.pass()
  expect(await Promise.all(all)).toHaveLength(5)
})

it('rejects an address with too many requests without affecting others', async () => {
  const pictures = open({ slots: 2, waiting: { atAddress: 2, ofApp: 10, inAll: 10 } })
  const held = Array.from({ length: 6 }, () => gate())
  const all = held.map((of, at) =>
    request(pictures, 'imageView2/2/w/32', { of, blob: `${at}` }).catch((error) => error.status),
  )
  // The address has one slot, and two of its requests wait.
  const refused = await Promise.race([Promise.all(all.slice(3)), held[0]!.opened.then(() => Promise.all(all.slice(3)))])
  expect(refused).toEqual([429, 429, 429])
  const neighbour: Principal = { ...someone, address: '10.0.0.2' }
  expect(await request(pictures, 'imageView2/2/w/32', { blob: 'neighbours', principal: neighbour })).not.toBeNull()
  for (const each of held) each.pass()
  await Promise.all(all)
})

it('rejects a request that waits longer than the timeout', async () => {
  const pictures = open({ slots: 1, timeoutMs: 20 })
  const holding = gate()
  const held = request(pictures, 'imageView2/2/w/32', { of: holding })
  await holding.opened
  await expect(request(pictures, 'imageView2/2/w/32', { blob: 'other' })).rejects.toMatchObject({
    status: expect.toSatisfy((status: number) => status === 429 || status === 503),
  })
  holding.pass()
  await held
})

it('computes the picture for the other clients when the first one disconnects while waiting', async () => {
  const pictures = open({ slots: 1 })
  const holding = gate()
  const held = request(pictures, 'imageView2/2/w/32', { of: holding })
  await holding.opened

  const waits = promised<() => void>()
  const leaving: Principal = {
    ...someone,
    onDisconnect: (leave) => {
      waits.resolve(leave)
      return () => undefined
    },
  }
  const left = request(pictures, 'imageView2/2/w/32', { blob: 'both', principal: leaving }).catch(
    (error) => error.status,
  )
  const leave = await waits.promise
  const stays = request(pictures, 'imageView2/2/w/32', { blob: 'both' })
  leave()
  expect(await left).toBe(499)
  holding.pass()
  expect(await stays).not.toBeNull()
  await held
})

it('remembers the failure of a broken picture, and returns the original with ignore-error', async () => {
  const pictures = open()
  const of = file(small.subarray(0, 40))
  await expect(request(pictures, 'imageView2/2/w/32', { of })).rejects.toMatchObject({ status: 400 })
  await expect(request(pictures, 'imageView2/2/w/32', { of })).rejects.toMatchObject({ status: 400 })
  expect(await request(pictures, 'imageView2/2/w/32/ignore-error/1', { of })).toBeNull()
  expect(of.times).toBe(1)
  expect(await kept()).toEqual([])
})

it('retries after a store failure, even with ignore-error', async () => {
  const pictures = open()
  let times = 0
  const of = { source: () => (times++ === 0 ? Promise.reject(errors.unavailable()) : { bytes: small }) }
  await expect(request(pictures, 'imageView2/2/w/32/ignore-error/1', { of })).rejects.toMatchObject({ status: 503 })
  expect(await request(pictures, 'imageView2/2/w/32', { of })).not.toBeNull()
})

it('evicts the least recently used result when the disk budget is used up', async () => {
  const pictures = open({ diskBytes: 3 * BLOCK })
  const files = { a: file(), b: file(), c: file(), d: file() }
  const use = (blob: keyof typeof files) => request(pictures, 'imageView2/2/w/32', { of: files[blob], blob })
  for (const blob of ['a', 'b', 'c', 'a', 'd'] as const) await use(blob)
  expect(pictures.diskBytes).toBe(3 * BLOCK)
  await vi.waitFor(async () => expect(await kept()).toHaveLength(3))
  for (const blob of ['a', 'c', 'd'] as const) await use(blob)
  expect(Object.values(files).map((each) => each.times)).toEqual([1, 1, 1, 1])
  await use('b')
  expect(files.b.times).toBe(2)
})

it('returns a result larger than the disk budget without caching it', async () => {
  const pictures = open({ diskBytes: BLOCK })
  expect(await request(pictures, 'imageMogr2/strip', { of: file(large) })).toHaveProperty('bytes')
  expect(await kept()).toEqual([])
})

it('returns a large result by its path, and delays the deletion of its file after eviction', async () => {
  const size = (await sharp(large).png().toBuffer()).length
  const pictures = open({ diskBytes: size + 4 * BLOCK })
  await request(pictures, 'imageMogr2/strip', { of: file(large), blob: 'one' })
  const answer = await request(pictures, 'imageMogr2/strip', { blob: 'one' })
  if (!answer || !('path' in answer)) throw new Error('no path')
  await request(pictures, 'imageMogr2/strip', { of: file(large), blob: 'two' })
  // Waits for pending deletions.
  await pictures.forget('app', 'none')
  expect((await stat(answer.path)).size).toBe(answer.size)
  expect(pictures.diskBytes).toBeLessThanOrEqual(size + 4 * BLOCK)
  await pictures.close()
  await expect(stat(answer.path)).rejects.toThrow('ENOENT')
})

it('finds all results after a restart, and evicts in order of modification time', async () => {
  const before = open()
  for (const blob of ['a', 'b', 'c']) await request(before, 'imageView2/2/w/32', { blob })
  await before.close()
  const names = await kept()
  expect(names).toHaveLength(3)
  for (const [at, name] of names.entries()) await utimes(join(directory, 'pictures', name), 1000 + at, 1000 + at)

  const after = open({ diskBytes: 3 * BLOCK })
  await after.scanned
  expect(after.diskBytes).toBe(3 * BLOCK)
  const of = file()
  for (const blob of ['a', 'b', 'c']) await request(after, 'imageView2/2/w/32', { blob, of })
  expect(of.times).toBe(0)

  await after.close()
  for (const [at, name] of names.entries()) await utimes(join(directory, 'pictures', name), 1000 + at, 1000 + at)
  const last = open({ diskBytes: 3 * BLOCK })
  await last.scanned
  await request(last, 'imageView2/2/w/32', { blob: 'd' })
  await vi.waitFor(async () => expect(await kept()).not.toContain(names[0]))
  expect(await kept()).toEqual(expect.arrayContaining(names.slice(1)))
})

it('finds results while the directory is still being indexed', async () => {
  const before = open()
  const first = await request(before, 'imageView2/2/w/32')
  await before.close()
  const of = file()
  expect(await request(open(), 'imageView2/2/w/32', { of })).toEqual(first)
  expect(of.times).toBe(0)
})

it('applies a smaller disk budget at the start, deletes leftovers of a crash, and keeps unrelated files', async () => {
  const before = open()
  for (const blob of ['a', 'b', 'c']) await request(before, 'imageView2/2/w/32', { blob })
  await before.close()
  const [broken] = await kept()
  await writeFile(join(directory, 'pictures', broken!), '')
  await writeFile(join(directory, 'pictures', 'README.txt'), 'mine')
  const unfinished = join(directory, 'pictures', 'unfinished-0123456789abcdef')
  await writeFile(unfinished, 'half')

  const after = open({ diskBytes: BLOCK })
  await after.scanned
  expect(after.diskBytes).toBe(BLOCK)
  await vi.waitFor(async () => expect(await kept()).toHaveLength(2))
  expect(await kept()).toContain('README.txt')
  await expect(stat(unfinished)).rejects.toThrow('ENOENT')
})

it('computes a result again when its file was deleted', async () => {
  const pictures = open({ memoryBytes: 0 })
  const of = file()
  await request(pictures, 'imageView2/2/w/32', { of })
  await rm(join(directory, 'pictures'), { recursive: true })
  expect(await request(pictures, 'imageView2/2/w/32', { of })).not.toBeNull()
  expect(of.times).toBe(2)
})

it('deletes all results of a removed file and none of other files', async () => {
  const pictures = open()
  const [cancelled, stays] = [file(), file()]
  await request(pictures, 'imageView2/2/w/32', { of: cancelled, blob: 'gone' })
  await request(pictures, 'imageView2/2/w/31', { of: cancelled, blob: 'gone' })
  await request(pictures, 'imageView2/2/w/32', { of: stays, blob: 'stays' })
  await pictures.forget('app', 'gone')
  expect(await kept()).toHaveLength(1)
  await request(pictures, 'imageView2/2/w/32', { of: cancelled, blob: 'gone' })
  await request(pictures, 'imageView2/2/w/32', { of: stays, blob: 'stays' })
  expect([cancelled.times, stays.times]).toEqual([3, 1])
})

it('deletes all results of a removed file before the directory is indexed', async () => {
  const before = open()
  await request(before, 'imageView2/2/w/32')
  await before.close()
  const after = open()
  await after.forget('app', 'blob')
  await after.scanned
  expect(await kept()).toEqual([])
  const of = file()
  await request(after, 'imageView2/2/w/32', { of })
  expect(of.times).toBe(1)
})

it('does not cache a result when its file is removed during the computation', async () => {
  const pictures = open()
  const of = gate()
  const answer = request(pictures, 'imageView2/2/w/32', { of })
  await of.opened
  await pictures.forget('app', 'blob')
  of.pass()
  await answer
  expect(await kept()).toEqual([])
})

it('returns the picture and reports the fault when nothing can be written', async () => {
  await writeFile(join(directory, 'no-directory'), '')
  const pictures = open({ directory: join(directory, 'no-directory') })
  expect(await request(pictures, 'imageView2/2/w/32')).toMatchObject({ contentType: 'image/png' })
  expect(faults).not.toEqual([])
})

it('returns correct results for many concurrent requests with a small disk budget', async () => {
  const pictures = open({
    diskBytes: 3 * BLOCK,
    memoryBytes: 2000,
    waiting: { atAddress: 500, ofApp: 500, inAll: 500 },
  })
  const widths = Array.from({ length: 200 }, (_, at) => 1 + ((at * 7) % 11))
  const answers = await Promise.all(widths.map((width) => request(pictures, `imageView2/2/w/${width}`)))
  for (const [at, answer] of answers.entries()) {
    if (!answer || !('bytes' in answer)) throw new Error('no bytes')
    expect((await sharp(answer.bytes).metadata()).width).toBe(widths[at])
  }
  expect(pictures.diskBytes).toBeLessThanOrEqual(3 * BLOCK)
})

it('finishes the picture in progress on close and computes no further ones', async () => {
  const pictures = open({ slots: 1 })
  const of = gate()
  const first = request(pictures, 'imageView2/2/w/32', { of }).catch((error) => error.status)
  await of.opened
  const second = request(pictures, 'imageView2/2/w/32', { blob: 'other' }).catch((error) => error.status)
  const closed = pictures.close()
  of.pass()
  await closed
  expect([await first, await second]).toEqual([503, 503])
})

it('counts files and megapixels only for computed results', async () => {
  const pictures = open()
  const counted: [what: string, amount: string | number][] = []
  const limits: PictureCounts = {
    takeOfFile: (blob) => void counted.push(['file', blob]),
    takeMegapixels: (megapixels) => void counted.push(['megapixels', megapixels]),
  }
  for (let n = 0; n < 3; n++) await request(pictures, 'imageMogr2/thumbnail/2000x', { limits })
  expect(counted).toEqual([
    ['file', 'blob'],
    ['megapixels', 5],
  ])
})

it('rejects only the caller that reached its limit, and does not remember a failure', async () => {
  const pictures = open()
  const refuse = () => Promise.reject(errors.tooManyRequests('The limit is 5 pictures.'))
  const none = () => undefined
  for (const limits of [
    { takeOfFile: refuse, takeMegapixels: none },
    { takeOfFile: none, takeMegapixels: refuse },
  ])
    await expect(request(pictures, 'imageView2/2/w/32/ignore-error/1', { limits })).rejects.toMatchObject({
      status: 429,
    })
  expect(await request(pictures, 'imageView2/2/w/32/ignore-error/1')).toMatchObject({ contentType: 'image/png' })
})

it('limits the pixels in flight over all apps, regardless of the number of slots', async () => {
  const pictures = open({ slots: 6, pixelBytes: 8_000_000 })
  let max = 0
  let running = 0
  const many = Array.from({ length: 12 }, (_, n) =>
    request(pictures, `imageMogr2/thumbnail/${900 + n}x`, {
      of: file(large),
      app: `app-${n}`,
      blob: `blob-${n}`,
      principal: { app: `app-${n}`, address: `10.0.1.${n}`, user: '' },
    }).then((picture) => {
      max = Math.max(max, pictures.pixelBytes)
      running++
      return picture
    }),
  )
  const made = await Promise.all(many)
  expect(made.every((picture) => picture?.contentType === 'image/png')).toBe(true)
  expect(running).toBe(12)
  expect(max).toBeLessThanOrEqual(8_000_000)
  expect(pictures.pixelBytes).toBe(0)
})
