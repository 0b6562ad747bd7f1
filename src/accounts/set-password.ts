import type { Executor } from '../database/pool.ts'
import { sql } from '../database/sql.ts'
import { forgetLinks } from './account-links.ts'
import type { Accounts } from './accounts.ts'

/**
 * Stores the hash of a new password; links that were sent for choosing one are useless from then on.
 * @param newSession whether the session token changes with it: in any case, or if the app wants that
 * (protocol/accounts, Endpoints,
 *   sessionToken changes)
 * @returns the session token from now on; when it has changed, `sessions.forget` has to follow the commit
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
