import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openDataDirectory } from '../data-directory.ts'
import { type EmbeddedDatabase, startEmbeddedDatabase } from '../database/embedded/embedded-database.ts'
import { DiskReserve } from '../disk-reserve.ts'
import { createLog } from '../log.ts'
import { checkBackup } from './check-backup.ts'
import { makeBackup } from './make-backup.ts'
import type { Manifest } from './manifest.ts'
import { restoreBackup } from './restore-backup.ts'
import { FolderTarget } from './targets/folder-target.ts'

const log = createLog('silent')
const { signal } = new AbortController()
const INSTALLATION = '0123456789abcdef'
const isWindows = process.platform === 'win32'

let root: string
let data: string
let database: EmbeddedDatabase
let folder: string
let target: FolderTarget
let started = 0

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'homeport-backup-'))
  chmodSync(root, 0o711)
  data = join(root, 'data')
  mkdirSync(data, { mode: 0o711 })
  database = await startEmbeddedDatabase({ directory: join(data, 'postgres'), log })
  writeFileSync(join(data, 'admin-token'), 'the token of the administrator\n')
  mkdirSync(join(data, 'files/app0/ab'), { recursive: true })
  writeFileSync(join(data, 'files/app0/ab/abcd'), 'bytes of a file')
  writeFileSync(join(data, 'files/app0/ab/.tmp-1'), 'unfinished')
  await query(database, 'CREATE TABLE public.item (id bigint PRIMARY KEY, filler text)')
  await query(database, 'INSERT INTO item SELECT n, repeat(md5(n::text), 20) FROM generate_series(1, 20000) AS n')
})
afterAll(async () => {
  await database?.stop()
  rmSync(root, { recursive: true, force: true, maxRetries: 10 })
})

