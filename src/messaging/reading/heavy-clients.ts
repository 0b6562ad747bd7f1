import { text } from '../../database/decode-row.ts'
import { raw, sql } from '../../database/sql.ts'
import { TtlCache } from '../../values/ttl-cache.ts'
import type { Messaging } from '../messaging.ts'
import { conversationsOf } from './conversations-of-client.ts'

/** From this number of conversations on, a client is looked up separately. */
const MANY = 1000
/** How long a client is remembered as heavy, in milliseconds, and how many clients. */
const AGE_MS = 10 * 60_000
const SIZE = 50_000
/** A lookup of several clients that takes this long includes a heavy one, or the database is busy. In milliseconds. */
const SLOW_MS = 100
/** Minimum time between two searches for heavy clients, in milliseconds, to spare a busy database. */
const PAUSE_MS = 500

/**
 * Tracks clients in so many conversations that other clients of the same statement would wait for them. Any client can add others
 * to any number of conversations.
 */
export class HeavyClients {
  readonly #messaging: Pick<Messaging, 'database' | 'objects' | 'tables'>
  readonly #known = new TtlCache<true>({ age: AGE_MS, size: SIZE })
  readonly #now: () => number
  #next = 0

  /** @param now returns milliseconds */
  constructor(messaging: Pick<Messaging, 'database' | 'objects' | 'tables'>, now = () => performance.now()) {
    this.#messaging = messaging
    this.#now = now
  }

  has(clientId: string): boolean {
    return this.#known.get(clientId) === true
  }

  /**
   * Searches for heavy clients after a slow statement about several clients.
   * @param milliseconds the duration of the statement
   * @returns resolves when they are known; a failed search is repeated after the next slow statement
   */
  async observe(clientIds: readonly string[], milliseconds: number): Promise<void> {
    if (milliseconds < SLOW_MS || clientIds.length < 2 || this.#now() < this.#next) return
    this.#next = Number.POSITIVE_INFINITY
    try {
      for (const clientId of await this.#among(clientIds)) this.#known.set(clientId, true)
    } catch {
      // The database is busy or unavailable.
    } finally {
      this.#next = this.#now() + PAUSE_MS
    }
  }

  async #among(clientIds: readonly string[]): Promise<string[]> {
    const { rows } = await this.#messaging.database.search(sql`
      SELECT client_id
      FROM unnest(${[...new Set(clientIds)]}::text[]) AS item (client_id)
      WHERE (
        SELECT count(*)
        FROM (
          SELECT
          FROM (${conversationsOf(this.#messaging, raw('item.client_id'))}) AS mine
          LIMIT ${raw(String(MANY))}
        ) AS first
      ) = ${raw(String(MANY))}`)
    return rows.map(text('client_id'))
  }
}
