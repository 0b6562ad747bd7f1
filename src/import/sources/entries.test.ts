import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { constants, gunzipSync, gzipSync } from 'node:zlib'
import { pack } from 'tar-stream'
import { afterAll, expect, it } from 'vitest'
import { tarOf } from '../../../test/import/tar.ts'
import { zipOf } from '../../../test/import/zip.ts'
import { sourceEntries } from './entries.ts'
import { SourceFault } from './source-fault.ts'

const folder = await mkdtemp(join(tmpdir(), 'homeport-sources-'))
afterAll(() => rm(folder, { recursive: true }))

/** Reads a source: the content of its files, and the fault at its end. */
async function read(name: string, content: Buffer): Promise<{ files: Record<string, string>; fault: string | null }> {
  const path = join(folder, name)
  await writeFile(path, content)
  const files: Record<string, string> = {}
  try {
    for await (const entry of sourceEntries(path, name)) {
      files[entry.name] = ''
      for await (const piece of entry.reader.rest()) files[entry.name] += piece.toString()
    }
    return { files, fault: null }
  } catch (error) {
    if (!(error instanceof SourceFault)) throw error
    return { files, fault: error.message }
  }
}

const files = { 'Post.0.jsonl': 'one\ntwo\n', 'folder/_User.0.jsonl': 'x'.repeat(70_000), empty: '' }
const long = `${'deep/'.repeat(60)}Post.0.jsonl`

it.each([
  ['a file', 'Post.jsonl', async () => Buffer.from('one\n'), { 'Post.jsonl': 'one\n' }],
  ['a packed file', 'Post.jsonl.gz', async () => gzipSync('one\n'), { 'Post.jsonl': 'one\n' }],
  ['a tar archive', 'a.tar', () => tarOf(files), files],
  ['a packed tar archive', 'a.tar.gz', async () => gzipSync(await tarOf(files)), files],
  ['one of another name', 'download', async () => gzipSync(await tarOf(files)), files],
  ['a tar archive with a long name', 'a.tar', () => tarOf({ [long]: 'x' }), { [long]: 'x' }],
  ['a zip archive', 'a.zip', async () => zipOf(files), files],
  ['packed files in a tar archive', 'a.tar', () => tarOf({ 'P.bson.gz': gzipSync('x') }), { 'P.bson': 'x' }],
  ['packed files in a zip archive', 'a.zip', async () => zipOf({ 'P.bson.gz': gzipSync('x') }), { 'P.bson': 'x' }],
  ['an empty file', 'empty', async () => Buffer.alloc(0), { empty: '' }],
])('reads the content of %s', async (_what, name, make, expected) => {
  expect(await read(name, await make())).toEqual({ files: expected, fault: null })
})

it('skips folders of an archive, and never uses names as paths outside', async () => {
  const archive = pack()
  archive.entry({ name: 'folder/', type: 'directory' })
  archive.entry({ name: '../../Post.jsonl' }, 'x')
  archive.finalize()
  expect(await read('folders.tar', await buffer(archive))).toEqual({ files: { '../../Post.jsonl': 'x' }, fault: null })
})

it.each(['symlink', 'link'] as const)('names a %s of an archive, which is not followed', async (type) => {
  const archive = pack()
  archive.entry({ name: 'Post.0.jsonl', type, linkname: '/etc/passwd' })
  archive.finalize()
  const { files, fault } = await read('links.tar', await buffer(archive))
  expect([files, fault]).toEqual([{ 'Post.0.jsonl': '' }, expect.stringContaining('add the file /etc/passwd')])
})

it('reads a file whose name ends like the one of a folder', async () => {
  const files = { 'Post.0.jsonl/': 'one\n' }
  expect(await read('a.zip', zipOf(files))).toEqual({ files, fault: null })
  const archive = pack()
  archive.entry({ name: 'Post.0.jsonl/', type: 'file' }, 'one\n')
  archive.finalize()
  expect(await read('a.tar', await buffer(archive))).toEqual({ files, fault: null })
})

it.each(['gz', 'tgz', 'zip', 'tar', 'tar.gz', 'bz2', 'xz', '7z', 'rar', 'zst'])(
  'reports an empty .%s, which is not a file of that format, alone and in archives',
  async (ending) => {
    const name = `Post.0.jsonl.${ending}`
    const nothing = Buffer.alloc(0)
    const reason = expect.stringContaining('the file is empty, so it is not an archive')
    expect((await read(name, nothing)).fault).toEqual(reason)
    expect((await read('a.zip', zipOf({ [name]: nothing }))).fault).toEqual(reason)
    expect((await read('a.tar.gz', gzipSync(await tarOf({ [name]: nothing })))).fault).toEqual(reason)
  },
)

it('rejects a zip archive with a name that leads outside', async () => {
  expect((await read('outside.zip', zipOf({ '../Post.jsonl': 'x' }))).fault).toMatch(/damaged/)
})

it('reads a truncated archive up to the cut', async () => {
  const lines = Array.from({ length: 5000 }, (_, index) => `line ${index} ${(index * 7919) % 1000}\n`).join('')
  const whole = gzipSync(await tarOf({ first: 'x', second: lines }))
  for (const share of [0.3, 0.6, 0.95]) {
    const cut = whole.subarray(0, Math.floor(whole.length * share))
    const { files, fault } = await read('cut.tar.gz', cut)
    expect(fault).toMatch(/truncated/)
    expect(files.first).toBe('x')
    // Headers of two files, and the block of the first.
    const unpacked = gunzipSync(cut, { finishFlush: constants.Z_SYNC_FLUSH }).subarray(3 * 512)
    expect(files.second).toBe(unpacked.toString().slice(0, lines.length))
  }
  const tar = gunzipSync(whole)
  expect((await read('cut.tar', tar.subarray(0, 2000))).fault).toMatch(/truncated/)
  expect((await read('cut.zip', zipOf(files).subarray(0, 200))).fault).toMatch(/truncated or damaged/)
})

it('reads a damaged archive up to the damage', async () => {
  const tar = await tarOf({ first: 'x', second: 'y' })
  tar[1024 + 150] = 0x39
  expect(await read('damaged.tar', tar)).toMatchObject({
    files: { first: 'x' },
    fault: expect.stringMatching(/damaged/),
  })
})

it('stops reading content that expands too much', async () => {
  const bomb = gzipSync(Buffer.alloc(200 * 1024 * 1024))
  const path = join(folder, 'bomb.gz')
  await writeFile(path, bomb)
  let length = 0
  const readAll = async () => {
    for await (const { reader } of sourceEntries(path, 'bomb.gz'))
      for await (const piece of reader.rest()) length += piece.length
  }
  await expect(readAll()).rejects.toThrow(/expands to more than 300 times/)
  expect(length).toBeLessThan(100 * 1024 * 1024)
})

it('rejects a zip archive that declares too much expansion', async () => {
  const bomb = zipOf({ first: 'x', bomb: Buffer.alloc(100 * 1024 * 1024) })
  expect(await read('bomb.zip', bomb)).toEqual({
    files: { first: 'x' },
    fault: expect.stringMatching(/expands to more than 300 times/),
  })
})

it('reads archives nested at most three deep', async () => {
  const nested = async (depth: number): Promise<Buffer> =>
    depth === 0 ? Buffer.from('x') : gzipSync(await nested(depth - 1))
  expect(await read('deep.gz', await nested(3))).toMatchObject({ fault: null })
  expect((await read('deep.gz', await nested(4))).fault).toMatch(/3 levels deep/)
})
