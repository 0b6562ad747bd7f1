import type { Bus } from '../bus/bus.ts'
import { NodeChannel } from '../bus/node-channel.ts'
import { coalesce } from '../database/coalesce.ts'
import type { Log } from '../log.ts'
import type { KnownQueries } from './known-queries.ts'
import type { LiveQuery } from './live-query.ts'

/** What of the table the news need; see QueryTable. */
interface Table {
  read(subscriberIds: readonly string[]): Promise<LiveQuery[]>
  subscribersBehind(id: string): Promise<string[]>
}

export interface QueryNewsOptions {
  readonly appId: string
  readonly bus: Bus
  /** There are no other nodes. */
  readonly alone: boolean
  readonly known: KnownQueries
  readonly table: Table
  readonly log: Log
  /** How long after a failure it is tried again, in milliseconds. */
  readonly pause?: number
}

/** The queries of a subscriber have changed; null: those of some have, nobody knows whose. */
type Changed = string | null

/** Subscribers that are read together, at most. */
const READ_AT_ONCE = 100

/**
 * Keeps what this node knows of an app's live queries as it is in the database. News say only whose queries have changed;
 * they are read then, one reading after the other, so neither lost nor late news can leave anything wrong behind. Who may
 * have missed news reads everything.
 */
export class QueryNews {
  readonly #options: QueryNewsOptions
  readonly #channel: NodeChannel<{ readonly changed: Changed }>
  readonly #endGaps: () => void
  readonly #read: (changed: Changed) => Promise<void>
  #retry: NodeJS.Timeout | undefined
  #isStopped = false
  /** Other nodes have missed something that was said here. */
  #hasFailed = false

  constructor(options: QueryNewsOptions) {
    const { appId, bus, alone, log } = options
    this.#options = options
    this.#read = coalesce(
      async (changes) => {
        await (changes.includes(null) ? this.#readAll() : this.#readThose(changes as readonly string[]))
        return changes.map(() => ({ result: undefined }))
      },
      { atOnce: 1, size: READ_AT_ONCE },
    )
    this.#channel = new NodeChannel({
      bus,
      topic: `live queries ${appId}`,
      alone,
      heard: ({ changed }) => this.#readUnasked(changed),
      failed: () => {
        this.#hasFailed = true
      },
      log,
    })
    this.#endGaps = bus.onGap(() => this.#endGap())
  }

  /** Reads everything. */
  async open(): Promise<void> {
    await this.#options.bus.subscribed()
    await this.#read(null)
  }

  /** To be called when the queries of a subscriber have been changed in the database. Resolves when this node knows them. */
  async changed(subscriberId: string): Promise<void> {
    this.#channel.publish({ changed: subscriberId })
    try {
      await this.#read(subscriberId)
    } catch (error) {
      this.#readLater()
      throw error
    }
  }

  /** Whether this node hears what the others change. */
  get isCurrent(): boolean {
    return this.#options.alone || this.#options.bus.connected
  }

  /** To be called on every node when the session of a user has ended, and with it, in the database, its queries. */
  sessionEnded(userId: string): void {
    // At once; what the user has subscribed to since, with another session, is read.
    for (const subscriberId of this.#options.known.dropUser(userId)) this.#readUnasked(subscriberId)
  }

  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#retry)
    this.#channel.stop()
    this.#endGaps()
  }

  #endGap(): void {
    if (!this.#options.bus.connected) return
    this.#readUnasked(null)
    if (!this.#hasFailed) return
    this.#hasFailed = false
    this.#channel.publish({ changed: null })
  }

  #readUnasked(changed: Changed): void {
    this.#read(changed).catch((error: Error) => {
      if (this.#isStopped) return
      const { log } = this.#options
      log.warn({ error: error.message }, 'reading live queries failed')
      this.#readLater()
    })
  }

  #readLater(): void {
    clearTimeout(this.#retry)
    if (!this.#isStopped) this.#retry = setTimeout(() => this.#readUnasked(null), this.#options.pause ?? 1000).unref()
  }

  async #readThose(subscriberIds: readonly string[]): Promise<void> {
    const { table, known } = this.#options
    const ids = [...new Set(subscriberIds)]
    const queries = new Map<string, LiveQuery[]>(ids.map((id) => [id, []]))
    for (const query of await table.read(ids)) queries.get(query.subscriberId)!.push(query)
    for (const [id, those] of queries) known.set(id, those)
  }

  async #readAll(): Promise<void> {
    const { table, known } = this.#options
    const gone = new Set(known.subscriberIds)
    let last = ''
    for (;;) {
      const ids = await table.subscribersBehind(last)
      if (ids.length === 0) break
      await this.#readThose(ids)
      for (const id of ids) gone.delete(id)
      last = ids.at(-1)!
    }
    for (const id of gone) known.set(id, [])
  }
}
