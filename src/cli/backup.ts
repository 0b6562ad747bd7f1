import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { Command } from 'commander'
import type { BackupRun } from '../backup/backup-history.ts'
import { backedUpFiles, backupPassphraseOf, backupUrlOf } from '../backup/backup-settings.ts'
import { Backups } from '../backup/backups.ts'
import { type Config, readConfig } from '../config.ts'
import { openDataDirectory, runningServer } from '../data-directory.ts'
import { startEmbeddedDatabase } from '../database/embedded/embedded-database.ts'
import { DiskReserve } from '../disk-reserve.ts'
import { holdsCredentials } from '../files-url.ts'
import { createLog } from '../log.ts'
import { connect, type Management } from './management.ts'
import { addOptions } from './options.ts'

interface BackupFlags {
  readonly url?: string
  readonly list?: boolean
  readonly [option: string]: unknown
}

/** The members of the response that this command shows. */
interface Listed {
  readonly target: string
  readonly targetError: string | null
  readonly includesDatabase: boolean
  readonly running: { readonly name: string; readonly part: string } | null
  readonly backups: readonly {
    readonly name: string
    readonly startedAt: string
    readonly isStored: boolean
    readonly bytes: number | null
    readonly run: BackupRun | null
  }[]
}

/** Milliseconds between two looks at a running backup. */
const POLL_MS = 500

/** `homeport backup` makes a backup: of a running server through its management API, else of a data directory. */
export function backupCommand(): Command {
  const command = new Command('backup')
    .description('Back up a running server or the data directory of a stopped one, and check the backup.')
    .argument('[target]', 'folder or URL to store this backup in; on the machine of the server (default: --backup-url)')
    .option('--list', 'list the stored backups instead')
    .option('--url <url>', 'URL of the server; requires its administrator token in HOMEPORT_ADMIN_TOKEN')
  return addOptions(command, [
    'data',
    'databaseUrl',
    'filesUrl',
    'backupUrl',
    'backupKeep',
    'backupPassphraseFile',
    'diskReserve',
    'logLevel',
  ]).action(async (target: string | undefined, { url, list, ...options }: BackupFlags) => {
    const given = target === undefined ? undefined : targetUrl(target)
    const config = readConfig({ logLevel: 'warn', ...options }, process.env)
    if (url !== undefined || runningServer(config.data))
      await backUpServer(connect({ ...(url !== undefined ? { url } : { data: config.data }) }), given, list === true)
    else await backUpDirectory(config, given, list === true)
  })
}

/** Returns the URL of a target on the command line, which may be the path of a folder. */
function targetUrl(text: string): string {
  if (holdsCredentials(text) && /^s3:/i.test(text))
    throw new Error('Secrets must not be passed on the command line. Set the target with HOMEPORT_BACKUP_URL.')
  return /^(s3|file):/i.test(text) ? text : pathToFileURL(resolve(text)).href
}

async function backUpServer(server: Management, target: string | undefined, onlyList: boolean): Promise<void> {
  const state = async () => (await server.request('GET', '/admin/backups')) as Listed
  if (onlyList) return list(await state())
  const body = target === undefined ? {} : { target }
  const { name } = (await server.request('POST', '/admin/backups', body)) as { name: string }
  process.stdout.write(`Backup ${name} started\n`)
  for (let part = ''; ; await sleep(POLL_MS)) {
    const { running, backups, target: description, includesDatabase } = await state()
    if (running?.name === name) {
      if (running.part !== part) process.stdout.write(`  ${running.part}\n`)
      part = running.part
      continue
    }
    const run = backups.find((backup) => backup.name === name)?.run
    // A backup at another target is not listed at the configured one once it has succeeded.
    return report(run ?? null, name, target ?? description, includesDatabase)
  }
}

async function backUpDirectory(config: Config, target: string | undefined, onlyList: boolean): Promise<void> {
  const log = createLog(config.logLevel)
  const directory = openDataDirectory(config.data)
  try {
    const database =
      config.databaseUrl === null ? await startEmbeddedDatabase({ directory: directory.postgres, log }) : null
    try {
      const backups = new Backups({
        source: {
          data: directory.path,
          installation: directory.id,
          database: database && { connection: { ...database.address }, directory: directory.postgres },
          files: backedUpFiles(config),
        },
        url: backupUrlOf(config),
        passphrase: backupPassphraseOf(config),
        schedule: null,
        retention: config.backupKeep,
        archivesWal: false,
        reserve: new DiskReserve({ size: config.diskReserve }),
        log,
      })
      await backups.start()
      const found = await backups.list()
      if (onlyList) {
        const shown = found.backups.map(({ name, startedAt, stored, run }) => ({
          name,
          startedAt: startedAt.toISOString(),
          isStored: stored !== null,
          bytes: stored?.bytes ?? null,
          run,
        }))
        return list({
          target: found.target,
          targetError: found.error,
          includesDatabase: true,
          running: null,
          backups: shown,
        })
      }
      const { name, ended } = backups.begin('manual', target)
      process.stdout.write(`Backup ${name} started\n`)
      report(await ended, name, target ?? found.target, database !== null)
      await backups.stop()
    } finally {
      await database?.stop()
    }
  } finally {
    directory.release()
  }
}

function list({ target, targetError, backups }: Listed): void {
  if (targetError !== null) throw new Error(`The ${target} cannot be read: ${targetError}`)
  for (const { name, isStored, bytes, run } of backups) {
    const state = run?.state === 'failed' ? `failed: ${run.error}` : isStored ? 'complete' : (run?.state ?? '')
    process.stdout.write(`${name}  ${(bytes === null ? '' : megabytes(bytes)).padStart(10)}  ${state}\n`)
  }
}

/** @throws Error with the reason of a failed backup */
function report(run: BackupRun | null, name: string, target: string, includesDatabase: boolean): void {
  if (run?.state === 'failed') throw new Error(`Backup ${name} failed: ${run.error}`)
  const checked = run?.checked ? `, checked: ${run.checked.tables} tables, ${run.checked.rows} rows` : ''
  process.stdout.write(`Backup ${name} stored in ${target}${run?.bytes ? `: ${megabytes(run.bytes)}` : ''}${checked}\n`)
  if (run?.skipped === 'space')
    process.stderr.write(
      'homeport: the copy was not started, because the disk has too little space; its sums are right\n',
    )
  if (includesDatabase) return
  process.stderr.write(
    'homeport: the backup does not contain the external database. Back it up with its own tools, for example:\n' +
      '  pg_dump --format=custom --file=homeport.dump "$HOMEPORT_DATABASE_URL"\n' +
      '  pg_basebackup --pgdata=/mnt/base --format=tar --gzip --wal-method=stream --dbname="$HOMEPORT_DATABASE_URL"\n' +
      '  pgbackrest --stanza=homeport backup\n',
  )
}

function megabytes(bytes: number): string {
  return `${(bytes / 1024 ** 2).toFixed(1)} MB`
}
