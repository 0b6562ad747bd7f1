import { mkdir, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { DiskSpace } from '../../disk-reserve.ts'
import { machineMemory } from '../../machine-memory.ts'
import { findPostgresBinaries } from './postgres-binaries.ts'
import { clusterOwner, openCluster, superuser } from './postgres-cluster.ts'
import { clearLeftOver } from './postgres-leftover.ts'
import type { Log } from './postgres-log.ts'
import { type PostgresProcess, PostgresStartError, spawnPostgres } from './postgres-process.ts'
import { postgresSettings } from './postgres-settings.ts'
import { choosePostgresSocket, socketParent } from './postgres-socket.ts'
import { choosePostgresUser } from './postgres-user.ts'

/** The address of the server. `host` is the directory of a unix socket if it begins with a slash. */
export interface DatabaseAddress {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
  readonly database: string
}

/** A PostgreSQL server that is supervised until it is stopped. */
export interface EmbeddedDatabase {
  /** Stays the same when the server is restarted. */
  readonly address: DatabaseAddress
  /** How often the server has ended unexpectedly. */
  readonly restarts: number
  /** Stops the server cleanly: closes connections and writes all data. Resolves when it has ended. */
  stop(): Promise<void>
}

export interface EmbeddedDatabaseOptions {
  /** Absolute path of the data directory; created if missing. */
  readonly directory: string
  readonly log: Log
  /** PostgreSQL settings that override the defaults. */
  readonly settings?: Readonly<Record<string, string>>
  /** Steps of `nice` by which its processes are ranked below this one; default 0. */
  readonly niceness?: number
}

/** Maximum milliseconds that a start waits for the remains of an earlier server to end. */
const startTimeoutMs = 30_000

/** Milliseconds between two checks of the socket. */
const socketInterval = 1_000

/** Milliseconds after which a run counts as healthy, so that its end does not count as one of a series of failures. */
const soundRun = 60_000

/**
 * Starts PostgreSQL on a data directory as a child process, and restarts it whenever it ends unexpectedly. Resolves when it
 * accepts connections and the database `homeport` exists. Throws with one line for the user when that is impossible: no binaries
 * for this platform, a data directory of another version or owner, and the like.
 */
export async function startEmbeddedDatabase(options: EmbeddedDatabaseOptions): Promise<EmbeddedDatabase> {
  const { directory, log } = options
  const binaries = await findPostgresBinaries(`${directory}-libraries`)
  // PostgreSQL may run as another user, which must be able to pass through the directory.
  await mkdir(dirname(directory), { recursive: true, mode: 0o711 })
  const mustEnter = [binaries.postgres, dirname(directory), socketParent()]
  const user = choosePostgresUser(await clusterOwner(directory), mustEnter)
  const password = await openCluster(directory, binaries, user)
  const socket = await choosePostgresSocket(user.owner)
  const machine = { memory: machineMemory(), disk: await diskOf(directory) }
  const settings = { ...postgresSettings(machine), ...socket.settings, ...options.settings }
  const address = { host: socket.host, port: socket.port, user: superuser, password, database: 'homeport' }

  const stopping = new AbortController()
  let server: PostgresProcess | null = null
  let restarts = 0
  const abandon = () => {
    server?.abandon()
    socket.remove()
  }
  process.once('exit', abandon)

  // The socket's directory is in the folder for temporary files, which other programs clean.
  const watch = setInterval(() => {
    if (server === null || !server.isReady || socket.isThere()) return
    log.error({}, 'PostgreSQL socket lost, restarting PostgreSQL')
    void server.stop().catch((error: Error) => log.error({ error: error.message }, 'stopping PostgreSQL failed'))
  }, socketInterval).unref()

  async function launch(): Promise<PostgresProcess> {
    await clearLeftOver(directory, socket.host, binaries, log)
    await socket.prepare()
    stopping.signal.throwIfAborted()
    server = spawnPostgres(directory, settings, { binaries, user, log, niceness: options.niceness ?? 0 })
    await server.ready
    return server
  }

  /** After `kill -9` of a server, its processes need a moment to notice. The next server refuses to start until then. */
  async function launchFirst(): Promise<PostgresProcess> {
    for (const deadline = Date.now() + startTimeoutMs; ; await sleep(100)) {
      try {
        return await launch()
      } catch (error) {
        const mayPass = error instanceof PostgresStartError && error.directoryInUse
        if (!mayPass || Date.now() > deadline) throw error
      }
    }
  }

  /** Runs until `stop`: whenever the server ends, starts the next one, after a longer wait the more runs end early. */
  async function supervise(first: PostgresProcess): Promise<void> {
    let ending = first.ended
    for (let early = 0; ; ) {
      const since = Date.now()
      const how = await ending
      if (stopping.signal.aborted) return
      restarts++
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
      get restarts() {
        return restarts
      },
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

/** Returns the space of the disk with a folder. */
async function diskOf(directory: string): Promise<DiskSpace> {
  const { bavail, blocks, bsize } = await statfs(directory)
  return { free: bavail * bsize, total: blocks * bsize }
}

/** Creates the database on the first start. A successful connection shows that it exists. */
async function ensureDatabase(address: DatabaseAddress): Promise<void> {
  const missing = await query(address, 'SELECT 1').then(
    () => false,
    (error: { code?: string }) => {
      // invalid_catalog_name: the database does not exist
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
