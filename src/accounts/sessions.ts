import type { Database } from '../database/pool.ts'
import { identifier, sql } from '../database/sql.ts'

/** How long a token is trusted without asking the database again, in milliseconds. */
const CACHE_TIME = 10_000
const CACHE_SIZE = 50_000

/** Who the session tokens of an app belong to. */
export class Sessions {
  readonly #database: Database
  readonly #table
  readonly #known = new Map<string, { readonly userId: string | null; readonly until: number }>()

  constructor(database: Database, schema: string) {
    this.#database = database
    this.#table = identifier(schema, '$credentials')
  }

  /** The user that a session token belongs to; null for a token of nobody. */
  async userOf(token: string): Promise<string | null> {
    const known = this.#known.get(token)
    if (known && known.until > Date.now()) return known.userId
    const [row] = await this.#database.query(sql`SELECT user_id FROM ${this.#table} WHERE session_token = ${token}`)
    const userId = row ? String(row.user_id) : null
    // Unknown tokens are not remembered: one may be given out at any moment.
    if (userId !== null) this.#remember(token, userId)
    return userId
  }

  /** Forgets a token at once, when it has been replaced. */
  forget(token: string): void {
    this.#known.delete(token)
  }

  #remember(token: string, userId: string): void {
    if (this.#known.size >= CACHE_SIZE) this.#known.delete(this.#known.keys().next().value!)
    this.#known.set(token, { userId, until: Date.now() + CACHE_TIME })
  }
}
