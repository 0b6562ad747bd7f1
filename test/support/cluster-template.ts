import { execFileSync } from 'node:child_process'
import { copyFileSync, cpSync, mkdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { pino } from 'pino'
import { type EmbeddedDatabase, startEmbeddedDatabase } from '../../src/database/embedded/embedded-database.ts'
import { migrateDatabase } from '../../src/database/migrate.ts'
import { Database } from '../../src/database/pool.ts'

/** The database of the shared PostgreSQL that `newDatabase` copies. */
export const TEMPLATE_DATABASE = 'homeport_template'

/** The data directory of PostgreSQL in a data directory of Homeport. */
const POSTGRES = 'postgres'

/**
 * Creates a data directory whose PostgreSQL has a migrated database without apps. Copies of it save `initdb` and the migrations,
 * which take two seconds of CPU time per server with a separate database.
 * @param data must not exist
 */
export async function makeClusterTemplate(data: string): Promise<void> {
  const database = await startTestPostgres(data)
  try {
    await migrate(database)
  } finally {
    await database.stop()
  }
}

/** Copies a template to the data directory of a server, before its first start. */
export function copyClusterTemplate(template: string, data: string): void {
  mkdirSync(data, { recursive: true, mode: 0o711 })
  copyFileSync(join(template, `${POSTGRES}-password`), join(data, `${POSTGRES}-password`))
  const [source, target] = [join(template, POSTGRES), join(data, POSTGRES)]
  // For root the files belong to PostgreSQL's user, and `cp` keeps the owner.
  if (process.platform === 'win32') cpSync(source, target, { recursive: true })
  else execFileSync('cp', ['-a', source, join(dirname(target), basename(target))])
}

/** Starts PostgreSQL on a data directory of Homeport, with settings that trade durability for speed. */
export function startTestPostgres(data: string): Promise<EmbeddedDatabase> {
  return startEmbeddedDatabase({
    directory: join(data, POSTGRES),
    log: pino({ level: 'silent' }),
    // The data is deleted after the run and need not survive a power failure. Crash tests start separate servers with the
    // product's settings.
    settings: {
      max_connections: '200',
      // Each PostgreSQL process maps the pages it reads.
      shared_buffers: '128MB',
      fsync: 'off',
      full_page_writes: 'off',
      wal_level: 'minimal',
      max_wal_senders: '0',
    },
  })
}

async function migrate({ address }: EmbeddedDatabase): Promise<void> {
  const database = new Database({
    connection: address,
    maxConnections: 2,
    maxQueryConnections: 1,
    statementTimeout: 60_000,
  })
  try {
    await migrateDatabase(database)
  } finally {
    await database.close()
  }
}
