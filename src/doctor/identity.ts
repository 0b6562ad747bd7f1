import { createHmac } from 'node:crypto'
import { text } from '../database/decode-row.ts'
import type { Database } from '../database/pool.ts'
import { sql } from '../database/sql.ts'

/** Random bytes as 32 hexadecimal digits, chosen by the caller so that no cache knows the response. */
const NONCE = /^[0-9a-f]{32}$/

/**
 * Proves that a URL leads to this installation. All nodes of a database give the same response to a nonce, and no other server
 * can: its key is the time at which the database was created, to the microsecond, and never leaves the server.
 */
export class Identity {
  readonly #database: Database
  #key: Promise<string> | null = null

  constructor(database: Database) {
    this.#database = database
  }

  /** Returns the response to a nonce; null for a text that is not one. */
  async respond(nonce: string): Promise<string | null> {
    if (!NONCE.test(nonce)) return null
    this.#key ??= this.#read()
    // A failed read is repeated.
    const key = await this.#key.catch((error) => {
      this.#key = null
      throw error
    })
    return createHmac('sha256', key).update(nonce).digest('hex')
  }

  async #read(): Promise<string> {
    const [row] = await this.#database.query(sql`SELECT min(applied_at)::text AS created_at FROM homeport.migrations`)
    return text('created_at')(row!)
  }
}
