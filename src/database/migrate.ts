import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type pg from 'pg'
import { ownFile } from '../own-files.ts'
import { number, text } from './decode-row.ts'
import type { Database } from './pool.ts'
import { type Sql, sql } from './sql.ts'

interface Migration {
  readonly number: number
  readonly text: string
}

/** Advisory lock that keeps nodes that start together from migrating concurrently. */
const MIGRATION_LOCK = 4_673_001

function migrations(folder: string): Migration[] {
  const directory = fileURLToPath(ownFile(`database/${folder}`))
  const found = readdirSync(directory)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => ({ number: Number(name.slice(0, 4)), text: readFileSync(join(directory, name), 'utf8') }))
  const twice = found.find(({ number }, index) => number === found[index - 1]?.number)
  // Of two with the same number, an installation that has applied one would never apply the other.
  if (twice) throw new Error(`Two migrations in ${folder} have the number ${twice.number}.`)
  return found
}

/** Checks that no newer version has migrated the schema. @throws Error with one line for the administrator */
function checkNotNewer(what: string, applied: number, known: readonly Migration[]): void {
  const last = known.at(-1)?.number ?? 0
  if (applied <= last) return
  throw new Error(
    `${what} was brought up to date by a newer Homeport (migration ${applied}, this one knows ${last}). Start that version again, or restore a backup from before.`,
  )
}

async function underLock<T>(database: Database, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = await database.dedicated('usual')
  try {
    await client.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK])
    return await work(client)
  } finally {
    await client.end()
  }
}

async function inTransaction(client: pg.Client, work: () => Promise<void>): Promise<void> {
  await client.query('BEGIN')
  try {
    await work()
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK')
    throw error
  }
}

/**
 * Migrates the schema shared by all apps: applies each numbered file that has not been applied, in order.
 * @throws Error with one line for the administrator when a newer version has migrated it
 */
export async function migrateDatabase(database: Database): Promise<void> {
  await underLock(database, async (client) => {
    await client.query('CREATE SCHEMA IF NOT EXISTS homeport')
    await client.query(
      'CREATE TABLE IF NOT EXISTS homeport.migrations (number integer PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())',
    )
    const applied = new Set(
      (await client.query<{ number: number }>('SELECT number FROM homeport.migrations')).rows.map((row) => row.number),
    )
    const known = migrations('migrations')
    checkNotNewer('The database', Math.max(0, ...applied), known)
    for (const migration of known) {
      if (applied.has(migration.number)) continue
      await inTransaction(client, async () => {
        await client.query(migration.text)
        await client.query('INSERT INTO homeport.migrations (number) VALUES ($1)', [migration.number])
      })
    }
  })
}

/**
 * Migrates the schema of one app, and creates it if it is new.
 * @param schema the schema's name, already checked to need no quoting beyond `"`
 * @throws Error with one line for the administrator when a newer version has migrated it
 */
export async function migrateApp(database: Database, appId: string, schema: string): Promise<void> {
  const pending = migrations('app-migrations')
  const [row] = await database.query(appVersion(appId))
  const version = row && number('schema_version')(row)
  checkNotNewer(`The app ${appId}`, version ?? 0, pending)
  if (version === pending.at(-1)?.number) return
  await underLock(database, async (client) => {
    const { rows } = await client.query<{ schema_version: number }>(
      'SELECT schema_version FROM homeport.apps WHERE id = $1',
      [appId],
    )
    const version = rows[0]?.schema_version ?? 0
    const missing = pending.filter(({ number }) => number > version)
    // A new app gets all its tables in one transaction, which is faster. An existing one is migrated step by step, which holds
    // locks on its tables for a shorter time.
    const steps = version === 0 ? [missing] : missing.map((migration) => [migration])
    for (const step of steps) {
      await inTransaction(client, async () => {
        await client.query(`CREATE SCHEMA IF NOT EXISTS "${schema}"`)
        await client.query(`SET LOCAL search_path TO "${schema}", homeport, public`)
        for (const { text } of step) await client.query(text)
        await client.query('UPDATE homeport.apps SET schema_version = $2 WHERE id = $1', [appId, step.at(-1)!.number])
      })
    }
  })
}

/** Which migrations are applied: the number of the last one, and of the last one that this program has. */
export interface MigrationState {
  /** null: the schema shared by all apps */
  readonly appId: string | null
  readonly applied: number
  readonly known: number
}

/** Returns the state of the shared schema and of each app, without changing anything; empty for a new database. */
export async function migrationStates(database: Database): Promise<MigrationState[]> {
  const [exists] = await database.query(
    sql`SELECT 1 FROM pg_tables WHERE schemaname = 'homeport' AND tablename = 'migrations'`,
  )
  if (!exists) return []
  const [shared] = await database.query(sql`SELECT coalesce(max(number), 0) AS applied FROM homeport.migrations`)
  const states: MigrationState[] = [
    { appId: null, applied: number('applied')(shared!), known: migrations('migrations').at(-1)!.number },
  ]
  // The first migration creates it.
  if (states[0]!.applied === 0) return states
  const known = migrations('app-migrations').at(-1)!.number
  const apps = await database.query(sql`SELECT id, schema_version FROM homeport.apps ORDER BY id`)
  return states.concat(apps.map((row) => ({ appId: text('id')(row), applied: number('schema_version')(row), known })))
}

function appVersion(appId: string): Sql {
  return sql`SELECT schema_version FROM homeport.apps WHERE id = ${appId}`
}
