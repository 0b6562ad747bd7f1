import type { Database } from '../database/pool.ts'
import { identifier, sql } from '../database/sql.ts'
import { Remembered } from '../values/remembered.ts'

/** How long a token is trusted without asking the database again, in milliseconds. */
const CACHE_TIME = 10_000
const CACHE_SIZE = 50_000

/** Who the session tokens of an app belong to. */
export class Sessions {
  readonly #database: Database
  readonly #table
  readonly #known = new Remembered<string>(CACHE_TIME, CACHE_SIZE)

  constructor(database: Database, schema: string) {
    this.#database = database
    this.#table = identifier(schema, '$credentials')
  }

  /** The user that a session token belongs to; null for a token of nobody. */
  async userOf(token: string): Promise<string | null> {
    const known = this.#known.get(token)
    if (known !== undefined) return known
    const [row] = await this.#database.query(sql`SELECT user_id FROM ${this.#table} WHERE session_token = ${token}`)
    const userId = row ? String(row.user_id) : null
    // Unknown tokens are not remembered: one may be given out at any moment.
    if (userId !== null) this.#known.set(token, userId)
    return userId
  }

  /** Forgets a token at once, when it has been replaced. */
  forget(token: string): void {
    this.#known.delete(token)
  }
}
