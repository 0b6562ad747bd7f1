import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { type DatabaseAddress, startEmbeddedDatabase } from '../database/embedded/embedded-database.ts'
import { type DiskReserve, NO_RESERVE } from '../disk-reserve.ts'
import { ApiError } from '../errors.ts'
import type { Log } from '../log.ts'
import type { Manifest } from './manifest.ts'
import { DATABASE_FOLDER } from './postgres/base-backup.ts'
import { openBackup } from './read-manifest.ts'
import type { BackupTarget } from './targets/backup-target.ts'
import { unpackBackup } from './unpack-backup.ts'
import { UnusableBackup } from './unusable-backup.ts'

/** The result of a check. */
export interface BackupCheck {
  /** Tables and rows that were read from the started copy; null: only the sums were checked. */
  readonly counted: { readonly tables: number; readonly rows: number } | null
  /** Why the copy of the database was not started: it is external, or it does not fit on the disk. */
  readonly skipped: 'external' | 'space' | null
}

export interface CheckOptions {
  readonly target: BackupTarget
  /** The name of the backup. */
  readonly name: string
  readonly passphrase: string | null
  /** A folder that this check creates and removes. */
  readonly work: string
  readonly signal: AbortSignal
  readonly log: Log
  readonly reserve?: DiskReserve
}

/** Steps of `nice` by which the copy's processes are ranked below the server. */
const NICENESS = 15

/** Settings of the started copy: it only has to be read once. */
const SETTINGS = {
  shared_buffers: '16MB',
  maintenance_work_mem: '32MB',
  max_connections: '10',
  autovacuum: 'off',
  // The copy is deleted afterwards.
  fsync: 'off',
  full_page_writes: 'off',
  archive_mode: 'off',
}

/**
 * Checks a stored backup: reads all parts back, compares their sums, starts PostgreSQL with the copy of the database, and reads
 * each row of each table. PostgreSQL verifies the checksum of each page that it reads.
 * @throws UnusableBackup; any error of the target
 */
export async function checkBackup(options: CheckOptions): Promise<BackupCheck> {
  const { target, name, passphrase, work, signal, log, reserve = NO_RESERVE } = options
  const backup = await openBackup(target, name, passphrase)
  const { manifest } = backup
  await rm(work, { recursive: true, force: true })
  // Another user may run PostgreSQL, and must be able to pass through.
  await mkdir(work, { recursive: true, mode: 0o711 })
  try {
    const skipped = manifest.database === null ? 'external' : (await fits(manifest, work, reserve)) ? null : 'space'
    const parts = skipped === null ? (['database', 'server'] as const) : []
    await unpackBackup(work, { target, backup, signal, parts, take: (bytes) => reserve.take(work, bytes) })
    if (skipped !== null) return { counted: null, skipped }
    return { counted: await startAndCount(work, manifest, signal, log), skipped: null }
  } finally {
    await rm(work, { recursive: true, force: true, maxRetries: 10 }).catch((error: Error) =>
      log.warn({ error }, 'removing the checked copy of a backup failed'),
    )
  }
}

/** Returns whether the copy, and what its start writes, fit above the reserve. */
async function fits({ parts }: Manifest, folder: string, reserve: DiskReserve): Promise<boolean> {
  const bytes = parts.find(({ name }) => name === 'database')?.contentBytes ?? 0
  try {
    await reserve.check(folder, Math.ceil(bytes * 1.1) + 64 * 1024 * 1024)
    return true
  } catch (error) {
    if (error instanceof ApiError) return false
    throw error
  }
}

async function startAndCount(work: string, { database }: Manifest, signal: AbortSignal, log: Log) {
  const directory = join(work, DATABASE_FOLDER)
  // Start, recovery and stop of the copy are no news; failures are.
  const onlyFailures = { info: () => {}, warn: log.warn.bind(log), error: log.error.bind(log) }
  const copy = await startEmbeddedDatabase({
    directory,
    log: onlyFailures,
    settings: SETTINGS,
    niceness: NICENESS,
  }).catch((error) => {
    throw new UnusableBackup(`PostgreSQL does not start with the copy: ${(error as Error).message}`)
  })
  try {
    return await countRows(copy.address, signal, database?.stopLsn)
  } finally {
    await copy.stop()
  }
}

/**
 * Reads all rows of all tables.
 * @param reachedLsn the end of the backup, which the recovery must have reached
 */
export async function countRows(
  address: DatabaseAddress,
  signal: AbortSignal,
  reachedLsn?: string,
): Promise<{ readonly tables: number; readonly rows: number }> {
  const client = new pg.Client(address)
  client.on('error', () => {})
  await client.connect()
  try {
    if (reachedLsn !== undefined) {
      const { rows } = await client.query<{ reached: boolean }>(
        'SELECT pg_current_wal_lsn() >= $1::pg_lsn AS reached',
        [reachedLsn],
      )
      if (!rows[0]?.reached) throw new UnusableBackup('The copy of the database ends before the end of the backup.')
    }
    const tables = await client.query<{ name: string }>(`
      SELECT format('%I.%I', n.nspname, c.relname) AS name
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind = 'r' AND n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\\_%'`)
    let rows = 0
    for (const { name } of tables.rows) {
      signal.throwIfAborted()
      const counted = await client.query<{ count: string }>(`SELECT count(*) FROM ${name}`)
      rows += Number(counted.rows[0]!.count)
    }
    return { tables: tables.rows.length, rows }
  } finally {
    await client.end().catch(() => {})
  }
}
