import { setImmediate as endOfTurn, setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Database } from '../database/pool.ts'
import { identifier, toQuery } from '../database/sql.ts'
import type { Log } from '../log.ts'

export interface ListeningOptions {
  readonly database: Database
  readonly log: Log
  readonly channel: string
  /** Called with the payload of each notification, in the order they were sent. */
  readonly onPayload: (payload: string) => void
  /** Called when notifications may have been missed: when the connection is lost, and when it is back. */
  readonly interrupted: () => void
  readonly times?: ListeningTimes
}

/** Times in milliseconds. */
export interface ListeningTimes {
  /** The pause between two checks whether the connection is alive. */
  readonly checkInterval?: number
  /** Maximum time for a response before the connection counts as dead. */
  readonly timeoutMs?: number
  /** The pause before the first attempt to reconnect; it doubles with each further attempt. */
  readonly firstPause?: number
  readonly longestPause?: number
}

/**
 * A connection that listens on one channel of the database and reconnects when it is lost. It is probed regularly, to
 * detect connections that die silently, for example when a machine or a network link fails.
 */
export class ListeningConnection {
  readonly #options: ListeningOptions
  readonly #times: Required<ListeningTimes>
  readonly #stopping = new AbortController()
  /** The connection that listens. */
  #client: pg.Client | null = null
  #reconnecting: Promise<void> | undefined

  constructor(options: ListeningOptions) {
    this.#options = options
    this.#times = { checkInterval: 5000, timeoutMs: 3000, firstPause: 100, longestPause: 1000, ...options.times }
  }

  /** Whether notifications arrive, as far as is known. */
  get connected(): boolean {
    return this.#client !== null
  }

  /** Resolves when it listens; rejects when the first connection fails, and then does not retry. */
  async start(): Promise<void> {
    await this.#connect()
  }

  async stop(): Promise<void> {
    const client = this.#client
    this.#client = null
    client?.removeAllListeners('notification')
    this.#stopping.abort()
    await this.#reconnecting
    if (!client) return
    // A dead connection would never confirm its end. `end` closes a connection with a pending response at once.
    await this.#query(client, 'UNLISTEN *').catch(() => {})
    await client.end()
  }

  async #connect(): Promise<void> {
    const client = await this.#options.database.dedicated('usual')
    client.on('notification', ({ payload }) => this.#options.onPayload(payload ?? ''))
    client.on('error', (error) => this.#lose(client, error))
    client.on('end', () => this.#lose(client, new Error('the connection ended')))
    try {
      await this.#query(client, `LISTEN ${toQuery(identifier(this.#options.channel)).text}`)
      this.#stopping.signal.throwIfAborted()
    } catch (error) {
      await client.end()
      throw error
    }
    this.#client = client
    void this.#watch(client)
  }

  async #watch(client: pg.Client): Promise<void> {
    try {
      while (client === this.#client) {
        await sleep(this.#times.checkInterval, null, { ref: false, signal: this.#stopping.signal })
        await this.#query(client, 'SELECT 1')
      }
    } catch (error) {
      this.#lose(client, error)
    }
  }

  /** A loss may be reported in several ways; only the first report counts. */
  #lose(client: pg.Client, error: unknown): void {
    if (client !== this.#client) return
    this.#client = null
    client.removeAllListeners('notification')
    void client.end()
    const text = error instanceof Error ? error.message : String(error)
    this.#options.log.warn({ error: text }, 'LISTEN connection lost, reconnecting')
    this.#reconnecting = this.#reconnect()
    this.#options.interrupted()
  }

  async #reconnect(): Promise<void> {
    const { firstPause, longestPause } = this.#times
    for (let pause = firstPause; ; pause = Math.min(longestPause, pause * 2)) {
      try {
        await sleep(pause, null, { ref: false, signal: this.#stopping.signal })
        await this.#connect()
        break
      } catch {
        // The loss of the connection is logged already.
        if (this.#stopping.signal.aborted) return
      }
    }
    this.#options.log.info({}, 'LISTEN connection restored')
    this.#options.interrupted()
  }

  /**
   * Rejects when there is no response in time. The caller then ends the connection, which closes it at once because a
   * response is pending.
   */
  async #query(client: pg.Client, statement: string): Promise<void> {
    const answered = new AbortController()
    const { timeoutMs } = this.#times
    const silence = sleep(timeoutMs, null, { ref: false, signal: answered.signal }).then(async () => {
      // If this process was suspended, the response has already arrived and is read now.
      await endOfTurn()
      throw new Error(`no response from the database for ${timeoutMs} ms`)
    })
    try {
      await Promise.race([client.query(statement), silence])
    } finally {
      answered.abort()
    }
  }
}
