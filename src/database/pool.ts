import type pg from 'pg'
import { appPrincipal, type Principal, SERVER } from '../scheduling/principal.ts'
import { collectRows } from './collect-rows.ts'
import { connectionOf } from './connection.ts'
import type { ConnectionQueue } from './connection-queue.ts'
import { copyInto } from './copy.ts'
import { isDeadlock, isLost, isReadOnly } from './faults.ts'
import { hasLargeValue, queryInPieces } from './large-values.ts'
import { type DatabaseOptions, Pools } from './pools.ts'
import type { Row } from './row.ts'
import { type Sql, type SqlValue, sql, toQuery } from './sql.ts'
import type { Statement } from './statement.ts'
import { tracedStatement, tracedTransaction } from './traced-statement.ts'

export type { ConnectionSettings } from './pools.ts'

export interface SearchResult {
  readonly rows: Row[]
  /** How long the database took, without the wait for a connection. */
  readonly milliseconds: number
}

/** Runs statements: the database, where each statement commits immediately, or a transaction. */
export interface Executor {
  /** Runs a statement. @param principal charged when it waits for a connection; that of the database handle when omitted */
  query(statement: Sql, principal?: Principal): Promise<Row[]>
  /** Calls `work` after the writes so far are committed, and never if they are not; at once outside a transaction. */
  afterCommit(work: () => void): void
}

/** A transaction, whose statements commit together. */
export interface Transaction extends Executor {
  /**
   * Runs `COPY … FROM STDIN`, which stores many rows in a third of the time.
   * @param rows in the text format of COPY (`copy.ts`), bytes as UTF-8
   */
  copy(statement: Sql, rows: string | Uint8Array): Promise<void>
}

/**
 * The connections to PostgreSQL. Statements wait for them in a fair queue (`connection-queue.ts`). They are charged to the caller
 * named with the statement, else to the app of this handle (`forApp`), else to the server. A statement that waits too long for a
 * connection fails with ApiError 429 or 503.
 */
export class Database implements Executor {
  readonly #pools: Pools
  readonly #principal: Principal

  /**
   * @param opened options of a database to open, or the pools of an open one
   * @param principal charged for statements that name no caller
   */
  constructor(opened: DatabaseOptions | Pools, principal: Principal = SERVER) {
    this.#pools = opened instanceof Pools ? opened : new Pools(opened)
    this.#principal = principal
  }

