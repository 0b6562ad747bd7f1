import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type AppRecord, Apps } from '../apps/apps.ts'
import type { Config } from '../config.ts'
import { DataDirectoryInUse, openDataDirectory } from '../data-directory.ts'
import { startEmbeddedDatabase } from '../database/embedded/embedded-database.ts'
import { migrationStates } from '../database/migrate.ts'
import { type ConnectionSettings, Database } from '../database/pool.ts'
import { createLog } from '../log.ts'
import { type Finding, failure, reasonOf } from './finding.ts'
import { runChecks } from './run-checks.ts'

interface Opened {
  readonly connection: ConnectionSettings | null
  readonly notOpened: string | null
  close(): Promise<void>
}

/**
 * Examines this machine and a configuration without a running server. An embedded database that exists is started for the
 * duration of the checks, unless a server uses it.
 * @param clockUrl URL of an HTTP server with a correct clock; null for none
 */
export async function examineMachine(config: Config, clockUrl: string | null): Promise<readonly Finding[]> {
  const opened = await openDatabase(config)
  const database =
    opened.connection &&
    new Database({
      connection: opened.connection,
      maxConnections: 2,
      maxQueryConnections: 1,
      statementTimeout: config.queryTimeout,
      ranked: false,
    })
  try {
    const { apps, findings } = await readApps(database)
    // Without a reachable database, only its own check reports that.
    const usable = apps === null ? null : database
    const examination = { config, notOpened: opened.notOpened, server: null, clockUrl }
    return [...(await runChecks({ ...examination, database: usable, apps })), ...findings]
  } finally {
    await database?.close()
    await opened.close()
  }
}

async function openDatabase({ databaseUrl, data }: Config): Promise<Opened> {
  const closed = { connection: null, notOpened: null, close: async () => {} }
  if (databaseUrl !== null) return { ...closed, connection: { connectionString: databaseUrl } }
  const postgres = join(data, 'postgres')
  if (!existsSync(join(postgres, 'PG_VERSION'))) return closed
  try {
    const directory = openDataDirectory(data)
    try {
      const embedded = await startEmbeddedDatabase({ directory: postgres, log: createLog('silent') })
      const close = async () => {
        await embedded.stop()
        directory.release()
      }
      return { connection: { ...embedded.address }, notOpened: null, close }
    } catch (error) {
      directory.release()
      throw error
    }
  } catch (error) {
    const notOpened = error instanceof DataDirectoryInUse ? error.message : reasonOf(error)
    return { ...closed, notOpened }
  }
}

interface ReadApps {
  /** null: unknown */
  readonly apps: readonly AppRecord[] | null
  readonly findings: readonly Finding[]
}

async function readApps(database: Database | null): Promise<ReadApps> {
  if (database === null) return { apps: null, findings: [] }
  try {
    const states = await migrationStates(database)
    // A new database has no apps, and one of another version may store them differently.
    if (states.length === 0 || states[0]!.applied !== states[0]!.known) return { apps: [], findings: [] }
    const apps = new Apps(database)
    await apps.reload()
    return { apps: apps.all().filter(({ id }) => isCurrent(states, id)), findings: [] }
  } catch (error) {
    return { apps: null, findings: [failure('doctorAppsUnread', { reason: reasonOf(error) })] }
  }
}

function isCurrent(states: Awaited<ReturnType<typeof migrationStates>>, appId: string): boolean {
  return states.some((state) => state.appId === appId && state.applied === state.known)
}
