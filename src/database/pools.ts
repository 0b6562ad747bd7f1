import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { Connection, type ConnectionOptions } from './connection.ts'
import { ConnectionProof } from './connection-proof.ts'
import { ConnectionQueue, PAUSE } from './connection-queue.ts'
import { databaseSettings } from './database-url.ts'
import { endDeadConnections } from './dead-connections.ts'
import { DiskSpace, writeAndRollBack } from './disk-space.ts'
import { isFull } from './faults.ts'
import { plainTypes } from './plain-types.ts'
import { ConnectionStatements, PreparedStatements } from './prepared-statements.ts'
import { giveWay, rankPool } from './process-rank.ts'
import { Servers } from './servers.ts'

export type ConnectionSettings = pg.ClientConfig

export interface DatabaseOptions {
  readonly connection: ConnectionSettings
  /** Connections for short statements: reads and writes of single objects. */
  readonly maxConnections: number
  /** Connections for queries, kept apart so that slow ones never delay reads and writes of single objects. */
  readonly maxQueryConnections: number
  /** Milliseconds after which the database ends a statement (error 124). */
  readonly statementTimeout: number
  /** Maximum milliseconds that a statement waits for a connection, free or new; 5000 when omitted. */
  readonly maxWait?: number
  /** Whether the database's processes run on this machine and may be reprioritized: those of queries get a lower priority. */
  readonly ranked?: boolean
  /** Called when the database's disk is full, and when there is space again. */
  readonly diskFull?: (full: boolean) => void
}

const DEFAULT_MAX_WAIT_MS = 5000
/** Milliseconds to wait for the end of a statement that has exceeded its time limit. */
const STATEMENT_GRACE_MS = 3000

/** How much lower than this process the database processes of queries are ranked, in steps of `nice`. */
const QUERY_NICE = 10
/** The same for the processes of background work. */
const BACKGROUND_NICE = 15
/** Connections for background work, of which one app may use at most three quarters. */
const BACKGROUND_CONNECTIONS = 4

/** Settings of every connection. */
const SESSION = { search_path: 'homeport, public', timezone: 'UTC', datestyle: 'ISO' }

/** The connection pools of one database, the queue of each, and the state of prepared statements on them. */
export class Pools {
  /** For short statements. */
  readonly points: ConnectionQueue
  /** For queries of unknown cost. */
  readonly queries: ConnectionQueue
  /** For background work. */
  readonly background: ConnectionQueue
  readonly prepared = new PreparedStatements()
  readonly statements = new ConnectionStatements()
  readonly space: DiskSpace
  readonly #pools: readonly pg.Pool[]
  readonly #watches: readonly (() => void)[]
  readonly #servers: Servers
  readonly #proof = new ConnectionProof(() => new Connection(this.#options('homeport-health')))
  readonly #isRanked: boolean
  readonly #maxWait: number

  constructor(options: DatabaseOptions) {
    this.#maxWait = options.maxWait ?? DEFAULT_MAX_WAIT_MS
    this.#servers = new Servers(databaseSettings(options.connection))
    const statement_timeout = String(options.statementTimeout)
    const points = this.#pool(options.maxConnections, { statement_timeout })
    const queries = this.#pool(options.maxQueryConnections, { statement_timeout })
    const background = this.#pool(BACKGROUND_CONNECTIONS, { statement_timeout })
    this.#pools = [points, queries, background]
    this.#isRanked = options.ranked ?? false
    if (this.#isRanked) {
      rankPool(queries, QUERY_NICE)
      rankPool(background, BACKGROUND_NICE)
    }
    this.points = new ConnectionQueue(points, this.#maxWait)
    this.queries = new ConnectionQueue(queries, this.#maxWait)
    this.background = new ConnectionQueue(background, this.#maxWait)
    this.points.neighbor = this.queries
    this.queries.neighbor = this.points
    this.background.neighbor = this.points
    this.space = new DiskSpace({
      tryToWrite: () => writeAndRollBack(this.points),
      changed: (full) => options.diskFull?.(full),
    })
    const limit = options.statementTimeout + STATEMENT_GRACE_MS
    this.#watches = this.#pools.map((pool) => endDeadConnections(pool, limit))
  }

  /** The number of statements waiting for a connection. */
  get waiting(): number {
    return this.points.waiting + this.queries.waiting + this.background.waiting
  }

  /**
   * Opens a connection without a time limit, for migrations, index builds and exports. The caller ends it.
   * @param rank `background` for low priority, as that of `backgroundTransaction`
   */
  async dedicated(rank: 'usual' | 'background'): Promise<pg.Client> {
    const deadline = performance.now() + this.#maxWait
    for (let attempt = 1; ; attempt++) {
      const client = new Connection(this.#options('homeport-background'))
      try {
        await client.connect()
        if (this.#isRanked && rank === 'background') void giveWay(client.backend, BACKGROUND_NICE)
        return client
      } catch (error) {
        if (!isFull(error) || performance.now() > deadline) throw error
        if (attempt === 1) this.points.makeRoom()
        await sleep(PAUSE)
      }
    }
  }

  /** Proves that the database accepts new connections (`connection-proof.ts`). @throws the error of connecting */
  proveConnection(): Promise<void> {
    return this.#proof.give()
  }

  async close(): Promise<void> {
    this.space.stop()
    for (const queue of [this.points, this.queries, this.background]) queue.stop()
    await Promise.all(this.#pools.map((pool) => pool.end()))
    for (const stopWatch of this.#watches) stopWatch()
    this.#servers.stop()
  }

  #pool(max: number, settings: Readonly<Record<string, string>>): pg.Pool {
    // The pool passes its options to the class of its connections, which its type does not declare.
    const Client = Connection as unknown as new () => pg.ClientBase
    const options = { ...this.#options('homeport', settings), Client, max, idleTimeoutMillis: 60_000 }
    const pool = new pg.Pool(options)
    // A lost connection fails the statement running on it and is replaced at its next use. The event repeats the error for an
    // idle connection; without a listener it would end the process.
    pool.on('error', () => {})
    return pool
  }

  #options(application: string, settings: Readonly<Record<string, string>> = {}): ConnectionOptions {
    return {
      servers: this.#servers,
      settings: { ...SESSION, ...settings },
      types: plainTypes,
      connectionTimeoutMillis: this.#maxWait,
      application_name: application,
    }
  }
}
