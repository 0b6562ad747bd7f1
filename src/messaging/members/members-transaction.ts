import type { Executor } from '../../database/pool.ts'
import { appPrincipal } from '../../scheduling/principal.ts'
import type { Messaging } from '../messaging.ts'
import type { Asker } from '../presence.ts'

/** Members from which on their rows take the database long enough for others to go first: each has some of its own. */
const MANY = 50

/**
 * Runs what writes rows of members in a transaction.
 * @param asker whose principal is charged; null: the app
 * @param count how many members it is for, at most
 */
export function membersTransaction<Result>(
  { database, appId }: Messaging,
  asker: Asker | null,
  count: number,
  work: (transaction: Executor) => Promise<Result>,
): Promise<Result> {
  const principal = asker?.principal ?? appPrincipal(appId)
  return count < MANY ? database.transaction(work, principal) : database.backgroundTransaction(work, principal)
}
