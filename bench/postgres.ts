import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { pino } from 'pino'
import { type DatabaseAddress, startEmbeddedDatabase } from '../src/database/embedded/embedded-database.ts'
import type { Cleanup } from './cleanup.ts'

/** The PostgreSQL of a run: the embedded one with production settings. */
export interface Postgres {
  readonly version: string
  /** Creates a database for one contestant. */
  database(name: string): Promise<BenchDatabase>
}

export interface BenchDatabase {
  readonly address: DatabaseAddress
  readonly url: string
  /** Runs a statement on a connection of the benchmark. */
  query<Row extends pg.QueryResultRow>(text: string, values?: readonly unknown[]): Promise<Row[]>
}

/** Creates a directory that is removed at the end of the run. */
export async function temporaryDirectory(cleanup: Cleanup): Promise<string> {
  const directory = await cleanup.keep(mkdtemp(join(tmpdir(), 'homeport-bench-')), (path) =>
    rm(path, { recursive: true, force: true }),
  )
  // Under root, PostgreSQL runs as another user, which needs access to the directory.
  await chmod(directory, 0o711)
  return directory
}

export async function startPostgres(cleanup: Cleanup): Promise<Postgres> {
  const directory = await temporaryDirectory(cleanup)
  const server = await cleanup.keep(
    startEmbeddedDatabase({
      directory: join(directory, 'postgres'),
      log: pino({ level: 'warn' }, pino.destination(2)),
    }),
    (server) => server.stop(),
  )
  const main = await connect(server.address, cleanup)
  const [row] = await main.query<{ version: string }>(`SELECT current_setting('server_version') AS version`)
  return {
    version: row!.version,
    async database(name) {
      await main.query(`CREATE DATABASE ${pg.escapeIdentifier(name)}`)
      return connect({ ...server.address, database: name }, cleanup)
    },
  }
}

async function connect(address: DatabaseAddress, cleanup: Cleanup): Promise<BenchDatabase> {
  const client = new pg.Client(address)
  // A lost connection fails the next query; without a listener it would end this process.
  client.on('error', () => {})
  await cleanup.keep(client.connect(), () => client.end())
  const { user, password, host, port, database } = address
  const search = new URLSearchParams({ host, port: String(port) })
  return {
    address,
    url: `postgresql://${user}:${encodeURIComponent(password)}@localhost/${database}?${search}`,
    query: async (text, values = []) => (await client.query(text, [...values])).rows,
  }
}
