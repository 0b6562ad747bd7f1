import type { Executor } from '../../database/pool.ts'
import { sql } from '../../database/sql.ts'
import { forgetLinks } from '../account-links.ts'
import type { Accounts } from '../accounts.ts'

/**
 * Deletes all that a user could log in by who is deleted in this transaction; when that has committed, `sessions.forget`
 * has to follow.
 */
export async function forgetLogins(accounts: Accounts, transaction: Executor, id: string): Promise<void> {
  await accounts.sessions.end(transaction, id)
  await transaction.query(sql`DELETE FROM ${accounts.identities} WHERE user_id = ${id}`)
  await forgetLinks(accounts, transaction, id)
}
