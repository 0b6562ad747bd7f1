import type { Executor } from '../../database/pool.ts'
import { sql } from '../../database/sql.ts'
import { errors } from '../../errors.ts'
import { DEFAULT_INBOX, PRIVATE_INBOX, type Statuses } from './statuses.ts'

/** Maximum inbox types of an app besides the two built-in ones. Limited because each user can have an inbox of every type. */
const MAX_TYPES = 100

/**
 * Registers an inbox type if it is new.
 * @throws ApiError 154 above the maximum of types
 */
export async function ensureInboxType(
  { tables: { types } }: Pick<Statuses, 'tables'>,
  transaction: Executor,
  inboxType: string,
): Promise<void> {
  if (inboxType === DEFAULT_INBOX || inboxType === PRIVATE_INBOX) return
  const known = () => transaction.query(sql`SELECT FROM ${types} WHERE inbox_type = ${inboxType}`)
  if ((await known()).length > 0) return
  // Serialized, so that the count is exact.
  await transaction.query(sql`LOCK TABLE ${types} IN SHARE ROW EXCLUSIVE MODE`)
  const added = await transaction.query(sql`
    INSERT INTO ${types} (inbox_type)
    SELECT ${inboxType}
    WHERE (SELECT count(*) FROM ${types}) < ${MAX_TYPES}::integer
    ON CONFLICT DO NOTHING
    RETURNING inbox_type`)
  if (added.length === 0 && (await known()).length === 0)
    throw errors.thresholdExceeded(
      `The app has reached its maximum of ${MAX_TYPES} values of 'inboxType' besides the two default ones.`,
    )
}
