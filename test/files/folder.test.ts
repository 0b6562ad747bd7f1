import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, expect, test } from 'vitest'
import { BlobMissing } from '../../src/files/blobs/blob-store.ts'
import { LocalBlobs } from '../../src/files/blobs/local-blobs.ts'
import { recordedLog } from '../support/recorded-log.ts'
import { canMount, mountSmallDisk } from '../support/small-disk.ts'
import { temporaryFiles } from './remains.ts'
import { source, storedForm } from './source.ts'

const MB = 1024 * 1024
const HOUR = 3_600_000
const ALL = { max: 1024 * MB }
const AWAY = { status: 503, code: 511, message: expect.stringMatching(/files cannot be stored/) }

const directory = mkdtempSync(join(tmpdir(), 'homeport-blobs-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

function newStore() {
  const folder = mkdtempSync(join(directory, 'store-'))
  const { log, lines } = recordedLog()
  return { folder, blobs: new LocalBlobs(folder, log), lines }
}

test('a blob is a file of its app, unreadable by other system users', async () => {
  const { folder, blobs } = newStore()
  await blobs.write('app', 'abc', source(3), ALL)
  expect(blobs.path('app', 'abc')).toBe(join(folder, 'app', 'ab', 'abc'))
  expect(statSync(blobs.path('app', 'abc')).mode & 0o777).toBe(0o600)
  expect(statSync(join(folder, 'app')).mode & 0o777).toBe(0o700)
  expect(await blobs.stat('app', 'abc')).toEqual({ size: 3, md5: null })
  expect(await blobs.presignUpload()).toBeNull()
})

test('a process killed during a write leaves no blob, and the sweep removes the rest', async () => {
  const { folder, blobs } = newStore()
  const program = `
    import { LocalBlobs } from ${JSON.stringify(new URL('../../src/files/blobs/local-blobs.ts', import.meta.url).href)}
    const log = { child: () => log, error() {} }
    async function* source() {
      for (let given = 0; ; given += 65536) {
        if (given === 4 * 1024 * 1024) console.log('written')
        yield Buffer.alloc(65536, 1)
        if (given > 4 * 1024 * 1024) await new Promise((resolve) => setTimeout(resolve, 5))
      }
    }
    await new LocalBlobs(${JSON.stringify(folder)}, log).write('app', 'killed', source(), { max: Infinity })`
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  await once(child.stdout, 'data')
  child.kill('SIGKILL')
  await ended
  await expect(blobs.read('app', 'killed')).rejects.toThrow(BlobMissing)
  for await (const found of blobs.list('app')) expect(found).toBeUndefined()
  expect(temporaryFiles(folder)).toHaveLength(1)

  await blobs.write('app', 'kept', source(10), ALL)
  const strange = join(folder, 'app', 'no-file-of-ours')
  writeFileSync(strange, '')
  utimesSync(blobs.path('app', 'kept'), 0, 0)
  await blobs.sweep(HOUR)
  expect(temporaryFiles(folder)).toHaveLength(1)
  for (const file of temporaryFiles(folder)) utimesSync(file, new Date(), new Date(Date.now() - HOUR - 1000))
  await blobs.sweep(HOUR)
  expect(temporaryFiles(folder)).toEqual([])
  expect(await blobs.stat('app', 'kept')).toEqual({ size: 10, md5: null })
  expect(existsSync(strange)).toBe(true)
})

test('the sweep of one app leaves other apps alone', async () => {
  const { folder, blobs } = newStore()
  for (const app of ['one', 'two']) {
    await blobs.write(app, 'abc', source(3), ALL)
    writeFileSync(join(folder, app, 'ab', '.tmp-left'), '')
    utimesSync(join(folder, app, 'ab', '.tmp-left'), 0, 0)
  }
  await blobs.sweep(HOUR, 'one')
  expect(temporaryFiles(folder)).toEqual([join(folder, 'two', 'ab', '.tmp-left')])
})

test('a missing folder is an outage, not a loss: it is not recreated, and service resumes when it returns', async () => {
  const { folder, blobs, lines } = newStore()
  await blobs.write('app', 'before', source(10), ALL)
  renameSync(folder, `${folder}-away`)
  await expect(blobs.write('app', 'during', source(10), ALL)).rejects.toMatchObject(AWAY)
  await expect(blobs.read('app', 'before')).rejects.toMatchObject(AWAY)
  await expect(blobs.readAll('app', 'before', { start: 0, end: 9 })).rejects.toMatchObject(AWAY)
  await expect(blobs.stat('app', 'before')).rejects.toMatchObject(AWAY)
  await expect(blobs.remove('app', 'before')).rejects.toMatchObject(AWAY)
  await expect(blobs.removeApp('app')).rejects.toMatchObject(AWAY)
  await expect(blobs.list('app')[Symbol.asyncIterator]().next()).rejects.toMatchObject(AWAY)
  await expect(blobs.sweep(0)).rejects.toMatchObject(AWAY)
  await expect(blobs.check()).rejects.toThrow(/^Files cannot be stored in the folder .*: the folder does not exist/)
  expect(existsSync(folder)).toBe(false)
  renameSync(`${folder}-away`, folder)
  expect(await buffer(await blobs.read('app', 'before'))).toHaveLength(10)
  await blobs.write('app', 'after', source(10), ALL)
  await blobs.check()
  // The administrator is notified once a minute, not on every request.
  expect(lines).toHaveLength(1)
  expect(lines[0]![0]).toMatchObject({ component: 'files', reason: expect.stringMatching(/mounted\?$/) })
})

test('recreates folders that were removed externally', async () => {
  const { folder, blobs } = newStore()
  await blobs.write('app', 'abc', source(10), ALL)
  rmSync(join(folder, 'app'), { recursive: true })
  expect(await blobs.write('app', 'abd', source(10), ALL)).toEqual(storedForm(10))
  await blobs.removeApp('app')
  expect(await blobs.write('app', 'abe', source(10), ALL)).toEqual(storedForm(10))
})

test.skipIf(!canMount)('reports a full disk, leaves nothing, and recovers when space is available', async () => {
  const folder = join(directory, 'small')
  const disk = mountSmallDisk(folder, 4)
  try {
    const { log, lines } = recordedLog()
    const blobs = new LocalBlobs(folder, log)
    for (let times = 0; times < 3; times++)
      await expect(blobs.write('app', 'large', source(16 * MB), ALL)).rejects.toMatchObject(AWAY)
    expect(temporaryFiles(folder)).toEqual([])
    expect(await blobs.stat('app', 'large')).toBeNull()
    expect(lines.map(([{ reason }]) => reason)).toEqual(['the disk is full'])
    expect(await blobs.write('app', 'small', source(MB), ALL)).toEqual(storedForm(MB))
    disk.grow(32)
    expect(await blobs.write('app', 'large', source(16 * MB), ALL)).toEqual(storedForm(16 * MB))
  } finally {
    disk.unmount()
  }
})

test('reports a file in place of the folder', async () => {
  const path = join(directory, 'a-file')
  writeFileSync(path, '')
  const { log, lines } = recordedLog()
  const blobs = new LocalBlobs(path, log)
  await expect(blobs.write('app', 'abc', source(1), ALL)).rejects.toMatchObject(AWAY)
  await expect(blobs.check()).rejects.toThrow(/a part of the path is a file\.$/)
  expect(lines.map(([{ reason }]) => reason)).toEqual(['a part of the path is a file'])
})
