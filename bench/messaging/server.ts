import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import type { Cleanup } from '../cleanup.ts'
import { allowMuch, startHomeport, TRIVIAL } from '../contestants/homeport.ts'
import { startPostgres, temporaryDirectory } from '../postgres.ts'
import type { Server } from './client.ts'

/** The app created at the first start of Homeport in the benchmark. */
const APP_ID = TRIVIAL.headers['X-LC-Id']!

/** A Homeport to which clients log in. */
export interface MessagingServer extends Server {
  readonly pid: number
  /** Returns the process id of the postmaster. */
  databaseProcess(): Promise<number>
  /** Runs a statement on a connection of the benchmark. */
  query<Row extends pg.QueryResultRow>(text: string, values?: readonly unknown[]): Promise<Row[]>
  /** Returns a table of the app, quoted. */
  table(name: string): string
}

/**
 * Starts a new Homeport. With its embedded database it knows that it is the only node; with a separate database server
 * (`shared`) it notifies other nodes of all events.
 */
export async function startMessaging(root: string, shared: boolean, cleanup: Cleanup): Promise<MessagingServer> {
  const data = join(await temporaryDirectory(cleanup), 'data')
  const database = shared ? await (await startPostgres(cleanup)).database('messaging') : null
  const { url, pid } = await cleanup.keep(startHomeport(root, data, database?.url ?? null), (server) => server.stop())
  await allowMuch(url)
  const address = database?.address ?? (await embeddedAddress(join(data, 'postgres')))
  const client = new pg.Client(address)
  // A lost connection fails the next query; without a listener it would end this process.
  client.on('error', () => {})
  await cleanup.keep(client.connect(), () => client.end())
  return {
    url,
    pid,
    databaseProcess: async () => {
      const { rows } = await client.query(
        `SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::integer AS pid`,
      )
      return rows[0].pid
    },
    appId: APP_ID,
    query: async (text, values = []) => (await client.query(text, [...values])).rows,
    table: (name) => `"app_${APP_ID}"."${name}"`,
  }
}

/**
 * Returns the address of another process's embedded database.
 * @param directory its data directory
 */
export async function embeddedAddress(directory: string): Promise<pg.ClientConfig> {
  // pid, directory, start time, port, socket directory, …
  const lines = (await readFile(join(directory, 'postmaster.pid'), 'utf8')).split('\n')
  const password = (await readFile(`${directory}-password`, 'utf8')).trim()
  return { host: lines[4]!, port: Number(lines[3]), user: 'homeport', password, database: 'homeport' }
}

/** Counts the messages stored by the server. */
export async function storedMessages({ query, table }: MessagingServer): Promise<number> {
  const [row] = await query<{ count: string }>(`SELECT count(*) FROM ${table('$messages')}`)
  return Number(row!.count)
}
