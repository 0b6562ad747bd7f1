import type { Executor } from '../../database/pool.ts'
import { appPrincipal } from '../../scheduling/principal.ts'
import type { Messaging } from '../messaging.ts'
import type { RequestingClient } from '../presence.ts'

/** From this number of members on, the transaction has low priority: the rows take the database considerable time. */
const MANY = 50

/**
 * Runs work that writes rows of members in a transaction.
 * @param client the client whose principal is charged; null for the app
 * @param count the maximum number of members
 */
export function membersTransaction<Result>(
  { database, appId }: Messaging,
  client: RequestingClient | null,
  count: number,
  work: (transaction: Executor) => Promise<Result>,
): Promise<Result> {
  const principal = client?.principal ?? appPrincipal(appId)
  return count < MANY ? database.transaction(work, principal) : database.backgroundTransaction(work, principal)
}
