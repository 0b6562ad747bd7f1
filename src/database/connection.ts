import pg from 'pg'
import type { ServerAddress } from './database-url.ts'
import { NotWritable } from './faults.ts'
import type { Servers } from './servers.ts'

export interface ConnectionOptions extends pg.ClientConfig {
  readonly servers: Servers
  /** Settings applied to each connection before it is used. */
  readonly settings: Readonly<Record<string, string>>
}

/**
 * How prepared statements are planned: for the values of each run, or once for all runs. A generic plan may have been made while
 * tables were empty, so it uses the existing indexes regardless of table sizes.
 */
const PLANNING = {
  'each time': 'SET plan_cache_mode = force_custom_plan; SET enable_seqscan = on',
  once: 'SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off',
} as const

export type Planning = keyof typeof PLANNING

/**
 * A connection to the server that accepts writes. Its settings are applied after it is open, because poolers such as PgBouncer do
 * not accept them as startup options. A connection whose setup failed, or that leads to a standby, is never used. A database made
 * read-only is still used, so that reads continue.
 */
export class Connection extends pg.Client {
  readonly #servers: Servers
  readonly #settings: Readonly<Record<string, string>>
  readonly #timeoutMs: number
  #server: ServerAddress | undefined
  #backend = 0
  #planning: Planning | undefined

  constructor({ servers, settings, ...config }: ConnectionOptions) {
    super({ ...config, ...servers.config })
    this.#servers = servers
    this.#settings = settings
    this.#timeoutMs = config.connectionTimeoutMillis ?? 0
    // The running statement fails with the error; without a listener the event would end the process.
    this.on('error', () => this.#server && servers.doubt(this.#server))
  }

  /** Process id of the database backend, also behind a pooler. */
  get backend(): number {
    return this.#backend
  }

  /** Sets how the following statements are planned. */
  async plan(planning: Planning): Promise<void> {
    if (this.#planning === planning) return
    this.#planning = undefined
    await this.query(PLANNING[planning])
    this.#planning = planning
  }

  /** Closes the socket without a terminate message, because no response is expected. */
  cut(): void {
    this.connection.stream.destroy()
  }

  /** Connects and applies the settings. @throws NotWritable when the server is a standby */
  override connect(): Promise<this>
  override connect(callback: (error: Error | null, client?: this) => void): void
  override connect(callback?: (error: Error | null, client?: this) => void): Promise<this> | undefined {
    const connected = this.#connect()
    if (!callback) return connected
    connected.then(() => callback(null, this), callback)
  }

  async #connect(): Promise<this> {
    const server = await this.#servers.choose()
    this.#server = server
    // When the URL names no host or port, pg has applied its defaults.
    this.host = server.host ?? this.host
    this.port = server.port ?? this.port
    const forget = this.#servers.note({ server, cut: () => this.cut() })
    const silence = this.#timeoutMs > 0 ? setTimeout(() => this.cut(), this.#timeoutMs) : undefined
    try {
      await super.connect()
      await this.#setUp()
    } catch (error) {
      forget()
      this.#servers.doubt(server)
      void this.end()
      throw error
    } finally {
      clearTimeout(silence)
    }
    this.once('end', forget)
    return this
  }

  async #setUp(): Promise<void> {
    const names = Object.keys(this.#settings)
    const set = names.map((_, index) => `set_config($${2 * index + 1}, $${2 * index + 2}, false)`)
    const { rows } = await this.query({
      text: `SELECT ${[...set, 'pg_backend_pid()', 'pg_is_in_recovery()'].join(', ')}`,
      values: Object.entries(this.#settings).flat(),
      rowMode: 'array',
    })
    const [backend, isStandby] = rows[0]!.slice(-2)
    if (isStandby) throw new NotWritable()
    this.#backend = Number(backend)
  }
}

/** Returns a pool's client as a `Connection`: the pools are created with this class. */
export function connectionOf(client: pg.PoolClient): Connection {
  return client as pg.PoolClient & Connection
}
