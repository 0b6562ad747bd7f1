import type { Bus } from '../bus/bus.ts'
import { NodeChannel } from '../bus/node-channel.ts'
import { coalesce } from '../database/coalesce.ts'
import { entry, text } from '../database/decode-row.ts'
import type { Database } from '../database/pool.ts'
import { sql } from '../database/sql.ts'
import type { Log } from '../log.ts'
import { loginNumbers } from './login-numbers.ts'

export interface SubscriberAppsOptions {
  readonly database: Database
  readonly bus: Bus
  /** There are no other nodes. */
  readonly alone: boolean
  readonly log: Log
}

/** Called with the app of the subscriber that was waited for. */
type Found = (appId: string) => Promise<void> | void

interface Subscribed {
  readonly subscriberId: string
  readonly appId: string
}

/** Ids that one statement looks up, at most. */
const LOOKED_UP_AT_ONCE = 1000

/**
 * Which app the subscribers of live queries belong to. Clients for Java log in by the id of the subscriber alone
 * (protocol/realtime, Socket commands), and before they subscribe for the first time: whose app nobody knows yet is
 * waited for. However many log in like that, one statement at a time looks for them.
 */
export class SubscriberApps {
  readonly #options: SubscriberAppsOptions
  readonly #waiting = new Map<string, Set<Found>>()
  readonly #channel: NodeChannel<Subscribed>
  readonly #endGaps: () => void
  readonly #lookUp: (subscriberId: string) => Promise<string | null>
  /** The next number of a login; see `loginNumbers`. */
  readonly nextNumber: () => Promise<number>

  constructor(options: SubscriberAppsOptions) {
    const { database, bus, alone } = options
    const log = options.log.child({ component: 'live queries' })
    this.#options = { ...options, log }
    this.#lookUp = coalesce(
      async (ids) => {
        const rows = await database.query(sql`
          SELECT id, app_id FROM homeport.live_subscribers WHERE id = ANY(${[...new Set(ids)]}::text[])`)
        const apps = new Map(rows.map(entry(text('id'), text('app_id'))))
        return ids.map((id) => ({ result: apps.get(id) ?? null }))
      },
      { atOnce: 1, size: LOOKED_UP_AT_ONCE },
    )
    this.nextNumber = loginNumbers(database)
    this.#channel = new NodeChannel({
      bus,
      topic: 'live query subscribers',
      alone,
      heard: (subscribed) => void this.#notifyWaiting(subscribed),
      log,
    })
    this.#endGaps = bus.onGap(() => void this.#endGap())
  }

  /** The app of a subscriber; null when it has not subscribed yet, as far as this node can know. */
  find(subscriberId: string): Promise<string | null> {
    return this.#lookUp(subscriberId)
  }

  /**
   * Waits for a subscriber to subscribe, on whatever node. Who waits first and looks then misses nothing.
   * @returns ends it
   */
  wait(subscriberId: string, found: Found): () => void {
    const those = this.#waiting.get(subscriberId) ?? new Set()
    this.#waiting.set(subscriberId, those.add(found))
    return () => {
      those.delete(found)
      if (those.size === 0 && this.#waiting.get(subscriberId) === those) this.#waiting.delete(subscriberId)
    }
  }

  /** To be called when a subscriber has subscribed. Resolves when those who wait for it on this node know. */
  async subscribed(subscriberId: string, appId: string): Promise<void> {
    this.#channel.publish({ subscriberId, appId })
    await this.#notifyWaiting({ subscriberId, appId })
  }

  stop(): void {
    this.#channel.stop()
    this.#endGaps()
  }

  async #notifyWaiting({ subscriberId, appId }: Subscribed): Promise<void> {
    for (const found of [...(this.#waiting.get(subscriberId) ?? [])]) {
      try {
        await found(appId)
      } catch (error) {
        this.#warn(error)
      }
    }
  }

  /** What was published meanwhile is in the database. */
  async #endGap(): Promise<void> {
    if (!this.#options.bus.connected) return
    try {
      await Promise.all(
        [...this.#waiting.keys()].map(async (subscriberId) => {
          const appId = await this.find(subscriberId)
          if (appId !== null) await this.#notifyWaiting({ subscriberId, appId })
        }),
      )
    } catch (error) {
      this.#warn(error)
    }
  }

  #warn(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error)
    this.#options.log.warn({ error: reason }, 'finding app of live query subscriber failed')
  }
}
