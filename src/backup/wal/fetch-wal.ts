import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { type BackupKeys, decrypt, deriveKeys } from '../encryption.ts'
import type { Manifest } from '../manifest.ts'
import { numberOf, timelineOf } from '../postgres/wal-segments.ts'
import type { BackupTarget } from '../targets/backup-target.ts'
import { UnusableBackup } from '../unusable-backup.ts'
import { type ArchivedSegment, parseWalFile, walFolder } from './wal-name.ts'

/**
 * Fetches the archived WAL that follows a backup into a folder, in the form that PostgreSQL's recovery reads.
 * @param until the time to recover to; null: all WAL
 * @returns the time until which WAL was found without a gap; null if there is none after the backup
 * @throws UnusableBackup when a segment is damaged or encrypted with another passphrase
 */
export async function fetchWal(
  target: BackupTarget,
  { database, installation }: Manifest,
  passphrase: string | null,
  folder: string,
  until: Date | null,
): Promise<Date | null> {
  if (database === null) return null
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const keysOf = keyCache(passphrase)
  let last: Date | null = null
  for (const found of await segmentsAfter(target, installation, database)) {
    await fetchSegment(target, walFolder(installation), found, await keysOf(found.salt), folder)
    last = found.at
    // This one contains the first record after the time, at which the recovery stops.
    if (until !== null && found.at > until) break
  }
  return last
}

/** Returns the segments from the end of a backup on, up to the first gap. */
async function segmentsAfter(
  target: BackupTarget,
  installation: string,
  { lastSegment, segmentBytes }: NonNullable<Manifest['database']>,
): Promise<readonly ArchivedSegment[]> {
  const byNumber = new Map<number, ArchivedSegment>()
  for (const file of await target.files(walFolder(installation))) {
    const found = parseWalFile(file)
    if (found && timelineOf(found.segment) === timelineOf(lastSegment))
      byNumber.set(numberOf(found.segment, segmentBytes), found)
  }
  const following: ArchivedSegment[] = []
  for (let number = numberOf(lastSegment, segmentBytes) + 1; ; number++) {
    const found = byNumber.get(number)
    if (!found) return following
    following.push(found)
  }
}

async function fetchSegment(
  target: BackupTarget,
  from: string,
  { file, segment }: ArchivedSegment,
  keys: BackupKeys | null,
  folder: string,
): Promise<void> {
  const stored = await target.read(`${from}/${file}`)
  const content = keys ? decrypt(stored, keys, file) : stored
  try {
    await pipeline(content, createGunzip(), createWriteStream(join(folder, segment), { mode: 0o600, flags: 'w' }))
  } catch (error) {
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('Z_'))
      throw new UnusableBackup(`The archived WAL segment ${segment} is damaged.`)
    throw error
  }
}

/** Derives keys once for each salt: each start of a server has its own. */
function keyCache(passphrase: string | null): (salt: string | null) => Promise<BackupKeys | null> {
  const known = new Map<string, Promise<BackupKeys>>()
  return async (salt) => {
    if (salt === null) return null
    if (passphrase === null)
      throw new UnusableBackup('The archived WAL is encrypted. Set its passphrase with HOMEPORT_BACKUP_PASSPHRASE.')
    const keys = known.get(salt) ?? deriveKeys(passphrase, salt)
    known.set(salt, keys)
    return keys
  }
}