beforeEach(() => {
  folder = join(root, `target-${++started}`)
  target = new FolderTarget(folder)
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('backup of a running server', () => {
  it('contains every write acknowledged before its end, while others are written', async () => {
    const writing = new AbortController()
    const acknowledged: { id: number; at: number }[] = []
    const writers = [1, 2, 3].map((writer) => write(writer * 1_000_000, writing.signal, acknowledged))
    await expect.poll(() => acknowledged.length).toBeGreaterThan(50)
    const manifest = await backup()
    writing.abort()
    await Promise.all(writers)
    const before = acknowledged.filter(({ at }) => at < Date.parse(manifest.endedAt)).map(({ id }) => id)
    expect(before.length).toBeGreaterThan(50)

    const restored = await restore(manifest.name)
    const ids = new Set((await read(restored, 'SELECT id::int FROM item')).map(({ id }) => id))
    expect(before.filter((id) => !ids.has(id))).toEqual([])
    expect(ids.has(20_000)).toBe(true)
    expect(readFileSync(join(restored, 'files/app0/ab/abcd'), 'utf8')).toBe('bytes of a file')
    expect(readFileSync(join(restored, 'admin-token'), 'utf8')).toBe('the token of the administrator\n')
    expect(existsSync(join(restored, 'files/app0/ab/.tmp-1'))).toBe(false)
    expect(existsSync(join(restored, 'restore-unfinished'))).toBe(false)
    expect(await query(database, 'SELECT count(*)::int AS slots FROM pg_replication_slots')).toEqual([{ slots: 0 }])
  })

  it('keeps the WAL that checkpoints would remove meanwhile', async () => {
    const manifest = await backup({
      onPart: () => {},
      during: async () => {
        for (let round = 0; round < 3; round++) {
          await query(database, 'UPDATE item SET filler = filler || id WHERE id <= 20000')
          await query(database, 'SELECT pg_switch_wal()')
          await query(database, 'CHECKPOINT')
        }
      },
    })
    expect(manifest.database!.firstSegment < manifest.database!.lastSegment).toBe(true)
    const checked = await check(manifest)
    expect(checked.counted!.tables).toBe(1)
    expect(checked.counted!.rows).toBeGreaterThanOrEqual(20_000)
  })

  it('includes files that are stored during the backup', async () => {
    const manifest = await backup({
      during: async () => writeFileSync(join(data, 'files/app0/ab/abef'), 'stored during the backup'),
    })
    const restored = await restore(manifest.name)
    expect(readFileSync(join(restored, 'files/app0/ab/abef'), 'utf8')).toBe('stored during the backup')
  })

  it('stops at the disk reserve, and ends the backup mode of the database', async () => {
    const full = new DiskReserve({
      size: { bytes: 1000, percent: 100 },
      read: async () => ({ free: 500, total: 10_000 }),
    })
    const failing = makeBackup({ ...options(), target: new FolderTarget(folder, full) })
    await expect(failing).rejects.toThrow()
    await expect
      .poll(async () => query(database, 'SELECT count(*)::int AS slots FROM pg_replication_slots'))
      .toEqual([{ slots: 0 }])
    const left = await new FolderTarget(folder).files(`20260102T030405Z-${INSTALLATION}`)
    expect(left).not.toContain('manifest.json')
  })

  it('ends when it is aborted, without a manifest', async () => {
    const aborting = new AbortController()
    const failing = makeBackup({
      ...options(),
      signal: aborting.signal,
      onPart: (part) => part === 'database' && setImmediate(() => aborting.abort()),
    })
    await expect(failing).rejects.toThrow(/abort/i)
    expect(readdirSync(join(folder, readdirSync(folder)[0]!))).not.toContain('manifest.json')
  })
})

describe('encrypted backup', () => {
  it('reveals no content, and is restored with its passphrase only', async () => {
    const manifest = await backup({ passphrase: 'correct horse' })
    const stored = readdirSync(join(folder, manifest.name))
    expect(stored.every((name) => name === 'manifest.json' || name.endsWith('.enc'))).toBe(true)
    for (const name of stored)
      expect(readFileSync(join(folder, manifest.name, name)).includes('the token of the administrator')).toBe(false)
    await expect(restore(manifest.name)).rejects.toThrow('is encrypted. Set its passphrase')
    await expect(restore(manifest.name, { passphrase: 'wrong' })).rejects.toThrow('The passphrase is wrong')
    expect((await check(manifest, 'correct horse')).counted!.rows).toBeGreaterThanOrEqual(20_000)
  })

  it('refuses a manifest that was changed, even with right sums', async () => {
    const manifest = await backup({ passphrase: 'correct horse' })
    rewriteManifest(manifest.name, (text) =>
      text.replace(/"endedAt": "[^"]+"/, '"endedAt": "2030-01-01T00:00:00.000Z"'),
    )
    await expect(restore(manifest.name, { passphrase: 'correct horse' })).rejects.toThrow('was changed')
  })

  it('refuses a part of another backup with the same passphrase', async () => {
    const [one, other] = [await backup({ passphrase: 'p' }), await backup({ passphrase: 'p', startedAt: new Date() })]
    const file = 'server.tar.gz.enc'
    writeFileSync(join(folder, one.name, file), readFileSync(join(folder, other.name, file)))
    await expect(restore(one.name, { passphrase: 'p' })).rejects.toThrow(/server\.tar\.gz\.enc|larger than/)
  })
})

describe('damaged backup', () => {
  it('is refused without its manifest', async () => {
    const manifest = await backup()
    rmSync(join(folder, manifest.name, 'manifest.json'))
    await expect(restore(manifest.name)).rejects.toThrow('is not a complete backup')
  })

  it.each(['database.tar.gz', 'files.tar', 'server.tar.gz'])(
    'is refused when %s was changed or truncated',
    async (file) => {
      const manifest = await backup()
      const path = join(folder, manifest.name, file)
      const bytes = readFileSync(path)
      bytes[Math.floor(bytes.length / 2)]! ^= 1
      writeFileSync(path, bytes)
      await expect(check(manifest)).rejects.toThrow(/changed|damaged/)
      bytes[Math.floor(bytes.length / 2)]! ^= 1
      writeFileSync(path, bytes.subarray(0, bytes.length - 10))
      await expect(check(manifest)).rejects.toThrow(/changed|damaged/)
    },
  )

  it.skipIf(isWindows).each([
    ['a path out of the folder', (at: string) => tar(at, ['--transform=s,^x$,files/../../evil,', 'x'])],
    ['an absolute path', (at: string) => tar(at, ['-P', '--transform=s,^x$,/tmp/evil,', 'x'])],
    [
      'a symbolic link',
      (at: string) => {
        execFileSync('ln', ['-s', '/etc', 'files'], { cwd: at })
        return tar(at, ['files'])
      },
    ],
    ['a file of another part', (at: string) => tar(at, ['--transform=s,^x$,postgres/PG_VERSION,', 'x'])],
    ['a file twice', (at: string) => tar(at, ['--transform=s,^[xy]$,files/x,', 'x', 'y'])],
  ])('is refused when an archive with right sums contains %s', async (_, pack) => {
    const manifest = await backup()
    const at = mkdtempSync(join(root, 'hostile-'))
    for (const name of ['x', 'y']) writeFileSync(join(at, name), 'hostile')
    const archive = pack(at)
    writeFileSync(join(folder, manifest.name, 'files.tar'), archive)
    const sums = {
      bytes: archive.length,
      contentBytes: archive.length,
      sha256: createHash('sha256').update(archive).digest('hex'),
    }
    rewriteManifest(manifest.name, (text) => {
      const changed = JSON.parse(text) as { parts: { name: string }[] }
      Object.assign(changed.parts.find(({ name }) => name === 'files')!, sums)
      return JSON.stringify(changed)
    })
    await expect(restore(manifest.name)).rejects.toThrow(/not allowed|neither a file|twice/)
    expect(existsSync(join(root, 'evil'))).toBe(false)
    expect(existsSync('/tmp/evil')).toBe(false)
  })
})

describe('restore', () => {
  it('refuses a directory in use, and one that is not empty unless its content may be moved aside', async () => {
    const manifest = await backup()
    const into = join(root, `into-${started}`)
    mkdirSync(into, { mode: 0o711 })
    const used = openDataDirectory(into)
    await expect(restore(manifest.name, { into })).rejects.toThrow('is in use by process')
    used.release()
    await expect(restore(manifest.name, { into })).rejects.toThrow('is not empty')
    writeFileSync(join(into, 'mine.txt'), 'kept')
    await restore(manifest.name, { into, moveAside: true })
    const aside = readdirSync(into).find((name) => name.startsWith('before-restore-'))!
    expect(readFileSync(join(into, aside, 'mine.txt'), 'utf8')).toBe('kept')
  })

  it('keeps a server from starting on an unfinished restore, and continues over it', async () => {
    const manifest = await backup()
    const into = join(root, `into-${started}`)
    const aborting = new AbortController()
    const failing = restoreBackup({
      ...restoring(manifest.name, into),
      signal: aborting.signal,
      onPart: (part) => part === 'server' && aborting.abort(),
    })
    await expect(failing).rejects.toThrow()
    expect(() => openDataDirectory(into)).toThrow('contains an unfinished restore')
    await restore(manifest.name, { into })
    expect((await read(into, 'SELECT count(*)::int AS count FROM item'))[0]!.count).toBeGreaterThanOrEqual(20_000)
  })
})

interface Given {
  readonly passphrase?: string
  readonly startedAt?: Date
  /** Runs while the database is copied. */
  readonly during?: () => Promise<void>
  readonly onPart?: () => void
}

function options({ passphrase, startedAt = new Date('2026-01-02T03:04:05Z'), during }: Given = {}) {
  let ran = false
  const reserve = {
    check: async () => {
      if (ran || !during) return
      ran = true
      await during()
    },
  } as unknown as DiskReserve
  return {
    source: {
      data,
      installation: INSTALLATION,
      database: { connection: { ...database.address }, directory: join(data, 'postgres') },
      files: join(data, 'files'),
    },
    target,
    passphrase: passphrase ?? null,
    startedAt,
    signal,
    reserve,
  }
}

function backup(given: Given = {}): Promise<Manifest> {
  return makeBackup(options(given))
}

function check({ name }: Manifest, passphrase: string | null = null) {
  return checkBackup({ target, name, passphrase, work: join(root, `work-${started}`), signal, log })
}

function restoring(name: string, into: string) {
  return { target, name, passphrase: null, data: into, moveAside: false, to: null, signal, log } as const
}

async function restore(
  name: string,
  {
    into = join(root, `restored-${started}`),
    ...given
  }: { into?: string; passphrase?: string; moveAside?: boolean } = {},
): Promise<string> {
  await restoreBackup({ ...restoring(name, into), ...given })
  return into
}

async function read(restored: string, text: string): Promise<Record<string, unknown>[]> {
  const copy = await startEmbeddedDatabase({ directory: join(restored, 'postgres'), log })
  try {
    return await query(copy, text)
  } finally {
    await copy.stop()
  }
}

async function query({ address }: EmbeddedDatabase, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(address)
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

/** Inserts rows one by one, and records the time of each acknowledgment. */
async function write(first: number, stop: AbortSignal, acknowledged: { id: number; at: number }[]): Promise<void> {
  const client = new pg.Client(database.address)
  await client.connect()
  for (let id = first; !stop.aborted; id++) {
    await client.query("INSERT INTO item VALUES ($1, repeat('x', 500))", [id])
    acknowledged.push({ id, at: Date.now() })
  }
  await client.end()
}

function rewriteManifest(name: string, change: (text: string) => string): void {
  const path = join(folder, name, 'manifest.json')
  writeFileSync(path, change(readFileSync(path, 'utf8')))
}

function tar(at: string, args: readonly string[]): Buffer {
  return execFileSync('tar', ['-cf', '-', ...args], { cwd: at, stdio: ['ignore', 'pipe', 'ignore'] })
}
