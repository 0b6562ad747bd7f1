import type { Executor } from '../../database/pool.ts'
import { sql } from '../../database/sql.ts'
import { forgetLinks } from '../account-links.ts'
import type { Accounts } from '../accounts.ts'

/**
 * Deletes the credentials of a user that is deleted in this transaction. After the commit the caller has to call
 * `sessions.forget`.
 */
export async function forgetLogins(accounts: Accounts, transaction: Executor, id: string): Promise<void> {
  await accounts.sessions.end(transaction, id)
  await transaction.query(sql`DELETE FROM ${accounts.identities} WHERE user_id = ${id}`)
  await forgetLinks(accounts, transaction, id)
}
