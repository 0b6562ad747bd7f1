import type { Bus } from '../bus/bus.ts'
import { ReplicatedCache } from '../bus/replicated-cache.ts'
import { text } from '../database/decode-row.ts'
import type { Database, Executor } from '../database/pool.ts'
import { identifier, type Sql, sql } from '../database/sql.ts'
import { errors } from '../errors.ts'
import type { Log } from '../log.ts'
import { newToken } from './tokens.ts'

/** How long the user of a token is cached, in milliseconds, and for how many tokens. */
const CACHE_AGE = 10_000
const CACHE_SIZE = 50_000

/** Observer of ended sessions. */
export interface SessionFollower {
  /** Called in the transaction that ends the session of a user. */
  ending(transaction: Executor, userId: string): Promise<void>
  /** Called on every node when the session of a user has ended. */
  ended(userId: string): void
}

/**
 * Session tokens of an app's users, one per user. The user of a token is cached until a node publishes that the user's
 * token has been replaced.
 */
export class Sessions {
  readonly #database: Database
  readonly #table: Sql
  readonly #users: Sql
  readonly #follower: SessionFollower
  /** The user of each token. */
  readonly #cache: ReplicatedCache<string | null>

  constructor(database: Database, schema: string, bus: Bus, follower: SessionFollower, log: Log) {
    this.#database = database
    this.#table = identifier(schema, '$credentials')
    this.#users = identifier(schema, '_User')
    this.#follower = follower
    this.#cache = new ReplicatedCache<string | null>({
      bus,
      topic: `sessions ${schema}`,
      load: (token) => this.#load(token),
      age: CACHE_AGE,
      size: CACHE_SIZE,
      subjectOf: (userId) => userId,
      changed: (userId) => follower.ended(userId),
      risk: 'other nodes may take a replaced session token',
      log,
    })
  }

  /** Returns the user that a session token belongs to; null for an unknown token. */
  async userOf(token: string): Promise<string | null> {
    // PostgreSQL rejects texts with NUL.
    return token.includes('\u0000') ? null : this.#cache.find(token)
  }

  /**
   * Returns the token of a user, and creates it for a user without one, such as an imported user.
   * @throws ApiError 211 when the user has been deleted in the meantime
   */
  async tokenOf(userId: string, executor: Executor = this.#database): Promise<string> {
    const [known] = await executor.query(sql`
      SELECT session_token FROM ${this.#table} WHERE user_id = ${userId} AND session_token IS NOT NULL`)
    if (known) return text('session_token')(known)
    // The lock on the user prevents its concurrent deletion, which would leave a token behind.
    const [made] = await executor.query(sql`
      INSERT INTO ${this.#table} AS credential (user_id, session_token)
      SELECT id, ${newToken()} FROM ${this.#users} WHERE id = ${userId} FOR KEY SHARE
      ON CONFLICT (user_id) DO UPDATE
      SET session_token = coalesce(credential.session_token, excluded.session_token)
      RETURNING session_token`)
    if (!made) throw errors.userNotFound()
    return text('session_token')(made)
  }

  /** Returns whether a token is still its user's, and locks it until the transaction ends. */
  async hold(transaction: Executor, userId: string, token: string): Promise<boolean> {
    const rows = await transaction.query(sql`
      SELECT FROM ${this.#table} WHERE user_id = ${userId} AND session_token = ${token} FOR SHARE`)
    return rows.length > 0
  }

  /**
   * Replaces a user's token; the old one becomes invalid when the transaction commits. Afterwards the caller has to
   * call `forget`.
   */
  async replace(transaction: Executor, userId: string): Promise<string> {
    const token = newToken()
    await transaction.query(sql`
      INSERT INTO ${this.#table} (user_id, session_token)
      VALUES (${userId}, ${token})
      ON CONFLICT (user_id) DO UPDATE SET session_token = excluded.session_token`)
    await this.#follower.ending(transaction, userId)
    return token
  }

  /** Ends the session of a user that is being deleted. Afterwards the caller has to call `forget`. */
  async end(transaction: Executor, userId: string): Promise<void> {
    await transaction.query(sql`DELETE FROM ${this.#table} WHERE user_id = ${userId}`)
    await this.#follower.ending(transaction, userId)
  }

  /** Removes the tokens of a user from the caches of all nodes, after they have been replaced or deleted. */
  forget(userId: string): Promise<void> {
    return this.#cache.publishChange(userId)
  }

  stop(): void {
    this.#cache.stop()
  }

  async #load(token: string): Promise<string | null> {
    const [row] = await this.#database.query(sql`SELECT user_id FROM ${this.#table} WHERE session_token = ${token}`)
    return row ? text('user_id')(row) : null
  }
}
