import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { json, number, rowDecoder, text } from '../database/decode-row.ts'
import type { Database, Executor } from '../database/pool.ts'
import { identifier, type Sql, sql } from '../database/sql.ts'
import { errors } from '../errors.ts'
import type { Principal } from '../scheduling/principal.ts'
import {
  type AttemptState,
  admit,
  delayOf,
  isLocked,
  type Limit,
  NO_ATTEMPTS,
  recentFailures,
  settle,
} from './attempts.ts'

/** Interval at which a guess checks whether guesses under check on other nodes have ended, in milliseconds. */
const WAIT = 50
/** Maximum number of guesses at one secret that may wait in this process. */
const MAX_LINE = 100
/** The same maximum while guesses are slowed down, because each of them waits for seconds. */
const MAX_SLOW_LINE = 2
/** `Retry-After` for a full queue of slowed guesses, in seconds. */
const SLOW_RETRY = 10
/** Rows untouched for this long hold nothing that still counts; each guess deletes a few of them. */
const STALE = '1 hour'

interface Line {
  readonly end: Promise<unknown>
  readonly length: number
  /** The latest guess was delayed. */
  readonly isSlow: boolean
}

/**
 * Limits guesses at secrets across all nodes. Each process checks guesses at one secret one after the other, and all
 * processes count them in one row before they check them.
 */
export class Lockout {
  readonly #database: Database
  readonly #table: Sql
  /** The end of the queue of guesses at each secret in this process. */
  readonly #lines = new Map<string, Line>()

  constructor(database: Database, schema: string) {
    this.#database = database
    this.#table = identifier(schema, '$attempts')
  }

  /**
   * Runs `check` to decide whether a guess is right, if another guess is allowed.
   * @param key identifies the secret, such as a user's id
   * @param principal charged for the database work
   * @returns the result of `check`: null means that the guess was wrong
   * @throws ApiError 219 after too many wrong guesses, this one included; 429 when too many guesses wait
   */
  async guess<Found>(
    key: string,
    limit: Limit,
    check: () => Promise<Found | null>,
    principal?: Principal,
  ): Promise<Found | null> {
    const line = this.#lines.get(key) ?? { end: Promise.resolve(), length: 0, isSlow: false }
    if (line.isSlow && line.length >= MAX_SLOW_LINE)
      throw errors.tooManyRequests('Too many attempts with passwords or codes; try again later.', SLOW_RETRY)
    if (line.length >= MAX_LINE) throw errors.tooManyRequests()
    const outcome = line.end.then(() => this.#guess(key, limit, check, principal))
    const end = outcome.catch(() => {}).then(() => this.#shorten(key))
    this.#lines.set(key, { ...line, end, length: line.length + 1 })
    return outcome
  }

  #shorten(key: string): void {
    const line = this.#lines.get(key)!
    if (line.length > 1) this.#lines.set(key, { ...line, length: line.length - 1 })
    else this.#lines.delete(key)
  }

  /** Returns how many failures count at the moment, and until when guessing is locked (ISO; null: not locked). */
  async stateOf(key: string): Promise<{ failures: number; lockedUntil: string | null }> {
    const [row] = await this.#database.query(sql`
      SELECT state, (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now FROM ${this.#table} WHERE key = ${key}`)
    if (!row) return { failures: 0, lockedUntil: null }
    const { state, now } = decodeState(row)
    const lockedUntil = isLocked(state, now) ? new Date(state.lockedUntil!).toISOString() : null
    return { failures: recentFailures(state, now), lockedUntil }
  }

  /** Deletes the failures at once, for the administrator (protocol/accounts, Login lockout). */
  async lift(key: string): Promise<void> {
    await this.#database.query(sql`DELETE FROM ${this.#table} WHERE key = ${key}`)
  }

  async #guess<Found>(
    key: string,
    limit: Limit,
    check: () => Promise<Found | null>,
    principal: Principal | undefined,
  ): Promise<Found | null> {
    const id = randomUUID()
    const delay = await this.#admit(key, limit, id, principal)
    let found: Found | null
    try {
      if (this.#slowDown(key, delay)) await sleep(delay)
      found = await check()
    } catch (error) {
      // The check ended with an error and decided nothing, so the guess does not count as a failure.
      await this.#settle(key, limit, id, false, principal)
      throw error
    }
    if (await this.#settle(key, limit, id, found === null, principal)) throw errors.lockedOut()
    return found
  }

  /**
   * Returns whether a guess has to be delayed.
   * @throws ApiError 429 when the guesses queued behind it would wait too long
   */
  #slowDown(key: string, delay: number): boolean {
    const line = this.#lines.get(key)!
    const isSlow = delay > 0
    this.#lines.set(key, { ...line, isSlow })
    if (isSlow && line.length > MAX_SLOW_LINE)
      throw errors.tooManyRequests('Too many attempts with passwords or codes; try again later.', SLOW_RETRY)
    return isSlow
  }

  /** @returns milliseconds that the guess has to wait */
  async #admit(key: string, limit: Limit, id: string, principal: Principal | undefined): Promise<number> {
    for (;;) {
      const change = (state: AttemptState, now: number) => {
        const decided = admit(state, id, now, limit)
        if (decided.kind !== 'admitted') return { next: null, result: decided.kind }
        return { next: decided.state, result: delayOf(decided.state, limit) }
      }
      const admission = await this.#change<number | 'locked' | 'wait'>(key, change, principal)
      if (typeof admission === 'number') return admission
      if (admission === 'locked') throw errors.lockedOut()
      await sleep(WAIT)
    }
  }

  /** @returns whether this failure, or an earlier one, has locked the secret */
  #settle(key: string, limit: Limit, id: string, failed: boolean, principal: Principal | undefined): Promise<boolean> {
    const change = (state: AttemptState, now: number) => {
      const next = settle(state, id, failed, now, limit)
      return { next, result: failed && isLocked(next, now) }
    }
    return this.#change(key, change, principal)
  }

  /** Changes the state under a lock on its row, by the database's clock, which all nodes share. */
  #change<Result>(
    key: string,
    change: (state: AttemptState, now: number) => { next: AttemptState | null; result: Result },
    principal: Principal | undefined,
  ): Promise<Result> {
    return this.#database.transaction(async (transaction) => {
      const { state, now } = await this.#lock(transaction, key)
      const { next, result } = change(state, now)
      if (next) await this.#store(transaction, key, next)
      return result
    }, principal)
  }

  async #lock(transaction: Executor, key: string): Promise<{ state: AttemptState; now: number }> {
    // Asynchronous commit: losing a count in a power failure is acceptable, and the guess does not wait for the disk.
    const [row] = await transaction.query(sql`
      INSERT INTO ${this.#table} AS attempt (key, state, touched_at)
      VALUES (${key}, ${JSON.stringify(NO_ATTEMPTS)}::jsonb, now())
      ON CONFLICT (key) DO UPDATE SET touched_at = now()
      RETURNING state, (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now,
        set_config('synchronous_commit', 'off', TRUE)`)
    return { state: JSON.parse(text('state')(row!)), now: number('now')(row!) }
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

const decodeState = rowDecoder({ state: json<AttemptState>('state'), now: number('now') })
