import pg from 'pg'
import { endDeadConnections } from './dead-connections.ts'
import { isDeadlock, isReadOnly, isTimeout } from './faults.ts'
import { ConnectionStatements, PreparedStatements } from './prepared-statements.ts'
import { type Sql, type SqlValue, sql, toQuery } from './sql.ts'

export type Row = Record<string, string | number | boolean | null | readonly string[]>
export type ConnectionSettings = pg.ClientConfig

export interface DatabaseOptions {
  readonly connection: ConnectionSettings
  /** Connections for statements that end at once: reads and writes of single objects. */
  readonly maxConnections: number
  /** Connections for queries, kept apart so that slow ones never hold up reads and writes of single objects. */
  readonly maxQueryConnections: number
  /** Milliseconds after which the database ends a statement (error 124). */
  readonly statementTimeout: number
}

/** How long to wait for a connection, and for the end of a statement that has run out of its time, in milliseconds. */
const CONNECT_PATIENCE = 5000
const STATEMENT_PATIENCE = 3000

const BOOLEAN = 16
const INTEGERS = new Set([20, 21, 23])
const TEXT_ARRAY = 1009
const parseTextArray = pg.types.getTypeParser(TEXT_ARRAY as never)

/** Values stay the text that the database sent, JSON above all: most of it goes on to the socket unread. */
const plainTypes: pg.CustomTypesConfig = {
  getTypeParser: (type: number) => {
    if (type === BOOLEAN) return (text: string) => text === 't'
    if (INTEGERS.has(type)) return Number
    if (type === TEXT_ARRAY) return parseTextArray
    return (text: string) => text
  },
}

/** Rows larger than this in sum are not collected (spec/rest-details, 7.1: results beyond 6 MB are cut off). */
export const MAX_RESULT_BYTES = 6 * 1024 * 1024

/** A statement with `$1`, `$2`, … whose text never changes. */
export class Statement {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export interface SearchResult {
  readonly rows: Row[]
  /** How long the database took, without the wait for a connection. */
  readonly milliseconds: number
}

/** What statements are given to: the database, where each commits by itself, or a transaction. */
export interface Executor {
  query(statement: Sql): Promise<Row[]>
  /** Does something when what has been written so far is committed, and never if it is not: at once outside a transaction. */
  afterCommit(work: () => void): void
}

/** The connections to PostgreSQL. */
export class Database implements Executor {
  readonly #points: pg.Pool
  readonly #queries: pg.Pool
  readonly #prepared = new PreparedStatements()
  readonly #connections = new WeakMap<pg.ClientBase, ConnectionStatements>()
  /** The database's own number of the process behind each connection for queries, whatever stands in between. */
  readonly #backends = new WeakMap<pg.ClientBase, number>()
  readonly #watches: readonly (() => void)[]
  readonly connection: ConnectionSettings

  constructor(options: DatabaseOptions) {
    this.connection = {
      ...options.connection,
      options: '-c search_path=homeport,public -c timezone=UTC -c datestyle=ISO',
    }
    const shared = {
      ...this.connection,
      types: plainTypes,
      statement_timeout: options.statementTimeout,
      connectionTimeoutMillis: CONNECT_PATIENCE,
      idleTimeoutMillis: 60_000,
      application_name: 'homeport',
    }
    this.#points = new pg.Pool({ ...shared, max: options.maxConnections })
    this.#queries = new pg.Pool({
      ...shared,
      // Each query is planned for its own values: which index serves it, if any, depends on how rare they are.
      options: `${shared.options} -c plan_cache_mode=force_custom_plan`,
      max: options.maxQueryConnections,
      onConnect: async (client) => {
        const { rows } = await client.query('SELECT pg_backend_pid() AS backend')
        this.#backends.set(client, rows[0].backend)
      },
    })
    for (const pool of [this.#points, this.#queries]) {
      // A lost connection fails the statement that is under way on it, and is replaced at its next use. The event says it
      // once more, and without a listener would end the process: on the pool for idle connections, on others themselves.
      pool.on('error', () => {})
      pool.on('connect', (client) => client.on('error', () => {}))
    }
    const limit = options.statementTimeout + STATEMENT_PATIENCE
    this.#watches = [this.#points, this.#queries].map((pool) => endDeadConnections(pool, limit))
  }

