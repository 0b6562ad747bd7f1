import { walArchiveSettings } from '../backup/wal/wal-archive.ts'
import type { Config } from '../config.ts'
import type { DataDirectory } from '../data-directory.ts'
import { startEmbeddedDatabase } from '../database/embedded/embedded-database.ts'
import { type ConnectionSettings, Database } from '../database/pool.ts'
import type { Log } from '../log.ts'

type Step = () => Promise<void> | void

export interface Connected {
  readonly settings: ConnectionSettings
  /** Returns how often the embedded PostgreSQL has ended unexpectedly; null for an external one. */
  readonly restarts: () => number | null
}

/** Starts the embedded database, or takes the configured one. @param stops gets the step that stops it */
export async function connect(config: Config, directory: DataDirectory, log: Log, stops: Step[]): Promise<Connected> {
  if (config.databaseUrl) return { settings: { connectionString: config.databaseUrl }, restarts: () => null }
  const walSettings = config.walArchive === 'on' ? walArchiveSettings() : {}
  const embedded = await startEmbeddedDatabase({ directory: directory.postgres, log, settings: walSettings })
  stops.push(() => embedded.stop())
  return { settings: { ...embedded.address }, restarts: () => embedded.restarts }
}

/** Opens the connections to the database. */
export function openDatabase(config: Config, connection: ConnectionSettings, log: Log): Database {
  return new Database({
    connection,
    // Two thirds for reads and writes of single objects; the rest for queries, including slow ones.
    maxConnections: Math.ceil((config.databaseConnections * 2) / 3),
    maxQueryConnections: Math.floor(config.databaseConnections / 3),
    statementTimeout: config.queryTimeout,
    ranked: !config.databaseUrl,
    diskFull(full) {
      if (full) log.error({}, 'the disk of the database is full: nothing can be stored')
      else log.info({}, 'the disk of the database has space again')
    },
  })
}
