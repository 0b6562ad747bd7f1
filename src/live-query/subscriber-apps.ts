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
  /** Whether this is the only node. */
  readonly alone: boolean
  readonly log: Log
}

/** Called with the app of the subscriber. */
type Found = (appId: string) => Promise<void> | void

interface Subscribed {
  readonly subscriberId: string
  readonly appId: string
}

/** Maximum number of ids that one statement looks up. */
const LOOKED_UP_AT_ONCE = 1000

/**
 * Finds the apps of live query subscribers. Clients for Java log in by the id of the subscriber alone (protocol/realtime, Socket
 * commands), and before they subscribe for the first time: their connections wait until the app is known. Lookups share a
 * statement, one at a time, whatever the number of logins.
 */
export class SubscriberApps {
  readonly #options: SubscriberAppsOptions
  readonly #waiting = new Map<string, Set<Found>>()
  readonly #channel: NodeChannel<Subscribed>
  readonly #endGaps: () => void
  readonly #lookUp: (subscriberId: string) => Promise<string | null>
  /** Returns the next number of a login; see `loginNumbers`. */
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
      onMessage: (subscribed) => void this.#notifyWaiting(subscribed),
      log,
    })
    this.#endGaps = bus.onGap(() => void this.#endGap())
  }

  /** Returns the app of a subscriber; null when it has not subscribed yet, as far as this node knows. */
  find(subscriberId: string): Promise<string | null> {
    return this.#lookUp(subscriberId)
  }

  /**
   * Waits for a subscriber to subscribe, on any node. Callers that wait first and then call `find` miss nothing.
   * @returns a function that stops waiting
   */
  wait(subscriberId: string, found: Found): () => void {
    const those = this.#waiting.get(subscriberId) ?? new Set()
    this.#waiting.set(subscriberId, those.add(found))
    return () => {
      those.delete(found)
      if (those.size === 0 && this.#waiting.get(subscriberId) === those) this.#waiting.delete(subscriberId)
    }
  }

  /** Publishes that a subscriber has subscribed. Resolves when all waiters on this node have been notified. */
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

  /** Looks up all awaited subscribers after an outage: missed notifications are in the database. */
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
