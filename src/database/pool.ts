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

export type { ConnectionSettings } from './pools.ts'

export interface SearchResult {
  readonly rows: Row[]
  /** How long the database took, without the wait for a connection. */
  readonly milliseconds: number
}

/** What statements are given to: the database, where each commits by itself, or a transaction. */
export interface Executor {
  /** @param principal charged where each statement waits for a connection; that of the database handle when omitted */
  query(statement: Sql, principal?: Principal): Promise<Row[]>
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
 * The connections to PostgreSQL. Statements wait for them in a fair queue (`connection-queue.ts`) and are charged to the
 * caller that is named with a statement, else to the app that this handle was made for (`forApp`), else to the server. What waits too long for one
 * fails with ApiError 429 or 503.
 */
export class Database implements Executor {
  readonly #pools: Pools
  readonly #principal: Principal

  /**
   * @param opened options of a database to open, or the pools of one that is open
   * @param principal charged for statements that name no caller
   */
  constructor(opened: DatabaseOptions | Pools, principal: Principal = SERVER) {
    this.#pools = opened instanceof Pools ? opened : new Pools(opened)
    this.#principal = principal
  }

  /** Returns this database with the app as the principal of statements that name no caller. */
  forApp(appId: string): Database {
    return new Database(this.#pools, appPrincipal(appId))
  }

  /** Runs one statement that ends at once. A statement that lost a deadlock changed nothing and is run again. */
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

  /** Runs a statement whose text was made ahead, for the few that make up most of the traffic. */
  async execute(statement: Statement, values: readonly SqlValue[], principal = this.#principal): Promise<Row[]> {
    const config = this.#named(statement.text, values as SqlValue[], principal)
    return this.#run(this.#queueFor(config), principal, config, (client) => rowsOf(client, config))
  }

  /** The same where a row is large: what the database does with it takes as long as with a large value. */
  async executeLarge(statement: Statement, values: readonly SqlValue[], principal = this.#principal): Promise<Row[]> {
    const config = this.#named(statement.text, values as SqlValue[], principal)
    return this.#run(this.#pools.background, principal, config, (client) => rowsOf(client, config))
  }

  /** What the database does with a large value takes a processor for a tenth of a second: others go first. */
  #queueFor({ values = [] }: pg.QueryConfig): ConnectionQueue {
    return hasLargeValue(values as SqlValue[]) ? this.#pools.background : this.#pools.points
  }

  /**
   * Runs a query of unknown cost on connections of its own. Collects rows up to MAX_RESULT_BYTES; then the database is
   * told to stop, so that the rest is neither read nor sent. So it is when the client has disconnected.
   * @param sizeOf bytes of a row that has come. What it throws ends the query in the same way
   * @param begin called before the query is sent, when it is its turn. What it throws keeps it from being sent
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
      // Which index serves it, if any, depends on how rare its values are.
      await connectionOf(client).plan('each time')
      const started = performance.now()
      const rows = await collectRows(client, config, sizeOf, principal, () => this.#stop(client))
      return { rows, milliseconds: performance.now() - started }
    })
  }

  /**
   * Runs a query of unknown cost that is served by the same indexes whatever its values are, and runs so often that to plan
   * it each time would take as long as to run it. All its rows are kept: the statement itself says how many there can be.
   */
  async searchPlanned(statement: Sql, principal = this.#principal): Promise<Row[]> {
    const config = this.#prepare(statement, principal)
    return this.#run(this.#pools.queries, principal, config, async (client) => {
      await connectionOf(client).plan('once')
      return rowsOf(client, config)
    })
  }

  /**
   * Runs `work` in one transaction on one connection.
   * @param principal the server when omitted, and not the app: the work may need another connection, as to make a class, which the
   *   share of an app that is full of transactions would keep from it
   */
  transaction<T>(work: (transaction: Transaction) => Promise<T>, principal: Principal = SERVER): Promise<T> {
    return this.#transact(this.#pools.points, work, principal)
  }

  /**
   * The same for work that may take its time: where processors are few, the database does what others wait for first.
   * @param inPieces whether others are to have the processor while rows are copied
   */
  backgroundTransaction<T>(
    work: (transaction: Transaction) => Promise<T>,
    principal: Principal,
    inPieces = false,
  ): Promise<T> {
    return this.#transact(this.#pools.background, work, principal, inPieces)
  }

  async #transact<T>(
    queue: ConnectionQueue,
    work: (transaction: Transaction) => Promise<T>,
    principal: Principal,
    inPieces = false,
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
   * A connection without a time limit, for migrations, index builds and exports. The caller ends it.
   * @param rank `background`, for what takes its time: as those of `backgroundTransaction`
   */
  dedicated(rank: 'usual' | 'background'): Promise<pg.Client> {
    return this.#pools.dedicated(rank)
  }

  /** Proves that the database accepts new connections (`connection-proof.ts`). @throws what connecting fails with */
  proveConnection(): Promise<void> {
    return this.#pools.proveConnection()
  }

  /** Statements that wait for a free connection. */
  get waiting(): number {
    return this.#pools.waiting
  }

  close(): Promise<void> {
    return this.#pools.close()
  }

  /** Whether a write failed for want of disk space, and none has been found since. */
  get isDiskFull(): boolean {
    return this.#pools.space.full
  }

  /** Ends what is under way on a connection, which has to be held until this is done. Where it fails, the rest comes. */
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
   * Checks a connection out for a statement. It is closed when it broke, or holds too many prepared statements: an error that
   * the database reports leaves it as good as before, and a new one costs much more than a statement.
   */
  async #run<T>(
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
