import { randomUUID } from 'node:crypto'
import type { Database } from '../database/pool.ts'
import { sql } from '../database/sql.ts'
import { type EntryLink, makeLink } from './links.ts'

/** The name until the owner changes it. */
const NAME = 'owner'

/**
 * Makes an owner where nobody administrates yet, as on the first start. Of several nodes that start together one makes it.
 * @returns the link by which the owner comes in; null: somebody administrates already
 */
export function makeFirstOwner(database: Database): Promise<EntryLink | null> {
  return database.transaction(async (transaction) => {
    await transaction.query(sql`LOCK TABLE homeport.administrators IN SHARE ROW EXCLUSIVE MODE`)
    const id = randomUUID()
    const made = await transaction.query(sql`
      INSERT INTO homeport.administrators (id, name, role)
      SELECT ${id}, ${NAME}, 'owner' WHERE NOT EXISTS (SELECT FROM homeport.administrators)
      RETURNING id`)
    return made.length === 0 ? null : makeLink(transaction, id)
  })
}
