import { join } from 'node:path'
import { Readable } from 'node:stream'
import type pg from 'pg'
import { type DiskReserve, NO_RESERVE } from '../disk-reserve.ts'
import { deriveKeys, newSalt } from './encryption.ts'
import { filesBelow } from './file-entries.ts'
import { backupName, MANIFEST, type Manifest, type Part, type PartName, writeManifest } from './manifest.ts'
import { writePart } from './parts.ts'
import { BaseBackup } from './postgres/base-backup.ts'
import { SERVER_FILES } from './server-files.ts'
import { fileEntry, packEntries, type TarEntry } from './tar.ts'
import type { BackupTarget } from './targets/backup-target.ts'

/** What a backup contains. */
export interface BackupSource {
  /** The data directory, and its id. */
  readonly data: string
  readonly installation: string
  /** The embedded database; null: the database is external, and its own tools back it up. */
  readonly database: { readonly connection: pg.ClientConfig; readonly directory: string } | null
  /** The folder of files' bytes; null: they are stored outside the data directory. */
  readonly files: string | null
}

export interface BackupOptions {
  readonly source: BackupSource
  readonly target: BackupTarget
  readonly passphrase: string | null
  readonly startedAt: Date
  readonly signal: AbortSignal
  /** Disk space that the backup leaves free. */
  readonly reserve?: DiskReserve
  /** Called when the work on a part begins. */
  readonly onPart?: (name: PartName) => void
}

/** Milliseconds by which times of files can be behind the clock: file systems round them. */
const CLOCK_STEP_MS = 2_000

/**
 * Makes a backup of a running server. The files' bytes are copied before the database, and those added since after it: each file
 * that the copied database refers to existed during one of the two passes. The manifest comes last, so an interrupted backup is
 * not taken for a complete one.
 * @throws the first error of reading or storing; when `signal` aborts. The caller removes what was stored
 */
export async function makeBackup(options: BackupOptions): Promise<Manifest> {
  const { source, target, passphrase, startedAt, signal, reserve = NO_RESERVE, onPart } = options
  const name = backupName(startedAt, source.installation)
  const salt = passphrase === null ? null : newSalt()
  const keys = passphrase === null || salt === null ? null : await deriveKeys(passphrase, salt)
  const location = { target, folder: name, keys }
  const parts: Part[] = []
  const write = async (part: PartName, compressed: boolean, entries: AsyncIterable<TarEntry>) => {
    signal.throwIfAborted()
    onPart?.(part)
    parts.push(await writePart(location, { name: part, compressed }, packEntries(entries), signal))
  }

  const filesStartedAt = Date.now() - CLOCK_STEP_MS
  if (source.files !== null) await write('files', false, filesBelow(source.files, 'files'))
  let copied: BaseBackup | null = null
  if (source.database !== null) {
    copied = new BaseBackup({ ...source.database, name, checkSpace: () => reserve.check(source.data) })
    await write('database', true, copied.entries())
  }
  if (source.files !== null) await write('files-added', false, filesBelow(source.files, 'files', filesStartedAt))
  await write('server', true, serverEntries(source.data))

  const { endedAt = new Date(), ...database } = copied?.copied ?? {}
  const manifest: Manifest = {
    format: 1,
    name,
    installation: source.installation,
    startedAt: startedAt.toISOString(),
    endedAt: endedAt.toISOString(),
    encryption: salt === null ? null : { salt },
    database: copied ? (database as NonNullable<Manifest['database']>) : null,
    files: source.files !== null,
    parts,
  }
  signal.throwIfAborted()
  await target.write(`${name}/${MANIFEST}`, Readable.from([Buffer.from(writeManifest(manifest, keys))]))
  return manifest
}

/** Yields the files of the server itself, and the exports, to which rows of the database refer. */
async function* serverEntries(data: string): AsyncGenerator<TarEntry, void, undefined> {
  for (const name of SERVER_FILES) yield* fileEntry(join(data, name), name)
  yield* filesBelow(join(data, 'exports'), 'exports')
}
