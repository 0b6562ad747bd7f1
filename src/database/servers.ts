import pg from 'pg'
import type { DatabaseSettings, ServerAddress } from './database-url.ts'
import { NotWritable } from './faults.ts'

/** Maximum milliseconds for a server to report whether it accepts writes. */
const TIMEOUT_MS = 1500

/** Milliseconds between two checks of the server in use. */
const CHECK_INTERVAL_MS = 1000

/** A connection that is cut if it leads to a server that is no longer in use. */
interface Line {
  readonly server: ServerAddress
  cut(): void
}

/**
 * The servers of one database, of which one accepts writes. That one is found when needed, by querying all servers at once, so
 * that a dead server delays no caller. With a single server there is no choice.
 */
export class Servers {
  readonly #settings: DatabaseSettings
  readonly #lines = new Set<Line>()
  /** The server that was found last, unless doubted since. */
  #current: ServerAddress | undefined
  #search: Promise<ServerAddress> | undefined
  #watch: NodeJS.Timeout | undefined

  constructor(settings: DatabaseSettings) {
    this.#settings = settings
    if (settings.servers.length === 1) this.#current = settings.servers[0]
    else this.#watch = setInterval(() => void this.#look(), CHECK_INTERVAL_MS).unref()
  }

  /** The settings common to connections to all servers. */
  get config(): pg.ClientConfig {
    return this.#settings.config
  }

  /** Returns the server to connect to. @throws Error when none accepts writes */
  async choose(): Promise<ServerAddress> {
    if (this.#current) return this.#current
    this.#search ??= this.#find().finally(() => {
      this.#search = undefined
    })
    return this.#search
  }

  /**
   * Reports that a connection to the server failed or broke, or that it accepts no writes: the next connection begins with a
   * search.
   */
  doubt(server: ServerAddress): void {
    if (this.#settings.servers.length > 1 && server === this.#current) this.#current = undefined
  }

  /** Registers a new connection. @returns a function to call when it has ended */
  note(line: Line): () => void {
    this.#lines.add(line)
    return () => this.#lines.delete(line)
  }

  stop(): void {
    clearInterval(this.#watch)
  }

  async #find(): Promise<ServerAddress> {
    const answers = this.#settings.servers.map(async (server) => {
      if (!(await this.#takesWrites(server))) throw new NotWritable()
      return server
    })
    let found: ServerAddress
    try {
      found = await Promise.any(answers)
    } catch (error) {
      const { errors } = error as AggregateError
      throw errors.find((reason) => reason instanceof NotWritable) ?? errors[0]
    }
    this.#current = found
    // Connections to a server that vanished silently would make their callers wait for it.
    for (const line of this.#lines) if (line.server !== found) line.cut()
    return found
  }

  async #takesWrites(server: ServerAddress): Promise<boolean> {
    const client = new pg.Client({ ...this.config, ...server, connectionTimeoutMillis: TIMEOUT_MS })
    client.on('error', () => {})
    const silence = setTimeout(() => client.connection.stream.destroy(), TIMEOUT_MS)
    try {
      await client.connect()
      const { rows } = await client.query(`SELECT current_setting('transaction_read_only') AS read_only`)
      return rows[0].read_only === 'off'
    } finally {
      clearTimeout(silence)
      void client.end()
    }
  }

  /** Detects that the server in use vanished silently or became a standby. */
  async #look(): Promise<void> {
    const server = this.#current
    if (!server || this.#lines.size === 0 || (await this.#takesWrites(server).catch(() => false))) return
    this.doubt(server)
    await this.choose().catch(() => {})
  }
}
