import type { Executor } from '../database/pool.ts'
import { MASTER } from '../objects/access/caller.ts'
import { PLAIN_VIEW, presentRows } from '../objects/reading/present.ts'
import type { JsonObject } from '../values/json.ts'
import { type Accounts, byId, findUser, userClass } from './accounts.ts'

/**
 * Returns a user for cloud code that acts for the user: its fields and its session token (protocol/cloud-code, Request
 * body).
 * @returns null when the user does not exist
 */
export async function userForHooks(
  accounts: Accounts,
  userId: string,
  executor: Executor = accounts.database,
): Promise<JsonObject | null> {
  const user = await findUser(accounts, byId(userId), executor)
  if (!user) return null
  const [text] = await presentRows(accounts.objects, userClass(accounts), [user.row], PLAIN_VIEW, MASTER)
  const { sessionToken } = user
  return { ...JSON.parse(text!), ...(sessionToken !== null && { sessionToken }) }
}
