import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import type { Cleanup } from '../cleanup.ts'
import { allowMuch, startHomeport, TRIVIAL } from '../contestants/homeport.ts'
import { startPostgres, temporaryDirectory } from '../postgres.ts'
import type { Place } from './client.ts'

/** The app that Homeport makes at its first start in the benchmark. */
const APP_ID = TRIVIAL.headers['X-LC-Id']!

/** A Homeport to which clients log in. */
export interface MessagingServer extends Place {
  readonly pid: number
  /** The first process of the database. */
  databaseProcess(): Promise<number>
  /** Runs a statement on a connection of the benchmark's own. */
  query<Row extends pg.QueryResultRow>(text: string, values?: readonly unknown[]): Promise<Row[]>
  /** A table of the app, quoted. */
  table(name: string): string
}

/**
 * Starts a Homeport that has served nobody yet. By itself, with its embedded database, it knows that there are no other
 * nodes; on a database of its own server (`shared`) it tells the others, if there are any, of all that happens.
 */
export async function startMessaging(root: string, shared: boolean, cleanup: Cleanup): Promise<MessagingServer> {
  const data = join(await temporaryDirectory(cleanup), 'data')
  const database = shared ? await (await startPostgres(cleanup)).database('messaging') : null
  const { url, pid } = await cleanup.keep(startHomeport(root, data, database?.url ?? null), (server) => server.stop())
  await allowMuch(url)
  const address = database?.address ?? (await embeddedAddress(join(data, 'postgres')))
  const client = new pg.Client(address)
  // A connection that is lost fails the next query; without a listener it would end this process instead.
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

/** Where the embedded database of another process listens. `directory`: its data directory */
export async function embeddedAddress(directory: string): Promise<pg.ClientConfig> {
  // pid, directory, start time, port, socket directory, …
  const lines = (await readFile(join(directory, 'postmaster.pid'), 'utf8')).split('\n')
  const password = (await readFile(`${directory}-password`, 'utf8')).trim()
  return { host: lines[4]!, port: Number(lines[3]), user: 'homeport', password, database: 'homeport' }
}

/** How many messages the server has stored. */
export async function storedMessages({ query, table }: MessagingServer): Promise<number> {
  const [row] = await query<{ count: string }>(`SELECT count(*) FROM ${table('$messages')}`)
  return Number(row!.count)
}
