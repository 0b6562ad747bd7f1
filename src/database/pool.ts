import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { appItself, type Party, SERVER } from '../turns/party.ts'
import { appOfStatement } from './app-of-statement.ts'
import { collectRows } from './collect-rows.ts'
import { Connection, type ConnectionOptions, connectionOf } from './connection.ts'
import { ConnectionProof } from './connection-proof.ts'
import { copyInto } from './copy.ts'
import { databaseSettings } from './database-url.ts'
import { endDeadConnections } from './dead-connections.ts'
import { DiskSpace, writeAndRollBack } from './disk-space.ts'
import { isDeadlock, isFull, isLost, isReadOnly } from './faults.ts'
import { hasLargeValue, queryInPieces } from './large-values.ts'
import { Lending, PAUSE } from './lending.ts'
import { plainTypes } from './plain-types.ts'
import { ConnectionStatements, PreparedStatements } from './prepared-statements.ts'
import { giveWay, rankPool } from './process-rank.ts'
import type { Row } from './row.ts'
import { Servers } from './servers.ts'
import { type Sql, type SqlValue, sql, toQuery } from './sql.ts'
import type { Statement } from './statement.ts'

export type ConnectionSettings = pg.ClientConfig

export interface DatabaseOptions {
  readonly connection: ConnectionSettings
  /** Connections for statements that end at once: reads and writes of single objects. */
  readonly maxConnections: number
  /** Connections for queries, kept apart so that slow ones never hold up reads and writes of single objects. */
  readonly maxQueryConnections: number
  /** Milliseconds after which the database ends a statement (error 124). */
  readonly statementTimeout: number
  /** Milliseconds that a statement waits at most for a connection that others have, and for a new one; 5000 unless given. */
  readonly maxWait?: number
  /** Its processes are on this machine and ours to rank: those of queries give way to everything else. */
  readonly ranked?: boolean
  /** Called when the database's disk is full, and when there is space again. */
  readonly diskFull?: (full: boolean) => void
}

const DEFAULT_MAX_WAIT_MS = 5000
/** Milliseconds to wait for the end of a statement that has exceeded its time limit. */
const STATEMENT_GRACE_MS = 3000

/** How much less than this process a process of the database counts that runs queries, in the steps of `nice`. */
const QUERY_NICE = 10
/** … and one for work that may take its time. */
const BACKGROUND_NICE = 15
/** Connections for that work, of which an app has three quarters at most. */
const BACKGROUND_CONNECTIONS = 4

/** What every connection is set to. */
const SESSION = { search_path: 'homeport, public', timezone: 'UTC', datestyle: 'ISO' }

export interface SearchResult {
  readonly rows: Row[]
  /** How long the database took, without the wait for a connection. */
  readonly milliseconds: number
}

/** What statements are given to: the database, where each commits by itself, or a transaction. */
export interface Executor {
  /** @param party whose turn it takes where each statement takes one; the app's own unless told */
  query(statement: Sql, party?: Party): Promise<Row[]>
  /** Does something when what has been written so far is committed, and never if it is not: at once outside a transaction. */
  afterCommit(work: () => void): void
}

/** Statements that are committed together. */
export interface Transaction extends Executor {
  /**
   * Runs `COPY … FROM STDIN`, by which many rows are stored in a third of the time.
   * @param rows in the text form of COPY (`copy.ts`), bytes as UTF-8
   */
  copy(statement: Sql, rows: string | Uint8Array): Promise<void>
}

/**
 * The connections to PostgreSQL. They are lent in turns (`turns/fair-turns.ts`): to the party that a statement names, else
 * to the app whose tables it names. What waits too long for one fails with ApiError 429 or 503.
 */
export class Database implements Executor {
  readonly #points: pg.Pool
  readonly #queries: pg.Pool
  readonly #background: pg.Pool
  readonly #pointTurns: Lending
  readonly #queryTurns: Lending
  readonly #backgroundTurns: Lending
  readonly #prepared = new PreparedStatements()
  readonly #statements = new ConnectionStatements()
  readonly #watches: readonly (() => void)[]
  readonly #servers: Servers
  readonly #space: DiskSpace
  readonly #proof = new ConnectionProof(() => new Connection(this.#options('homeport-health')))
  readonly #isRanked: boolean
  readonly #maxWait: number

