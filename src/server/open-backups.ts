import { backedUpFiles, backupPassphraseOf, backupUrlOf } from '../backup/backup-settings.ts'
import { Backups } from '../backup/backups.ts'
import type { Config } from '../config.ts'
import type { DataDirectory } from '../data-directory.ts'
import type { ConnectionSettings } from '../database/pool.ts'
import type { DiskReserve } from '../disk-reserve.ts'
import type { Log } from '../log.ts'

/** Opens the part that makes backups. */
export function openBackups(
  config: Config,
  directory: DataDirectory,
  connection: ConnectionSettings,
  reserve: DiskReserve,
  log: Log,
): Backups {
  return new Backups({
    source: {
      data: directory.path,
      installation: directory.id,
      database: config.databaseUrl === null ? { connection, directory: directory.postgres } : null,
      files: backedUpFiles(config),
    },
    url: backupUrlOf(config),
    passphrase: backupPassphraseOf(config),
    schedule: config.backupSchedule,
    retention: config.backupKeep,
    archivesWal: config.walArchive === 'on',
    reserve,
    log,
  })
}
