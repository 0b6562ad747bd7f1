import { sql } from '../../database/sql.ts'
import { errors } from '../../errors.ts'
import { checkClientIds } from '../client-ids.ts'
import { checkManageable } from '../members/managing.ts'
import { membersTransaction } from '../members/members-transaction.ts'
import { checkMemberInfoIsOn } from '../members/rights.ts'
import type { Messaging } from '../messaging.ts'
import { readState } from '../records/conversation-state.ts'

/** Seconds (protocol/messaging, Limits). */
const MAX_TTL = 86_400

/**
 * Silences a client for a time, on behalf of the app's back end; clients are not notified (protocol/messaging, One-on-one and
 * group conversations). A permanent silence is not changed.
 * @param ttl seconds, at most 24 hours
 * @throws MessagingError 4303, 4307, 4325; ApiError 1
 */
export async function silenceFor(messaging: Messaging, convId: string, clientId: string, ttl: number): Promise<void> {
  checkMemberInfoIsOn(messaging)
  if (!Number.isInteger(ttl) || ttl < 1 || ttl > MAX_TTL)
    throw errors.badArgument(`'ttl' must be 1 to ${MAX_TTL} seconds.`)
  checkClientIds([clientId])
  await checkManageable(messaging, convId)
  const { silences } = messaging.tables
  await membersTransaction(messaging, null, 1, async (transaction) => {
    const { now } = await readState(messaging, transaction, convId, 'FOR UPDATE', [])
    await transaction.query(sql`
      DELETE FROM ${silences} WHERE conv_id = ${convId} AND until_ts <= ${now}::bigint`)
    await transaction.query(sql`
      INSERT INTO ${silences} AS silence (conv_id, client_id, until_ts)
      VALUES (${convId}, ${clientId}, ${now + ttl * 1000}::bigint)
      ON CONFLICT (conv_id, client_id) DO UPDATE SET until_ts = excluded.until_ts
      WHERE silence.until_ts IS NOT NULL`)
  })
  await messaging.conversations.forget(convId)
}

/** Lifts a temporary silence, but not a permanent one. @throws MessagingError 4303, 4307, 4325 */
export async function endSilence(messaging: Messaging, convId: string, clientId: string): Promise<void> {
  checkMemberInfoIsOn(messaging)
  await checkManageable(messaging, convId)
  await messaging.database.query(sql`
    DELETE FROM ${messaging.tables.silences}
    WHERE conv_id = ${convId} AND client_id = ${clientId} AND until_ts IS NOT NULL`)
  await messaging.conversations.forget(convId)
}
