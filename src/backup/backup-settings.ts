import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Config } from '../config.ts'
import { fileStoreLocation } from '../files/blobs/open-blobs.ts'

const MIN_PASSPHRASE = 12

/** Returns the URL of the target of backups: the configured one, or `backups` in the data directory. */
export function backupUrlOf({ backupUrl, data }: Pick<Config, 'backupUrl' | 'data'>): string {
  return backupUrl ?? pathToFileURL(join(data, 'backups')).href
}

/**
 * Returns the passphrase of backups: the configured one, or the first line of the configured file; null if neither is set.
 * @throws Error with one line for the administrator
 */
export function backupPassphraseOf({
  backupPassphrase,
  backupPassphraseFile: file,
}: Pick<Config, 'backupPassphrase' | 'backupPassphraseFile'>): string | null {
  if (file === null) return backupPassphrase
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new Error(`The file of --backup-passphrase-file cannot be read (${(error as NodeJS.ErrnoException).code}).`)
  }
  const passphrase = text.split(/\r?\n/, 1)[0]!
  if (passphrase.length < MIN_PASSPHRASE)
    throw new Error(
      `The first line of the file of --backup-passphrase-file must have at least ${MIN_PASSPHRASE} characters.`,
    )
  return passphrase
}

/** Returns the folder of files' bytes if it is in the data directory; null: they are stored, and backed up, elsewhere. */
export function backedUpFiles(config: Pick<Config, 'filesUrl' | 'data'>): string | null {
  const location = fileStoreLocation(config)
  return location.kind === 'folder' && !relative(config.data, location.path).startsWith('..') ? location.path : null
}
