import { text } from '../../database/decode-row.ts'
import { raw, sql } from '../../database/sql.ts'
import { TtlCache } from '../../values/ttl-cache.ts'
import type { Messaging } from '../messaging.ts'
import { conversationsOf } from './conversations-of-client.ts'

/** Conversations from which on a client is looked up by itself. */
const MANY = 1000
/** For how long that is remembered of a client, in milliseconds, and of how many. */
const AGE_MS = 10 * 60_000
const SIZE = 50_000
/** A look at several clients that takes so long has a heavy one among them, or the database is busy. Milliseconds. */
const SLOW_MS = 100
/** Milliseconds between two searches for them: a busy database is not asked each time. */
const PAUSE_MS = 500

/**
 * Remembers which clients are in so many conversations that those who share a statement with them would wait for them. Any client can
 * make others members of any number of conversations.
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
   * Looks for heavy clients when a statement about several was slow.
   * @param milliseconds that it took
   * @returns resolves when they are known; what fails is tried again after the next slow statement
   */
  async heed(clientIds: readonly string[], milliseconds: number): Promise<void> {
    if (milliseconds < SLOW_MS || clientIds.length < 2 || this.#now() < this.#next) return
    this.#next = Number.POSITIVE_INFINITY
    try {
      for (const clientId of await this.#among(clientIds)) this.#known.set(clientId, true)
    } catch {
      // The database is busy, or away.
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
