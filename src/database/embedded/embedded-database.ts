import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { findPostgresBinaries } from './postgres-binaries.ts'
import { clusterOwner, openCluster, superuser } from './postgres-cluster.ts'
import { clearLeftOver } from './postgres-leftover.ts'
import type { Log } from './postgres-log.ts'
import { type PostgresProcess, PostgresStartError, spawnPostgres } from './postgres-process.ts'
import { postgresSettings } from './postgres-settings.ts'
import { choosePostgresSocket, socketParent } from './postgres-socket.ts'
import { choosePostgresUser } from './postgres-user.ts'

/** What a client needs to connect. `host` is the directory of a unix socket where it begins with a slash. */
export interface DatabaseAddress {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
  readonly database: string
}

/** A PostgreSQL that runs for as long as this process wants it. */
export interface EmbeddedDatabase {
  /** The same for the whole life, also when the server had to be started again. */
  readonly address: DatabaseAddress
  /** Ends the server cleanly: connections are closed, everything is written. Resolves when it has ended. */
  stop(): Promise<void>
}

export interface EmbeddedDatabaseOptions {
  /** The data directory, an absolute path; it is created when it is not there. */
  readonly directory: string
  readonly log: Log
  /** PostgreSQL settings that win over ours. */
  readonly settings?: Readonly<Record<string, string>>
}

/** How long a start waits for what an earlier server left behind to go away, in milliseconds. */
const startPatience = 30_000

/** How often it is checked that the socket is there, in milliseconds. */
const socketInterval = 1_000

/** A server that ran this long, in milliseconds, was well: its end is not one of a series. */
const soundRun = 60_000

/**
 * Starts PostgreSQL on a data directory as a child of this process, and starts it again whenever it ends by itself.
 * Resolves when it takes connections and the database `homeport` exists. Throws with one line for the user when that
 * cannot be: no binaries for this platform, a data directory of another version or owner, and the like.
 */
export async function startEmbeddedDatabase(options: EmbeddedDatabaseOptions): Promise<EmbeddedDatabase> {
  const { directory, log } = options
  const binaries = await findPostgresBinaries()
  // PostgreSQL's user may not be us, and must be able to pass through.
  await mkdir(dirname(directory), { recursive: true, mode: 0o711 })
  const mustEnter = [binaries.postgres, dirname(directory), socketParent()]
  const user = choosePostgresUser(await clusterOwner(directory), mustEnter)
  const password = await openCluster(directory, binaries, user)
  const socket = await choosePostgresSocket(user.owner)
  const settings = { ...postgresSettings(), ...socket.settings, ...options.settings }
  const address = { host: socket.host, port: socket.port, user: superuser, password, database: 'homeport' }

  const stopping = new AbortController()
  let server: PostgresProcess | null = null
  const abandon = () => {
    server?.abandon()
    socket.remove()
  }
  process.once('exit', abandon)

  // Its directory is in a folder for temporary files, which other programs clean.
  const watch = setInterval(() => {
    if (server === null || !server.isReady || socket.isThere()) return
    log.error({}, 'PostgreSQL socket lost, restarting PostgreSQL')
    void server.stop().catch((error: Error) => log.error({ error: error.message }, 'stopping PostgreSQL failed'))
  }, socketInterval).unref()

  async function launch(): Promise<PostgresProcess> {
    await clearLeftOver(directory, socket.host, binaries, log)
    await socket.prepare()
    stopping.signal.throwIfAborted()
    server = spawnPostgres(directory, settings, { binaries, user, log })
    await server.ready
    return server
  }

  /** After `kill -9` of a server its processes need a moment to notice, and the next one refuses to start until then. */
  async function launchFirst(): Promise<PostgresProcess> {
    for (const deadline = Date.now() + startPatience; ; await sleep(100)) {
      try {
        return await launch()
      } catch (error) {
        const mayPass = error instanceof PostgresStartError && error.directoryInUse
        if (!mayPass || Date.now() > deadline) throw error
      }
    }
  }

  /** Runs until `stop`: whenever the server ends, starts the next, and waits longer the more of them end early. */
  async function supervise(first: PostgresProcess): Promise<void> {
    let ending = first.ended
    for (let early = 0; ; ) {
      const since = Date.now()
      const how = await ending
      if (stopping.signal.aborted) return
      early = Date.now() - since > soundRun ? 0 : early + 1
      log.error({ attempt: early, reason: how }, 'PostgreSQL exited unexpectedly, restarting')
      await sleep(Math.min(10_000, 50 * 2 ** early), null, { signal: stopping.signal }).catch(() => {})
      ending = launch().then(
        (next) => next.ended,
        (error: Error) => error.message,
      )
    }
  }

  async function clear(): Promise<void> {
    stopping.abort()
    clearInterval(watch)
    process.off('exit', abandon)
    await server?.stop()
    socket.remove()
  }

  try {
    const first = await launchFirst()
    await ensureDatabase(address)
    const supervision = supervise(first)
    return {
      address,
      async stop() {
        await clear()
        await supervision
      },
    }
  } catch (error) {
    await clear()
    throw error
  }
}

/** The database is made on the first start; a connection to it tells that it is there. */
async function ensureDatabase(address: DatabaseAddress): Promise<void> {
  const missing = await query(address, 'SELECT 1').then(
    () => false,
    (error: { code?: string }) => {
      // invalid_catalog_name: there is no such database
      if (error.code === '3D000') return true
      throw error
    },
  )
  if (!missing) return
  await query({ ...address, database: 'postgres' }, `CREATE DATABASE ${pg.escapeIdentifier(address.database)}`)
}

async function query(address: DatabaseAddress, text: string): Promise<void> {
  const client = new pg.Client(address)
  await client.connect()
  try {
    await client.query(text)
  } finally {
    await client.end()
  }
}
