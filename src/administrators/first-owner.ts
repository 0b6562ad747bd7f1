import { randomUUID } from 'node:crypto'
import type { Database } from '../database/pool.ts'
import { sql } from '../database/sql.ts'
import { type EntryLink, makeLink } from './links.ts'

/** The initial name of the owner. */
const NAME = 'owner'

/**
 * Creates an owner if no administrator exists, as on the first start. Of several nodes that start together, one creates
 * it.
 * @returns the link by which the owner logs in; null when an administrator exists
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
