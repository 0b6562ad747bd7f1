import type { Bus } from '../bus/bus.ts'
import { ReplicatedCache } from '../bus/replicated-cache.ts'
import { text } from '../database/decode-row.ts'
import type { Database, Executor } from '../database/pool.ts'
import { identifier, type Sql, sql } from '../database/sql.ts'
import { errors } from '../errors.ts'
import type { Log } from '../log.ts'
import { newToken } from './tokens.ts'

/** For how long it is remembered whose a token is, in milliseconds, and of how many tokens. */
const CACHE_AGE = 10_000
const CACHE_SIZE = 50_000

/** What ends with a session. */
export interface SessionFollower {
  /** Called in the transaction that ends the session of a user. */
  ending(transaction: Executor, userId: string): Promise<void>
  /** Called on every node when the session of a user has ended. */
  ended(userId: string): void
}

/**
 * Session tokens of an app's users, one a user. Which user a token belongs to is remembered until a node says that the
 * user's token has been replaced.
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

  /** The user that a session token belongs to; null for a token of nobody. */
  async userOf(token: string): Promise<string | null> {
    // The database refuses such a text before it looks for it.
    return token.includes('\u0000') ? null : this.#cache.find(token)
  }

  /**
   * The token of a user, given out now to one who has none, as users from an import.
   * @throws ApiError 211 when the user has been deleted in the meantime
   */
  async tokenOf(userId: string, executor: Executor = this.#database): Promise<string> {
    const [known] = await executor.query(sql`
      SELECT session_token FROM ${this.#table} WHERE user_id = ${userId} AND session_token IS NOT NULL`)
    if (known) return text('session_token')(known)
    // The lock on the user lets nobody delete it meanwhile: no token may be left behind.
    const [made] = await executor.query(sql`
      INSERT INTO ${this.#table} AS credential (user_id, session_token)
      SELECT id, ${newToken()} FROM ${this.#users} WHERE id = ${userId} FOR KEY SHARE
      ON CONFLICT (user_id) DO UPDATE
      SET session_token = coalesce(credential.session_token, excluded.session_token)
      RETURNING session_token`)
    if (!made) throw errors.userNotFound()
    return text('session_token')(made)
  }

  /** Whether a token is still its user's; until the transaction ends it stays so. */
  async hold(transaction: Executor, userId: string, token: string): Promise<boolean> {
    const rows = await transaction.query(sql`
      SELECT FROM ${this.#table} WHERE user_id = ${userId} AND session_token = ${token} FOR SHARE`)
    return rows.length > 0
  }

  /** Gives a user another token; the old one is nobody's when the transaction commits. Then call `forget`. */
  async replace(transaction: Executor, userId: string): Promise<string> {
    const token = newToken()
    await transaction.query(sql`
      INSERT INTO ${this.#table} (user_id, session_token)
      VALUES (${userId}, ${token})
      ON CONFLICT (user_id) DO UPDATE SET session_token = excluded.session_token`)
    await this.#follower.ending(transaction, userId)
    return token
  }

  /** Ends the session of a user who is being deleted. Then call `forget`. */
  async end(transaction: Executor, userId: string): Promise<void> {
    await transaction.query(sql`DELETE FROM ${this.#table} WHERE user_id = ${userId}`)
    await this.#follower.ending(transaction, userId)
  }

  /** Makes all nodes forget the tokens of a user, when they have been replaced or the user is gone. */
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
