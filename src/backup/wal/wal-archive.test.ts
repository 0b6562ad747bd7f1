import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { recordedLog } from '../../../test/support/recorded-log.ts'
import { DiskReserve } from '../../disk-reserve.ts'
import type { Manifest } from '../manifest.ts'
import { FolderTarget } from '../targets/folder-target.ts'
import { fetchWal } from './fetch-wal.ts'
import { WalArchive } from './wal-archive.ts'
import { parseWalFile, walFile } from './wal-name.ts'

const INSTALLATION = 'aaaaaaaaaaaaaaaa'
const FOLDER = `wal-${INSTALLATION}`
const SEGMENT_BYTES = 16 * 1024 * 1024
const segment = (number: number) => `0000000100000000000000${number.toString(16).toUpperCase().padStart(2, '0')}`

let root: string
let spool: string
let target: FolderTarget
let archive: WalArchive | undefined
let free: number

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'homeport-wal-'))
  spool = join(root, 'postgres/homeport_wal')
  mkdirSync(spool, { recursive: true })
  target = new FolderTarget(join(root, 'target'))
  free = 5000
})
afterEach(async () => {
  await archive?.stop()
  rmSync(root, { recursive: true, force: true })
})

describe('archive of the write-ahead log', () => {
  it('moves complete segments to the target, and removes other files', async () => {
    for (const number of [1, 2]) writeFileSync(join(spool, segment(number)), `content ${number}`)
    writeFileSync(join(spool, `${segment(3)}.part`), 'half')
    writeFileSync(join(spool, '00000002.history'), '')
    await start()
    await expect
      .poll(async () => (await target.files(FOLDER)).map((file) => file.slice(0, 24)))
      .toEqual([segment(1), segment(2)])
    await expect.poll(() => readdirSync(spool)).toEqual([`${segment(3)}.part`])
    expect(archive!.status).toMatchObject({ waitingBytes: 0, error: null, interruptedSince: null })
  })

  it.each([null, 'correct horse battery'])(
    'returns the segments after a backup up to a gap (passphrase %s)',
    async (passphrase) => {
      for (const number of [3, 4, 5, 7]) writeFileSync(join(spool, segment(number)), `content ${number}`)
      await start({ passphrase })
      await expect.poll(async () => (await target.files(FOLDER)).length).toBe(4)
      const into = join(root, 'fetched')
      await fetchWal(target, manifest(segment(3)), passphrase, into, null)
      expect(readdirSync(into).sort()).toEqual([segment(4), segment(5)])
      expect(readFileSync(join(into, segment(5)), 'utf8')).toBe('content 5')
      if (passphrase !== null)
        await expect(fetchWal(target, manifest(segment(3)), 'another passphrase', into, null)).rejects.toThrow(
          'decrypted',
        )
    },
  )

  it('keeps segments while the target fails, and reports it once', async () => {
    writeFileSync(join(spool, segment(1)), 'content')
    writeFileSync(join(root, 'target'), 'a file in place of the folder')
    const { log, lines } = recordedLog()
    await start({ log })
    await expect.poll(() => archive!.status.error).not.toBeNull()
    expect(archive!.status.waitingBytes).toBe(7)
    expect(readdirSync(spool)).toEqual([segment(1)])
    expect(lines.map(([, text]) => text)).toEqual(['archiving the write-ahead log failed'])
  })

  it('discards segments when the disk reaches its reserve, and asks for a new backup afterwards', async () => {
    writeFileSync(join(spool, segment(1)), 'content')
    free = 500
    let gaps = 0
    await start({ afterGap: () => gaps++ })
    await expect.poll(() => archive!.status.interruptedSince).not.toBeNull()
    expect(readdirSync(spool)).toEqual(['discard'])
    expect(gaps).toBe(0)
    free = 5000
    await expect.poll(() => archive!.status.interruptedSince).toBeNull()
    expect(existsSync(join(spool, 'discard'))).toBe(false)
    expect(gaps).toBe(1)
  })

  it('removes segments that no kept backup needs', async () => {
    for (const number of [1, 2, 3]) writeFileSync(join(spool, segment(number)), 'content')
    await start()
    await expect.poll(async () => (await target.files(FOLDER)).length).toBe(3)
    await archive!.removeBefore(segment(3), SEGMENT_BYTES, target)
    expect((await target.files(FOLDER)).map((file) => file.slice(0, 24))).toEqual([segment(3)])
  })
})

describe('names of archived segments', () => {
  it.each([null, '0123456789abcdef0123456789abcdef'])('contain position, time and salt (%s)', (salt) => {
    const at = new Date('2026-01-02T03:04:05Z')
    const file = walFile(segment(9), at, salt)
    expect(parseWalFile(file)).toEqual({ segment: segment(9), at, salt, file })
  })

  it.each(['', 'manifest.json', `${segment(1)}.gz`, `../${segment(1)}.20260102T030405Z.gz`])('rejects %j', (file) => {
    expect(parseWalFile(file)).toBeNull()
  })
})

async function start(given: Partial<ConstructorParameters<typeof WalArchive>[0]> = {}): Promise<void> {
  const size = { bytes: 1000, percent: 100 }
  archive = new WalArchive({
    openTarget: async () => target,
    installation: INSTALLATION,
    passphrase: null,
    directory: join(root, 'postgres'),
    endSegment: async () => {},
    reserve: new DiskReserve({ size, read: async () => ({ free, total: 10_000 }) }),
    log: recordedLog().log,
    afterGap: () => {},
    ...given,
  })
  await archive.start()
}

function manifest(lastSegment: string): Manifest {
  const database = {
    major: 18,
    segmentBytes: SEGMENT_BYTES,
    startLsn: '0/1',
    stopLsn: '0/2',
    firstSegment: lastSegment,
    lastSegment,
  }
  return { installation: INSTALLATION, database } as unknown as Manifest
}
