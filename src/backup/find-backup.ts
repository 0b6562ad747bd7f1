import { basename, dirname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseBackupName } from './manifest.ts'
import { storedBackups } from './stored-backups.ts'
import type { BackupTarget } from './targets/backup-target.ts'
import { UnusableBackup } from './unusable-backup.ts'

/** Where a backup is looked for. */
export interface BackupPlace {
  /** The URL of its target. */
  readonly url: string
  /** null: the newest one. */
  readonly name: string | null
}

/** Returns whether a text names a backup at the configured target. */
export function isAtTarget(text: string): boolean {
  return text === 'latest' || parseBackupName(text) !== null
}

/**
 * Parses the name of a backup at the configured target, `latest`, or a folder or URL: of a backup, or of a target with backups.
 * @param configured the URL of the configured target
 */
export function parseBackupPlace(text: string, configured: string): BackupPlace {
  if (text === 'latest') return { url: configured, name: null }
  if (parseBackupName(text)) return { url: configured, name: text }
  const url = /^(s3|file):/i.test(text) && URL.canParse(text) ? new URL(text) : pathToFileURL(resolve(text))
  url.pathname = url.pathname.replace(/\/+$/, '').replace(/\/manifest\.json$/, '')
  const name = basename(url.pathname)
  if (!parseBackupName(name)) return { url: url.href, name: null }
  url.pathname = dirname(url.pathname)
  return { url: url.href, name }
}

/**
 * Returns the name of the newest backup at a target.
 * @param before only backups that ended before this time; null: all
 * @throws UnusableBackup when there is none, or the target has backups of several data directories
 */
export async function newestBackup(target: BackupTarget, before: Date | null): Promise<string> {
  const all = await storedBackups(target)
  const installations = new Set(all.map(({ manifest }) => manifest.installation))
  if (installations.size > 1)
    throw new UnusableBackup(
      `The ${target.description} contains backups of ${installations.size} data directories. Name one of them.`,
    )
  const found = all.find(({ manifest }) => before === null || new Date(manifest.endedAt) <= before)
  if (found) return found.name
  throw new UnusableBackup(
    `The ${target.description} contains no complete backup${before === null ? '' : ` that ended before ${before.toISOString()}`}.`,
  )
}