  /** Returns a handle of this database that charges the app for statements that name no caller. */
  forApp(appId: string): Database {
    return new Database(this.#pools, appPrincipal(appId))
  }

  /** Runs one short statement. A statement that lost a deadlock changed nothing and is retried. */
  async query(statement: Sql, principal = this.#principal): Promise<Row[]> {
    const config = this.#prepare(statement, principal)
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#run(this.#queueFor(config), principal, config, (client) => rowsOf(client, config))
      } catch (error) {
        if (!isDeadlock(error) || attempt === 5) throw error
      }
    }
  }

  afterCommit(work: () => void): void {
    work()
  }

  /** Runs a statement whose text was prepared in advance, for the few that make up most of the traffic. */
  async execute(statement: Statement, values: readonly SqlValue[], principal = this.#principal): Promise<Row[]> {
    const config = this.#named(statement.text, values as SqlValue[], principal)
    return this.#run(this.#queueFor(config), principal, config, (client) => rowsOf(client, config))
  }

  /** Runs such a statement for a large row, which keeps the database busy as long as a large value does. */
  async executeLarge(statement: Statement, values: readonly SqlValue[], principal = this.#principal): Promise<Row[]> {
    const config = this.#named(statement.text, values as SqlValue[], principal)
    return this.#run(this.#pools.background, principal, config, (client) => rowsOf(client, config))
  }

  /**
   * Returns the queue of a statement. A large value keeps a processor of the database busy for a tenth of a second, so other
   * statements go first.
   */
  #queueFor({ values = [] }: pg.QueryConfig): ConnectionQueue {
    return hasLargeValue(values as SqlValue[]) ? this.#pools.background : this.#pools.points
  }

  /**
   * Runs a query of unknown cost on connections of its own. Collects rows up to MAX_RESULT_BYTES, then cancels the query, so that
   * the rest is neither read nor sent. The query is also canceled when the client disconnects.
   * @param sizeOf returns the bytes of a received row. An error it throws cancels the query
   * @param begin called when the query has a connection, before it is sent. If it throws, the query is not sent
   */
  async search(
    statement: Sql,
    principal = this.#principal,
    sizeOf: (row: Row) => number = () => 0,
    begin?: () => void,
  ): Promise<SearchResult> {
    const config = this.#prepare(statement, principal)
    return this.#run(this.#pools.queries, principal, config, async (client) => {
      begin?.()
      // Which index serves the query, if any, depends on how rare its values are.
      await connectionOf(client).plan('each time')
      const started = performance.now()
      const rows = await collectRows(client, config, sizeOf, principal, () => this.#stop(client))
      return { rows, milliseconds: performance.now() - started }
    })
  }

  /**
   * Runs a query of unknown cost that is served by the same indexes for all values, and runs so often that planning it each time
   * would take as long as running it. All rows are returned: the statement itself limits them.
   */
  async searchPlanned(statement: Sql, principal = this.#principal): Promise<Row[]> {
    const config = this.#prepare(statement, principal)
    return this.#run(this.#pools.queries, principal, config, async (client) => {
      await connectionOf(client).plan('once')
      return rowsOf(client, config)
    })
  }

  /**
   * Runs `work` in one transaction on one connection. A transaction that lost a deadlock is retried.
   * @param principal the server when omitted, and not the app: the work may need another connection, for example to create a
   * class, which it could not get when the app's share is full of transactions
   */
  transaction<T>(work: (transaction: Transaction) => Promise<T>, principal: Principal = SERVER): Promise<T> {
    return this.#transact(this.#pools.points, work, principal)
  }

  /**
   * Runs `work` in a transaction of low priority: where processors are scarce, the database serves other connections first.
   * @param inPieces whether to pause while rows are copied, so that other work gets the processor
   */
  backgroundTransaction<T>(
    work: (transaction: Transaction) => Promise<T>,
    principal: Principal,
    inPieces = false,
  ): Promise<T> {
    return this.#transact(this.#pools.background, work, principal, inPieces)
  }

  #transact<T>(
    queue: ConnectionQueue,
    work: (transaction: Transaction) => Promise<T>,
    principal: Principal,
    inPieces = false,
  ): Promise<T> {
    return tracedTransaction(() => this.#transactOn(queue, work, principal, inPieces))
  }

  async #transactOn<T>(
    queue: ConnectionQueue,
    work: (transaction: Transaction) => Promise<T>,
    principal: Principal,
    inPieces: boolean,
  ): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const client = await queue.checkout(principal)
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
        this.#pools.space.note(error)
        if (isReadOnly(error)) broken = error as Error
        if (!isDeadlock(error) || attempt === 5) throw error
      } finally {
        queue.release(client, principal, broken ?? false)
      }
    }
  }

  /**
   * Opens a connection without a time limit, for migrations, index builds and exports. The caller ends it.
   * @param rank `background` for low priority, as that of `backgroundTransaction`
   */
  dedicated(rank: 'usual' | 'background'): Promise<pg.Client> {
    return this.#pools.dedicated(rank)
  }

  /** Proves that the database accepts new connections (`connection-proof.ts`). @throws the error of connecting */
  proveConnection(): Promise<void> {
    return this.#pools.proveConnection()
  }

  /** The number of statements waiting for a connection. */
  get waiting(): number {
    return this.#pools.waiting
  }

  close(): Promise<void> {
    return this.#pools.close()
  }

  /** Whether a write failed for lack of disk space, and no space has been found since. */
  get isDiskFull(): boolean {
    return this.#pools.space.full
  }

  /**
   * Cancels the statement running on a connection, which must be held until this is done. If it fails, the remaining rows arrive.
   */
  async #stop(client: pg.PoolClient): Promise<void> {
    await this.query(sql`SELECT pg_cancel_backend(${connectionOf(client).backend}::integer)`, SERVER).catch(() => {})
  }

  #prepare(statement: Sql, principal: Principal): pg.QueryConfig {
    const { text, values } = toQuery(statement)
    return this.#named(text, values, principal)
  }

  #named(text: string, values: SqlValue[], principal: Principal): pg.QueryConfig {
    const name = this.#pools.prepared.nameOf(text, principal.app)
    return name === undefined ? { text, values } : { name, text, values }
  }

  /**
   * Checks out a connection for a statement. It is closed if it broke or holds too many prepared statements. After an error that
   * the database reports it is reused, because opening a new one costs much more than a statement.
   */
  #run<T>(
    queue: ConnectionQueue,
    principal: Principal,
    config: pg.QueryConfig,
    work: (client: pg.PoolClient) => Promise<T>,
  ): Promise<T> {
    return tracedStatement(config.text, () => this.#runOn(queue, principal, config, work))
  }

  async #runOn<T>(
    queue: ConnectionQueue,
    principal: Principal,
    { name, text }: pg.QueryConfig,
    work: (client: pg.PoolClient) => Promise<T>,
  ): Promise<T> {
    const client = await queue.checkout(principal)
    let broken: Error | boolean = false
    try {
      return await work(client)
    } catch (error) {
      this.#pools.space.note(error)
      if (isLost(error)) broken = error as Error
      throw error
    } finally {
      queue.release(
        client,
        principal,
        broken || (name !== undefined && this.#pools.statements.note(client, name, text)),
      )
    }
  }
}

async function rowsOf(client: pg.ClientBase, config: pg.QueryConfig): Promise<Row[]> {
  const isLarge = hasLargeValue((config.values ?? []) as SqlValue[])
  return (await (isLarge ? queryInPieces(client, config) : client.query(config))).rows
}
