import type { PartName } from './manifest.ts'
import { readPart } from './parts.ts'
import { DATABASE_FOLDER } from './postgres/base-backup.ts'
import type { OpenedBackup } from './read-manifest.ts'
import { SERVER_FILES } from './server-files.ts'
import { unpackEntries } from './tar.ts'
import type { BackupTarget } from './targets/backup-target.ts'

export interface UnpackBackupOptions {
  readonly target: BackupTarget
  readonly backup: OpenedBackup
  readonly signal: AbortSignal
  /** The parts to unpack. The sums of the others are checked too, without writing them. */
  readonly parts: readonly PartName[]
  /** Counts bytes before they are written. */
  readonly take?: (bytes: number) => Promise<void>
  readonly sync?: boolean
  /** Called when the work on a part begins. */
  readonly onPart?: (name: PartName) => void
}

/** What the archive of a part may contain. */
const ROOTS: Readonly<Record<PartName, readonly string[]>> = {
  files: ['files'],
  'files-added': ['files'],
  database: [DATABASE_FOLDER],
  server: [...SERVER_FILES, 'exports'],
}

/**
 * Unpacks parts of a backup into a folder that only this process writes to, and checks the sums of all parts.
 * @throws UnusableBackup; the folder then contains files that must not be used
 */
export async function unpackBackup(folder: string, options: UnpackBackupOptions): Promise<void> {
  const { target, backup, signal, parts, take, sync, onPart } = options
  const { manifest, keys } = backup
  for (const part of manifest.parts) {
    onPart?.(part.name)
    const use = parts.includes(part.name)
      ? (archive: AsyncIterable<Buffer>) =>
          unpackEntries(archive, folder, {
            roots: ROOTS[part.name],
            max: part.contentBytes,
            // Both passes over the files copy those that were added between them.
            skipExisting: part.name === 'files-added',
            ...(take && { take }),
            ...(sync && part.name !== 'database' && { sync }),
          })
      : skip
    await readPart({ target, folder: manifest.name, keys }, part, use, signal)
  }
}

async function skip(archive: AsyncIterable<Buffer>): Promise<void> {
  for await (const _ of archive);
}
