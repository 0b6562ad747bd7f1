import type { Executor } from '../database/pool.ts'
import { sql } from '../database/sql.ts'
import { forgetLinks } from './account-links.ts'
import type { Accounts } from './accounts.ts'

/**
 * Stores the hash of a new password and expires the user's reset links.
 * @param newSession whether to replace the session token; by default if the app requires that
 *   (protocol/accounts, Endpoints, sessionToken changes)
 * @returns the current session token; if it has changed, call `sessions.forget` after the commit
 */
export async function setPassword(
  accounts: Accounts,
  transaction: Executor,
  id: string,
  hash: string,
  newSession = accounts.settings().reloginAfterPasswordChange,
): Promise<string> {
  const sessionToken = newSession
    ? await accounts.sessions.replace(transaction, id)
    : await accounts.sessions.tokenOf(id, transaction)
  await transaction.query(sql`UPDATE ${accounts.credentials} SET password = ${hash} WHERE user_id = ${id}`)
  await forgetLinks(accounts, transaction, id, 'reset')
  return sessionToken
}
