import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { recordedLog } from '../../test/support/recorded-log.ts'
import { parseBackupRetention } from '../backup-retention.ts'
import { DiskReserve, NO_RESERVE } from '../disk-reserve.ts'
import { Backups, type BackupsOptions } from './backups.ts'

const INSTALLATION = 'aaaaaaaaaaaaaaaa'

let root: string
let target: string
let opened: Backups[]

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'homeport-backups-'))
  target = join(root, 'target')
  opened = []
  mkdirSync(join(root, 'data/files/app/ab'), { recursive: true })
  writeFileSync(join(root, 'data/files/app/ab/abcd'), Buffer.alloc(100_000, 'file'))
  writeFileSync(join(root, 'data/admin-token'), 'token\n')
})
afterEach(async () => {
  for (const backups of opened) await backups.stop()
  rmSync(root, { recursive: true, force: true })
})

// The database is left out: these rules are the same with it, and it takes seconds (backup.full.test.ts).
describe('backups of a server', () => {
  it('reports the last success and lists it', async () => {
    const backups = await open()
    expect(backups.status()).toMatchObject({ running: null, lastSuccess: null, lastFailure: null, nextRun: null })
    const run = await backups.begin('manual').ended
    expect(run).toMatchObject({ state: 'succeeded', skipped: 'external', error: null })
    expect(backups.status().lastSuccess).toMatchObject({ name: run.name, bytes: run.bytes })
    expect(run.bytes).toBeGreaterThan(100_000)
    expect((await backups.list()).backups).toMatchObject([{ name: run.name, run: { state: 'succeeded' } }])
  })

  it('makes one backup at a time', async () => {
    const backups = await open()
    const { name, ended } = backups.begin('manual')
    expect(backups.status().running?.name).toBe(name)
    expect(() => backups.begin('manual')).toThrow(`Backup '${name}' is running.`)
    await ended
    expect(backups.status().running).toBeNull()
  })

  it('reports a failure with its reason, and keeps the last success', async () => {
    const full = new DiskReserve({
      size: { bytes: 1000, percent: 100 },
      read: async () => ({ free: 500, total: 10_000 }),
    })
    const { log, lines } = recordedLog()
    await (await open()).begin('manual').ended
    const backups = await open({ reserve: full, log })
    const run = await backups.begin('manual').ended
    expect(run).toMatchObject({ state: 'failed', error: expect.stringContaining('--disk-reserve') })
    const { lastFailure, lastSuccess } = backups.status()
    expect(lastFailure).toMatchObject({ name: run.name, reason: run.error })
    expect(lastSuccess).not.toBeNull()
    expect(lines).toContainEqual([{ backup: run.name, reason: run.error }, 'backup failed'])
    expect(readdirSync(target)).not.toContain(run.name)
  })

  it('removes expired backups of its own data directory only', async () => {
    const old = '20200101T000000Z'
    const backups = await open({ retention: parseBackupRetention('1')! })
    await backups.begin('manual').ended
    for (const installation of [INSTALLATION, 'bbbbbbbbbbbbbbbb']) forge(`${old}-${installation}`, installation)
    const { name } = await backups.begin('manual').ended
    expect(readdirSync(target).sort()).toEqual([`${old}-bbbbbbbbbbbbbbbb`, name])
  })

  it('removes what an interrupted backup left, before the next one', async () => {
    const left = `20200101T000000Z-${INSTALLATION}`
    mkdirSync(join(target, left), { recursive: true })
    writeFileSync(join(target, left, 'database.tar.gz.part'), 'half')
    const others = '20200101T000000Z-bbbbbbbbbbbbbbbb'
    mkdirSync(join(target, others))
    const backups = await open()
    expect((await backups.list()).backups).toEqual([])
    const { name } = await backups.begin('manual').ended
    expect(readdirSync(target).sort()).toEqual([others, name])
  })

  it('reports a backup that was running when its server was killed as failed', async () => {
    const startedAt = '2026-01-02T03:04:05.000Z'
    const run = { name: 'x', trigger: 'schedule', startedAt, endedAt: null, state: 'running', error: null, bytes: null }
    writeFileSync(join(root, 'data/backups.json'), JSON.stringify([{ ...run, checked: null, skipped: null }]))
    const backups = await open()
    expect(backups.status().lastFailure).toEqual({
      at: Date.parse(startedAt),
      name: 'x',
      reason: 'The server ended during the backup.',
    })
  })

  it('is aborted when the server stops, and leaves nothing behind', async () => {
    const backups = await open()
    const { ended, name } = backups.begin('manual')
    await backups.stop()
    expect(await ended).toMatchObject({ state: 'failed', error: 'The server stopped during the backup.' })
    expect(existsSync(join(target, name))).toBe(false)
  })

  it('runs on schedule', async () => {
    const backups = await open({ schedule: '* * * * * *' })
    expect(backups.status().nextRun).toBeGreaterThan(Date.now() - 1000)
    await expect.poll(() => backups.status().lastSuccess).not.toBeNull()
  })

  it('names the cause when stored backups cannot be listed', async () => {
    writeFileSync(target, 'a file in place of the folder')
    const backups = await open()
    expect((await backups.list()).error).toMatch(/ENOTDIR/)
    expect(await backups.begin('manual').ended).toMatchObject({ state: 'failed' })
  })
})

async function open(given: Partial<BackupsOptions> = {}): Promise<Backups> {
  const data = join(root, 'data')
  const backups = new Backups({
    source: { data, installation: INSTALLATION, database: null, files: join(data, 'files') },
    url: pathToFileURL(target).href,
    passphrase: null,
    schedule: null,
    retention: parseBackupRetention('3')!,
    archivesWal: false,
    reserve: NO_RESERVE,
    log: recordedLog().log,
    ...given,
  })
  await backups.start()
  opened.push(backups)
  return backups
}

/** Stores a complete backup under another name. */
function forge(name: string, installation: string): void {
  const [source] = readdirSync(target)
  const manifest = JSON.parse(readFileSync(join(target, source!, 'manifest.json'), 'utf8')) as object
  mkdirSync(join(target, name))
  const changed = { ...manifest, name, installation, startedAt: '2020-01-01T00:00:00.000Z' }
  writeFileSync(join(target, name, 'manifest.json'), JSON.stringify(changed))
}
