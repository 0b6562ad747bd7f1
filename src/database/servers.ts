import pg from 'pg'
import type { DatabaseSettings, ServerAddress } from './database-url.ts'
import { NotWritable } from './faults.ts'

/** How long a server may take to answer whether it takes writes, in milliseconds. */
const PATIENCE = 1500

/** How often the server in use is asked whether it is still there, in milliseconds. */
const GLANCE = 1000

/** What is to be cut when it leads to a server that is no longer the one in use. */
interface Line {
  readonly server: ServerAddress
  cut(): void
}

/**
 * The servers of one database, of which one takes writes: which it is, is found out when there is need, by asking all of
 * them at once. So one that is dead makes nobody wait. With one server alone there is nothing to choose.
 */
export class Servers {
  readonly #settings: DatabaseSettings
  readonly #lines = new Set<Line>()
  /** The one that was found last and has given no reason for doubt since. */
  #current: ServerAddress | undefined
  #search: Promise<ServerAddress> | undefined
  #watch: NodeJS.Timeout | undefined

  constructor(settings: DatabaseSettings) {
    this.#settings = settings
    if (settings.servers.length === 1) this.#current = settings.servers[0]
    else this.#watch = setInterval(() => void this.#look(), GLANCE).unref()
  }

  /** What holds for connections to all of them. */
  get config(): pg.ClientConfig {
    return this.#settings.config
  }

  /** The server to connect to. @throws Error when none takes writes */
  async choose(): Promise<ServerAddress> {
    if (this.#current) return this.#current
    this.#search ??= this.#find().finally(() => {
      this.#search = undefined
    })
    return this.#search
  }

  /** A connection to it failed or broke, or it takes no writes: the next one begins with a search. */
  doubt(server: ServerAddress): void {
    if (this.#settings.servers.length > 1 && server === this.#current) this.#current = undefined
  }

  /** A connection that begins. @returns what is to be called when it has ended */
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
    // A server that vanished without a word leaves connections on which everybody would wait for it.
    for (const line of this.#lines) if (line.server !== found) line.cut()
    return found
  }

  async #takesWrites(server: ServerAddress): Promise<boolean> {
    const client = new pg.Client({ ...this.config, ...server, connectionTimeoutMillis: PATIENCE })
    client.on('error', () => {})
    const silence = setTimeout(() => client.connection.stream.destroy(), PATIENCE)
    try {
      await client.connect()
      const { rows } = await client.query(`SELECT current_setting('transaction_read_only') AS read_only`)
      return rows[0].read_only === 'off'
    } finally {
      clearTimeout(silence)
      void client.end()
    }
  }

  /** Notices when the server in use has gone without a word, or has become a standby. */
  async #look(): Promise<void> {
    const server = this.#current
    if (!server || this.#lines.size === 0 || (await this.#takesWrites(server).catch(() => false))) return
    this.doubt(server)
    await this.choose().catch(() => {})
  }
}
