import type { Bus } from '../bus/bus.ts'
import { NodeChannel } from '../bus/node-channel.ts'
import { coalesce } from '../database/coalesce.ts'
import type { Log } from '../log.ts'
import type { KnownQueries } from './known-queries.ts'
import type { LiveQuery } from './live-query.ts'

/** The methods of QueryTable that are needed here. */
interface Table {
  read(subscriberIds: readonly string[]): Promise<LiveQuery[]>
  outdatedSubscribers(id: string): Promise<string[]>
}

export interface QueryChangeChannelOptions {
  readonly appId: string
  readonly bus: Bus
  /** Whether this is the only node. */
  readonly alone: boolean
  readonly known: KnownQueries
  readonly table: Table
  readonly log: Log
  /** The delay of a retry after a failure, in milliseconds. */
  readonly pause?: number
}

/** The subscriber whose queries have changed; null if that is unknown. */
type Changed = string | null

/** Maximum number of subscribers that are read together. */
const READ_AT_ONCE = 100

/**
 * Keeps this node's live queries of an app in sync with the database. Notifications only name the subscriber whose queries have
 * changed. These are then read, one reading at a time, so that lost or late notifications cannot leave outdated queries. A node
 * that may have missed notifications reads all queries.
 */
export class QueryChangeChannel {
  readonly #options: QueryChangeChannelOptions
  readonly #channel: NodeChannel<{ readonly changed: Changed }>
  readonly #endGaps: () => void
  readonly #read: (changed: Changed) => Promise<void>
  #retry: NodeJS.Timeout | undefined
  #isStopped = false
  /** Whether other nodes may have missed notifications from this node. */
  #hasFailed = false

  constructor(options: QueryChangeChannelOptions) {
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
      onMessage: ({ changed }) => this.#readUnasked(changed),
      failed: () => {
        this.#hasFailed = true
      },
      log,
    })
    this.#endGaps = bus.onGap(() => this.#endGap())
  }

  /** Reads all queries. */
  async open(): Promise<void> {
    await this.#options.bus.subscribed()
    await this.#read(null)
  }

  /** Publishes that the queries of a subscriber have changed in the database. Resolves when this node has read them. */
  async changed(subscriberId: string): Promise<void> {
    this.#channel.publish({ changed: subscriberId })
    try {
      await this.#read(subscriberId)
    } catch (error) {
      this.#readLater()
      throw error
    }
  }

  /** Whether this node receives the changes of other nodes. */
  get isCurrent(): boolean {
    return this.#options.alone || this.#options.bus.connected
  }

  /** Drops the queries of a user whose session has ended; called on every node. The database has deleted them already. */
  sessionEnded(userId: string): void {
    // Dropped immediately; then queries are read that the user has subscribed to since, with another session.
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
    const removed = new Set(known.subscriberIds)
    let last = ''
    for (;;) {
      const ids = await table.outdatedSubscribers(last)
      if (ids.length === 0) break
      await this.#readThose(ids)
      for (const id of ids) removed.delete(id)
      last = ids.at(-1)!
    }
    for (const id of removed) known.set(id, [])
  }
}
