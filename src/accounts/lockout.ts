import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database, Executor } from '../database/pool.ts'
import { identifier, type Sql, sql } from '../database/sql.ts'
import { errors } from '../errors.ts'
import { type AttemptState, admit, isLocked, type Limit, NO_ATTEMPTS, settle } from './attempts.ts'

/** How often a guess looks whether those of other nodes are decided, in milliseconds. */
const WAIT = 50
/** Rows that nobody has touched for so long hold nothing that counts; a few are removed with every guess. */
const STALE = '1 hour'

/**
 * Keeps guessing at secrets within limits, for all nodes together. The guesses at one secret are checked one after the
 * other in each process, and all processes count them in one row, before they are checked.
 */
export class Lockout {
  readonly #database: Database
  readonly #table: Sql
  /** The end of the line of those who wait to guess at the same secret here. */
  readonly #lines = new Map<string, Promise<unknown>>()

  constructor(database: Database, schema: string) {
    this.#database = database
    this.#table = identifier(schema, '$attempts')
  }

  /**
   * Lets `check` decide whether a guess is right, if there may be another guess.
   * @param key what is guessed at, such as a user's id
   * @returns what `check` found: null means that the guess was wrong
   * @throws ApiError 219 when there have been too many wrong ones, this one included
   */
  guess<Found>(key: string, limit: Limit, check: () => Promise<Found | null>): Promise<Found | null> {
    const turn = (this.#lines.get(key) ?? Promise.resolve()).then(() => this.#guess(key, limit, check))
    const end = turn.catch(() => {})
    this.#lines.set(key, end)
    void end.then(() => {
      if (this.#lines.get(key) === end) this.#lines.delete(key)
    })
    return turn
  }

  /** Forgets the failures at once: what only the administrator can do (spec/2, Login lockout). */
  async lift(key: string): Promise<void> {
    await this.#database.query(sql`DELETE FROM ${this.#table} WHERE key = ${key}`)
  }

  async #guess<Found>(key: string, limit: Limit, check: () => Promise<Found | null>): Promise<Found | null> {
    const id = randomUUID()
    await this.#admit(key, limit, id)
    let found: Found | null
    try {
      found = await check()
    } catch (error) {
      // Nothing was found out, so nothing counts.
      await this.#settle(key, limit, id, false)
      throw error
    }
    if (await this.#settle(key, limit, id, found === null)) throw errors.lockedOut()
    return found
  }

  async #admit(key: string, limit: Limit, id: string): Promise<void> {
    for (;;) {
      const admission = await this.#change(key, (state, now) => {
        const decided = admit(state, id, now, limit)
        return { next: decided.kind === 'admitted' ? decided.state : null, result: decided.kind }
      })
      if (admission === 'admitted') return
      if (admission === 'locked') throw errors.lockedOut()
      await sleep(WAIT)
    }
  }

  /** @returns whether this failure, or one before it, has locked */
  #settle(key: string, limit: Limit, id: string, failed: boolean): Promise<boolean> {
    return this.#change(key, (state, now) => {
      const next = settle(state, id, failed, now, limit)
      return { next, result: failed && isLocked(next, now) }
    })
  }

  /** Changes the state under a lock on its row, by the database's clock, which all nodes share. */
  #change<Result>(
    key: string,
    change: (state: AttemptState, now: number) => { next: AttemptState | null; result: Result },
  ): Promise<Result> {
    return this.#database.transaction(async (transaction) => {
      const { state, now } = await this.#lock(transaction, key)
      const { next, result } = change(state, now)
      if (next) await this.#store(transaction, key, next)
      return result
    })
  }

  async #lock(transaction: Executor, key: string): Promise<{ state: AttemptState; now: number }> {
    // What is counted here may be lost with a power failure of the database's machine; nothing else waits for its disk.
    const [row] = await transaction.query(sql`
      INSERT INTO ${this.#table} AS attempt (key, state, touched_at)
      VALUES (${key}, ${JSON.stringify(NO_ATTEMPTS)}::jsonb, now())
      ON CONFLICT (key) DO UPDATE SET touched_at = now()
      RETURNING state, (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now,
        set_config('synchronous_commit', 'off', TRUE)`)
    return { state: JSON.parse(String(row!.state)), now: Number(row!.now) }
  }

  async #store(transaction: Executor, key: string, state: AttemptState): Promise<void> {
    await transaction.query(sql`
      WITH stale AS (
        SELECT key
        FROM ${this.#table}
        WHERE key <> ${key} AND touched_at < now() - ${STALE}::interval
        LIMIT 10
        FOR UPDATE SKIP LOCKED
      ), removed AS (
        DELETE FROM ${this.#table} AS attempt USING stale WHERE attempt.key = stale.key
      )
      UPDATE ${this.#table} SET state = ${JSON.stringify(state)}::jsonb, touched_at = now() WHERE key = ${key}`)
  }
}