  /** Runs one statement that ends at once. A statement that lost a deadlock changed nothing and is run again. */
  async query(statement: Sql): Promise<Row[]> {
    const config = this.#prepare(statement)
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#run(this.#points, config, async (client) => (await client.query(config)).rows)
      } catch (error) {
        if (!isDeadlock(error) || attempt === 5) throw error
      }
    }
  }

  afterCommit(work: () => void): void {
    work()
  }

  /** Runs a statement whose text was made ahead, for the few that make up most of the traffic. */
  async execute(statement: Statement, values: readonly SqlValue[]): Promise<Row[]> {
    const config = this.#named(statement.text, values as SqlValue[])
    return this.#run(this.#points, config, async (client) => (await client.query(config)).rows)
  }

  /**
   * Runs a query of unknown cost on connections of its own. Collects rows up to MAX_RESULT_BYTES; then the database is
   * told to stop, so that the rest is neither read nor sent.
   */
  async search(statement: Sql, sizeOf: (row: Row) => number = () => 0): Promise<SearchResult> {
    const config = this.#prepare(statement)
    return this.#run(this.#queries, config, async (client) => {
      const started = performance.now()
      const rows = await collect(client, config, sizeOf, () => this.#stop(client))
      return { rows, milliseconds: performance.now() - started }
    })
  }

  /** Runs `work` in one transaction on one connection. */
  async transaction<T>(work: (transaction: Executor) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const client = await this.#points.connect()
      let broken: Error | undefined
      const afterwards: (() => void)[] = []
      try {
        await client.query('BEGIN')
        const result = await work({
          query: async (statement) => (await client.query(toQuery(statement) as pg.QueryConfig)).rows,
          afterCommit: (work) => void afterwards.push(work),
        })
        await client.query('COMMIT')
        for (const work of afterwards) work()
        return result
      } catch (error) {
        await client.query('ROLLBACK').catch((lost) => {
          broken = lost
        })
        if (isReadOnly(error)) broken = error as Error
        if (!isDeadlock(error) || attempt === 5) throw error
      } finally {
        client.release(broken)
      }
    }
  }

  /** A connection without a time limit, for migrations, index builds and exports. The caller ends it. */
  async dedicated(): Promise<pg.Client> {
    const client = new pg.Client({
      ...this.connection,
      types: plainTypes,
      connectionTimeoutMillis: CONNECT_PATIENCE,
      application_name: 'homeport-background',
    })
    client.on('error', () => {})
    await client.connect()
    return client
  }

  /** Statements that wait for a free connection. */
  get waiting(): number {
    return this.#points.waitingCount + this.#queries.waitingCount
  }

  async close(): Promise<void> {
    await Promise.all([this.#points.end(), this.#queries.end()])
    for (const stopWatch of this.#watches) stopWatch()
  }

  /** Ends what is under way on a connection, which has to be held until this is done. Where it fails, the rest comes. */
  async #stop(client: pg.PoolClient): Promise<void> {
    const backend = this.#backends.get(client)
    if (backend === undefined) return
    await this.query(sql`SELECT pg_cancel_backend(${backend}::integer)`).catch(() => {})
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
    pool: pg.Pool,
    { name, text }: pg.QueryConfig,
    work: (client: pg.PoolClient) => Promise<T>,
  ): Promise<T> {
    const client = await pool.connect()
    let broken: Error | boolean = false
    try {
      return await work(client)
    } catch (error) {
      if (isLost(error)) broken = error as Error
      throw error
    } finally {
      client.release(broken || (name !== undefined && this.#noteStatement(client, name, text)))
    }
  }

  /** @returns whether the connection is to be closed */
  #noteStatement(client: pg.ClientBase, name: string, text: string): boolean {
    let statements = this.#connections.get(client)
    if (!statements) {
      statements = new ConnectionStatements()
      this.#connections.set(client, statements)
    }
    statements.note(name, text)
    return statements.isFull
  }
}

/** Whether a connection is of no more use: it broke, or leads to a server that takes no writes. */
function isLost(error: unknown): boolean {
  return !(error instanceof pg.DatabaseError) || error.severity === 'FATAL' || isReadOnly(error)
}

function collect(
  client: pg.PoolClient,
  config: pg.QueryConfig,
  sizeOf: (row: Row) => number,
  stop: () => Promise<void>,
): Promise<Row[]> {
  return new Promise((resolve, reject) => {
    const rows: Row[] = []
    let size = 0
    let stopping: Promise<void> | undefined
    // A connection that is lent anew while its cancellation is under way would lose the next statement.
    const finish = () => (stopping ? void stopping.then(() => resolve(rows)) : resolve(rows))
    const query = client.query(new pg.Query(config))
    query.on('row', (row: Row) => {
      if (stopping) return
      size += sizeOf(row)
      if (size <= MAX_RESULT_BYTES || rows.length === 0) rows.push(row)
      else stopping = stop()
    })
    query.on('end', finish)
    query.on('error', (error) => (stopping && isTimeout(error) ? finish() : reject(error)))
  })
}
