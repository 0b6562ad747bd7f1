import { mkdir, readdir, rename, rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openDataDirectory, RESTORE_MARKER, runningServer } from '../data-directory.ts'
import { startEmbeddedDatabase } from '../database/embedded/embedded-database.ts'
import type { Log } from '../log.ts'
import { countRows } from './check-backup.ts'
import type { Manifest, PartName } from './manifest.ts'
import { DATABASE_FOLDER } from './postgres/base-backup.ts'
import { openBackup } from './read-manifest.ts'
import { syncFolder } from './sync-folder.ts'
import type { BackupTarget } from './targets/backup-target.ts'
import { unpackBackup } from './unpack-backup.ts'
import { UnusableBackup } from './unusable-backup.ts'
import { fetchWal } from './wal/fetch-wal.ts'

export interface RestoreOptions {
  readonly target: BackupTarget
  /** The name of the backup. */
  readonly name: string
  readonly passphrase: string | null
  /** The data directory to create, as an absolute path. */
  readonly data: string
  /** Whether files that are in the directory are moved aside; otherwise it must be empty or missing. */
  readonly moveAside: boolean
  /** Recover to this time from archived WAL, or to its end; null: to the end of the backup. */
  readonly to: Date | 'latest' | null
  readonly signal: AbortSignal
  readonly log: Log
  readonly onPart?: (name: PartName | 'wal' | 'recovery') => void
}

export interface Restored {
  readonly manifest: Manifest
  /** null: the backup contains no database. */
  readonly counted: { readonly tables: number; readonly rows: number } | null
  /** The folder with the files that were in the directory; null: there were none. */
  readonly movedTo: string | null
}

/** The folder of fetched WAL, in PostgreSQL's data directory: its user can read it there, and it starts programs in it. */
const FETCHED_WAL = 'homeport_restored_wal'

const PARTS = ['files', 'files-added', 'database', 'server'] as const

/**
 * Restores a backup into a data directory: unpacks it, checks all sums, starts PostgreSQL for the recovery, and reads all rows. A
 * mark in the directory prevents a server from starting on an unfinished restore; a repeated restore continues over it.
 * @throws UnusableBackup; DataDirectoryInUse; Error with one line for the administrator
 */
export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
  const { target, name, passphrase, data, moveAside, to, signal, log, onPart } = options
  const backup = await openBackup(target, name, passphrase)
  const { manifest } = backup
  checkTime(manifest, to)
  const running = runningServer(data)
  if (running)
    throw new Error(
      `The data directory ${data} is in use by process ${running.pid}. Restore into another directory with --data.`,
    )
  const movedTo = await makeRoom(data, moveAside)
  await checkDisk(data, manifest)
  const directory = openDataDirectory(data, { restoring: true })
  try {
    const parts = PARTS.filter((part) => manifest.files || !part.startsWith('files'))
    await unpackBackup(data, { target, backup, signal, parts, sync: true, ...(onPart && { onPart }) })
    const counted = manifest.database === null ? null : await recover(options, manifest, log)
    await rm(join(data, RESTORE_MARKER))
    await syncFolder(data)
    return { manifest, counted, movedTo }
  } finally {
    directory.release()
  }
}

function checkTime({ name, endedAt, database }: Manifest, to: RestoreOptions['to']): void {
  if (to === null) return
  if (database === null) throw new UnusableBackup(`The backup ${name} contains no database to recover to a time.`)
  if (to !== 'latest' && to < new Date(endedAt))
    throw new UnusableBackup(
      `--to must be later than the end of the backup ${name}, ${endedAt}. Restore an earlier backup.`,
    )
}

/**
 * Prepares an empty directory with the mark of an unfinished restore.
 * @returns the folder to which earlier files were moved
 */
async function makeRoom(data: string, moveAside: boolean): Promise<string | null> {
  const mode = process.getuid?.() === 0 ? 0o711 : 0o700
  await mkdir(data, { recursive: true, mode })
  const present = (await readdir(data)).filter((name) => name !== 'lost+found')
  let movedTo: string | null = null
  if (present.includes(RESTORE_MARKER)) {
    for (const name of present)
      if (name !== RESTORE_MARKER) await rm(join(data, name), { recursive: true, force: true })
  } else if (present.length > 0) {
    if (!moveAside)
      throw new Error(
        `${data} is not empty. Choose another directory with --data, or pass --move-aside to keep its content in a subfolder.`,
      )
    movedTo = join(data, `before-restore-${new Date().toISOString().replace(/[-:]|\.\d+/g, '')}`)
    await mkdir(movedTo, { mode: 0o700 })
    for (const name of present)
      if (!name.startsWith('before-restore-')) await rename(join(data, name), join(movedTo, name))
  }
  await writeFile(join(data, RESTORE_MARKER), 'A restore has not finished. Repeat it.\n', { flush: true })
  await syncFolder(data)
  return movedTo
}

async function checkDisk(data: string, { parts }: Manifest): Promise<void> {
  const needed = parts.reduce((sum, { contentBytes }) => sum + contentBytes, 0)
  const { bavail, bsize, blocks } = await statfs(data)
  // Some file systems do not report their size.
  if (blocks > 0 && bavail * bsize < needed)
    throw new Error(
      `The restored data needs ${megabytes(needed)} MB, and the disk of ${data} has ${megabytes(bavail * bsize)} MB free.`,
    )
}

function megabytes(bytes: number): number {
  return Math.ceil(bytes / 1024 ** 2)
}

/** Starts PostgreSQL, which applies the WAL, reads all rows, and stops it. */
async function recover(options: RestoreOptions, manifest: Manifest, log: Log) {
  const { target, passphrase, data, to, signal, onPart } = options
  const directory = join(data, DATABASE_FOLDER)
  let settings: Record<string, string> = { archive_mode: 'off' }
  let available: Date | null = null
  if (to !== null) {
    onPart?.('wal')
    const until = to === 'latest' ? null : to
    available = await fetchWal(target, manifest, passphrase, join(directory, FETCHED_WAL), until)
    settings = { ...settings, ...recoverySettings(until) }
    await writeFile(join(directory, 'recovery.signal'), '', { mode: 0o600 })
  }
  onPart?.('recovery')
  const database = await startEmbeddedDatabase({ directory, log, settings }).catch((error: Error) => {
    if (to !== null && /recovery ended before configured recovery target/.test(error.message))
      throw new Error(
        `The archived WAL ends at ${(available ?? new Date(manifest.endedAt)).toISOString()}, and contains no write after --to. ` +
          'Pass --to latest to restore all of it.',
      )
    throw error
  })
  try {
    return await countRows(database.address, signal, manifest.database?.stopLsn)
  } finally {
    await database.stop()
    await rm(join(directory, FETCHED_WAL), { recursive: true, force: true })
  }
}

function recoverySettings(until: Date | null): Record<string, string> {
  const [copy, from, to] =
    process.platform === 'win32'
      ? ['copy', `"${FETCHED_WAL}\\%f"`, '"%p"']
      : [`test -f ${FETCHED_WAL}/%f && cp`, `${FETCHED_WAL}/%f`, '"%p"']
  return {
    restore_command: `${copy} ${from} ${to}`,
    recovery_target_action: 'promote',
    hot_standby: 'off',
    // The abbreviation Z of UTC is not known yet when PostgreSQL reads this setting.
    ...(until && { recovery_target_time: until.toISOString().replace('T', ' ').replace('Z', '+00') }),
  }
}
