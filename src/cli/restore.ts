import { Command } from 'commander'
import { backupPassphraseOf, backupUrlOf } from '../backup/backup-settings.ts'
import { isAtTarget, newestBackup, parseBackupPlace } from '../backup/find-backup.ts'
import { restoreBackup } from '../backup/restore-backup.ts'
import { openTarget } from '../backup/targets/open-target.ts'
import { readConfig } from '../config.ts'
import { holdsCredentials } from '../files-url.ts'
import { createLog } from '../log.ts'
import { addOptions } from './options.ts'

interface RestoreFlags {
  readonly to?: string
  readonly moveAside?: boolean
  readonly [option: string]: unknown
}

/** `homeport restore` restores a backup into a data directory, also while another server runs on another one. */
export function restoreCommand(): Command {
  const command = new Command('restore')
    .description('Restore a backup into an empty data directory, and check it.')
    .argument('<backup>', 'name of a backup, `latest`, or folder or URL of a backup')
    .option('--to <time>', 'recover from the archived write-ahead log to this time (ISO 8601), or `latest`')
    .option('--move-aside', 'move the content of a directory that is not empty into a subfolder')
  return addOptions(command, ['data', 'backupUrl', 'backupPassphraseFile', 'logLevel']).action(
    async (backup: string, { to, moveAside, ...options }: RestoreFlags) => {
      if (/^s3:/i.test(backup) && holdsCredentials(backup))
        throw new Error('Secrets must not be passed on the command line. Set the target with HOMEPORT_BACKUP_URL.')
      const config = readConfig({ logLevel: 'warn', ...options }, process.env)
      const time = to === undefined ? null : timeOf(to)
      // Without the option, backups are in the data directory of the server, which the command does not know.
      if (config.backupUrl === null && isAtTarget(backup))
        throw new Error(
          'Set --backup-url, or name the folder or URL of the backup, such as ./data/backups for the newest one there.',
        )
      const place = parseBackupPlace(backup, backupUrlOf(config))
      const target = await openTarget(place.url)
      try {
        const name = place.name ?? (await newestBackup(target, time === 'latest' ? null : time))
        process.stdout.write(`Restoring ${name} into ${config.data}\n`)
        const { manifest, counted, movedTo } = await restoreBackup({
          target,
          name,
          passphrase: backupPassphraseOf(config),
          data: config.data,
          moveAside: moveAside === true,
          to: time,
          signal: new AbortController().signal,
          log: createLog(config.logLevel),
          onPart: (part) => void process.stdout.write(`  ${part}\n`),
        })
        if (movedTo !== null) process.stdout.write(`The earlier content is in ${movedTo}\n`)
        const until = time === 'latest' ? 'the end of the archive' : (time?.toISOString() ?? manifest.endedAt)
        if (counted) process.stdout.write(`Restored to ${until}: ${counted.tables} tables, ${counted.rows} rows\n`)
        else process.stdout.write('Restored keys and files. Restore the external database with its own tools.\n')
        process.stdout.write(`Start it with: homeport start --data ${config.data}\n`)
      } finally {
        target.close()
      }
    },
  )
}

function timeOf(text: string): Date | 'latest' {
  if (text === 'latest') return text
  const time = new Date(text)
  if (Number.isNaN(time.getTime())) throw new Error('--to must be a time such as 2026-01-31T18:00:00Z, or latest.')
  return time
}
