import { coalesce } from '../database/coalesce.ts'
import { number } from '../database/decode-row.ts'
import type { Database } from '../database/pool.ts'
import { sql } from '../database/sql.ts'

const TAKEN_AT_ONCE = 1000

/**
 * Numbers logins and subscriptions of users in their order, on all nodes and for all apps, because some subscribers log in before
 * their app is known.
 * @returns a function that returns the next number; simultaneous calls share a statement
 */
export function loginNumbers(database: Database): () => Promise<number> {
  const take = coalesce<null, number>(
    async (wanted) => {
      const rows = await database.query(sql`
        SELECT nextval('homeport.live_logins') AS number FROM generate_series(1, ${wanted.length}::int)`)
      return rows.map((row) => ({ result: number('number')(row) }))
    },
    { atOnce: 1, size: TAKEN_AT_ONCE },
  )
  return () => take(null)
}
