import { MANIFEST, type Manifest, parseBackupName } from './manifest.ts'
import { readManifest } from './read-manifest.ts'
import type { BackupTarget } from './targets/backup-target.ts'
import { UnusableBackup } from './unusable-backup.ts'

/** A complete backup at a target. */
export interface StoredBackup {
  readonly name: string
  readonly startedAt: Date
  readonly manifest: Manifest
  /** Stored bytes of all parts. */
  readonly bytes: number
}

/** Lists the complete backups at a target, newest first. Others, also damaged ones, are left out. */
export async function storedBackups(
  target: BackupTarget,
  known: ReadonlyMap<string, StoredBackup> = new Map(),
): Promise<StoredBackup[]> {
  const found: StoredBackup[] = []
  for (const name of await target.folders()) {
    const parsed = parseBackupName(name)
    if (!parsed) continue
    const backup = known.get(name) ?? (await read(target, name, parsed.startedAt))
    if (backup) found.push(backup)
  }
  return found.sort((one, other) => other.startedAt.getTime() - one.startedAt.getTime())
}

async function read(target: BackupTarget, name: string, startedAt: Date): Promise<StoredBackup | null> {
  try {
    const { manifest } = await readManifest(target, name)
    return { name, startedAt, manifest, bytes: manifest.parts.reduce((sum, { bytes }) => sum + bytes, 0) }
  } catch (error) {
    if (error instanceof UnusableBackup) return null
    throw error
  }
}

/** Removes the parts of an installation's backups that were interrupted. None of them may be running. */
export async function removeUnfinished(target: BackupTarget, installation: string): Promise<void> {
  for (const name of await target.folders()) {
    if (parseBackupName(name)?.installation !== installation) continue
    if (!(await target.files(name)).includes(MANIFEST)) await target.removeFolder(name)
  }
}

/** Removes a backup. Its manifest goes first, so that an interrupted removal does not leave it looking complete. */
export function removeBackup(target: BackupTarget, name: string): Promise<void> {
  return target.removeFolder(name, MANIFEST)
}
