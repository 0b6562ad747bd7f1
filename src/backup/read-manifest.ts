import { type BackupKeys, deriveKeys } from './encryption.ts'
import { checkManifest, MANIFEST, MAX_MANIFEST_BYTES, type Manifest, parseManifest } from './manifest.ts'
import { type BackupTarget, FileMissing } from './targets/backup-target.ts'
import { UnusableBackup } from './unusable-backup.ts'

/** A complete backup that can be read. */
export interface OpenedBackup {
  readonly manifest: Manifest
  readonly keys: BackupKeys | null
}

/**
 * Reads the manifest of the backup in a folder, without checking its authenticity.
 * @throws UnusableBackup
 */
export async function readManifest(
  target: BackupTarget,
  folder: string,
): Promise<{ readonly manifest: Manifest; readonly mac: string | null }> {
  const found = parseManifest(await textOf(target, folder))
  if (found.manifest.name !== folder)
    throw new UnusableBackup(`The folder ${folder} contains the backup ${found.manifest.name}.`)
  return found
}

/**
 * Opens a backup for reading.
 * @param passphrase null: none is known
 * @throws UnusableBackup when it is incomplete or damaged, or the passphrase is wrong or missing
 */
export async function openBackup(
  target: BackupTarget,
  folder: string,
  passphrase: string | null,
): Promise<OpenedBackup> {
  const { manifest, mac } = await readManifest(target, folder)
  if (manifest.encryption === null) {
    if (mac !== null) throw new UnusableBackup('The manifest of the backup was changed: its encryption is missing.')
    return { manifest, keys: null }
  }
  if (passphrase === null)
    throw new UnusableBackup(
      `The backup ${folder} is encrypted. Set its passphrase with HOMEPORT_BACKUP_PASSPHRASE or --backup-passphrase-file.`,
    )
  const keys = await deriveKeys(passphrase, manifest.encryption.salt)
  checkManifest(manifest, mac, keys)
  return { manifest, keys }
}

async function textOf(target: BackupTarget, folder: string): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of await target.read(`${folder}/${MANIFEST}`)) {
      bytes += chunk.length
      if (bytes > MAX_MANIFEST_BYTES) throw new UnusableBackup('The manifest of the backup is too large.')
      chunks.push(chunk)
    }
  } catch (error) {
    if (error instanceof FileMissing)
      throw new UnusableBackup(
        `${folder} in the ${target.description} is not a complete backup: it has no ${MANIFEST}.`,
      )
    throw error
  }
  return Buffer.concat(chunks).toString('utf8')
}