  constructor(options: DatabaseOptions) {
    this.#maxWait = options.maxWait ?? DEFAULT_MAX_WAIT_MS
    this.#servers = new Servers(databaseSettings(options.connection))
    const statement_timeout = String(options.statementTimeout)
    this.#points = this.#pool(options.maxConnections, { statement_timeout })
    this.#queries = this.#pool(options.maxQueryConnections, { statement_timeout })
    this.#background = this.#pool(BACKGROUND_CONNECTIONS, { statement_timeout })
    this.#isRanked = options.ranked ?? false
    if (this.#isRanked) {
      rankPool(this.#queries, QUERY_NICE)
      rankPool(this.#background, BACKGROUND_NICE)
    }
    this.#pointTurns = new Lending(this.#points, this.#maxWait)
    this.#queryTurns = new Lending(this.#queries, this.#maxWait)
    this.#backgroundTurns = new Lending(this.#background, this.#maxWait)
    this.#pointTurns.neighbour = this.#queryTurns
    this.#queryTurns.neighbour = this.#pointTurns
    this.#backgroundTurns.neighbour = this.#pointTurns
    this.#space = new DiskSpace({
      tryToWrite: () => writeAndRollBack(this.#pointTurns),
      changed: (full) => options.diskFull?.(full),
    })
    const limit = options.statementTimeout + STATEMENT_GRACE_MS
    this.#watches = [this.#points, this.#queries, this.#background].map((pool) => endDeadConnections(pool, limit))
  }

  /** Runs one statement that ends at once. A statement that lost a deadlock changed nothing and is run again. */
  async query(statement: Sql, party?: Party): Promise<Row[]> {
    const config = this.#prepare(statement)
    const whose = party ?? partyOf(config)
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#run(this.#turnsFor(config), whose, config, (client) => rowsOf(client, config))
      } catch (error) {
        if (!isDeadlock(error) || attempt === 5) throw error
      }
    }
  }

  afterCommit(work: () => void): void {
    work()
  }

  /** Runs a statement whose text was made ahead, for the few that make up most of the traffic. */
  async execute(statement: Statement, values: readonly SqlValue[], party = statement.party): Promise<Row[]> {
    const config = this.#named(statement.text, values as SqlValue[])
    return this.#run(this.#turnsFor(config), party, config, (client) => rowsOf(client, config))
  }

  /** The same where a row is large: what the database does with it takes as long as with a large value. */
  async executeLarge(statement: Statement, values: readonly SqlValue[], party = statement.party): Promise<Row[]> {
    const config = this.#named(statement.text, values as SqlValue[])
    return this.#run(this.#backgroundTurns, party, config, (client) => rowsOf(client, config))
  }

  /** What the database does with a large value takes a processor for a tenth of a second: others go first. */
  #turnsFor({ values = [] }: pg.QueryConfig): Lending {
    return hasLargeValue(values as SqlValue[]) ? this.#backgroundTurns : this.#pointTurns
  }

  /**
   * Runs a query of unknown cost on connections of its own. Collects rows up to MAX_RESULT_BYTES; then the database is
   * told to stop, so that the rest is neither read nor sent. So it is when the party has gone away.
   * @param sizeOf bytes of a row that has come. What it throws ends the query in the same way
   * @param begin called before the query is sent, when it is its turn. What it throws keeps it from being sent
   */
  async search(
    statement: Sql,
    party?: Party,
    sizeOf: (row: Row) => number = () => 0,
    begin?: () => void,
  ): Promise<SearchResult> {
    const config = this.#prepare(statement)
    return this.#run(this.#queryTurns, party ?? partyOf(config), config, async (client) => {
      begin?.()
      // Which index serves it, if any, depends on how rare its values are.
      await connectionOf(client).plan('each time')
      const started = performance.now()
      const rows = await collectRows(client, config, sizeOf, party, () => this.#stop(client))
      return { rows, milliseconds: performance.now() - started }
    })
  }

  /**
   * Runs a query of unknown cost that is served by the same indexes whatever its values are, and runs so often that to plan
   * it each time would take as long as to run it. All its rows are kept: the statement itself says how many there can be.
   */
  async searchPlanned(statement: Sql): Promise<Row[]> {
    const config = this.#prepare(statement)
    return this.#run(this.#queryTurns, partyOf(config), config, async (client) => {
      await connectionOf(client).plan('once')
      return rowsOf(client, config)
    })
  }

  /** Runs `work` in one transaction on one connection. */
  transaction<T>(work: (transaction: Transaction) => Promise<T>, party: Party = SERVER): Promise<T> {
    return this.#transact(this.#pointTurns, work, party)
  }

  /**
   * The same for work that may take its time: where processors are few, the database does what others wait for first.
   * @param inPieces whether others are to have the processor while rows are copied
   */
  backgroundTransaction<T>(work: (transaction: Transaction) => Promise<T>, party: Party, inPieces = false): Promise<T> {
    return this.#transact(this.#backgroundTurns, work, party, inPieces)
  }

  async #transact<T>(
    turns: Lending,
    work: (transaction: Transaction) => Promise<T>,
    party: Party,
    inPieces = false,
  ): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const client = await turns.lend(party)
      let broken: Error | undefined
      const afterwards: (() => void)[] = []
      try {
        await client.query('BEGIN')
        const result = await work({
          query: (statement) => rowsOf(client, toQuery(statement)),
          copy: (statement, rows) => copyInto(client, toQuery(statement).text, rows, inPieces),
          afterCommit: (work) => void afterwards.push(work),
        })
        await client.query('COMMIT')
        for (const work of afterwards) work()
        return result
      } catch (error) {
        await client.query('ROLLBACK').catch((lost) => {
          broken = lost
        })
        this.#space.note(error)
        if (isReadOnly(error)) broken = error as Error
        if (!isDeadlock(error) || attempt === 5) throw error
      } finally {
        turns.giveBack(client, party, broken ?? false)
      }
    }
  }

  /**
   * A connection without a time limit, for migrations, index builds and exports. The caller ends it.
   * @param rank `background`, for what takes its time: as those of `backgroundTransaction`
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
        if (attempt === 1) this.#pointTurns.makeRoom()
        await sleep(PAUSE)
      }
    }
  }

  /** Proves that the database accepts new connections (`connection-proof.ts`). @throws what connecting fails with */
  proveConnection(): Promise<void> {
    return this.#proof.give()
  }

  /** Statements that wait for a free connection. */
  get waiting(): number {
    return this.#pointTurns.waiting + this.#queryTurns.waiting + this.#backgroundTurns.waiting
  }

  async close(): Promise<void> {
    this.#space.stop()
    this.#pointTurns.stop()
    this.#queryTurns.stop()
    this.#backgroundTurns.stop()
    await Promise.all([this.#points.end(), this.#queries.end(), this.#background.end()])
    for (const stopWatch of this.#watches) stopWatch()
    this.#servers.stop()
  }

  /** Whether a write failed for want of disk space, and none has been found since. */
  get isDiskFull(): boolean {
    return this.#space.full
  }

  #pool(max: number, settings: Readonly<Record<string, string>>): pg.Pool {
    // The pool hands its options to the class of its connections, which its type does not know.
    const Client = Connection as unknown as new () => pg.ClientBase
    const options = { ...this.#options('homeport', settings), Client, max, idleTimeoutMillis: 60_000 }
    const pool = new pg.Pool(options)
    // A lost connection fails the statement that is under way on it, and is replaced at its next use. The event says it
    // once more of an idle one, and without a listener would end the process.
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

  /** Ends what is under way on a connection, which has to be held until this is done. Where it fails, the rest comes. */
  async #stop(client: pg.PoolClient): Promise<void> {
    await this.query(sql`SELECT pg_cancel_backend(${connectionOf(client).backend}::integer)`).catch(() => {})
  }

  #prepare(statement: Sql): pg.QueryConfig {
    const { text, values } = toQuery(statement)
    return this.#named(text, values)
  }

  #named(text: string, values: SqlValue[]): pg.QueryConfig {
    const name = this.#prepared.nameOf(text)
    return name === undefined ? { text, values } : { name, text, values }
  }

  /**
   * Lends a connection for a statement. It is given up when it broke, or holds too many prepared statements: an error that
   * the database reports leaves it as good as before, and a new one costs much more than a statement.
   */
  async #run<T>(
    turns: Lending,
    party: Party,
    { name, text }: pg.QueryConfig,
    work: (client: pg.PoolClient) => Promise<T>,
  ): Promise<T> {
    const client = await turns.lend(party)
    let broken: Error | boolean = false
    try {
      return await work(client)
    } catch (error) {
      this.#space.note(error)
      if (isLost(error)) broken = error as Error
      throw error
    } finally {
      turns.giveBack(client, party, broken || (name !== undefined && this.#statements.note(client, name, text)))
    }
  }
}

async function rowsOf(client: pg.ClientBase, config: pg.QueryConfig): Promise<Row[]> {
  const isLarge = hasLargeValue((config.values ?? []) as SqlValue[])
  return (await (isLarge ? queryInPieces(client, config) : client.query(config))).rows
}

function partyOf({ text }: pg.QueryConfig): Party {
  return appItself(appOfStatement(text))
}
