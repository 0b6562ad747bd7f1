import { text } from '../../database/decode-row.ts'
import { raw, sql } from '../../database/sql.ts'
import { checkClientIds } from '../client-ids.ts'
import { audienceOf, checkManageable, lockForManaging, readForMember } from '../members/managing.ts'
import { membersTransaction } from '../members/members-transaction.ts'
import { changeOf, type ListOutcome } from '../members/membership.ts'
import { checkMemberInfoIsOn } from '../members/rights.ts'
import type { Messaging } from '../messaging.ts'
import { messagingErrors } from '../messaging-errors.ts'
import type { ClientPage, PageRequest } from '../paged-list.ts'
import type { RequestingClient } from '../presence.ts'
import { notificationOf, notify } from '../records/conversation-notifications.ts'
import { checkListing, type ManagedList, pageOfList, takeOff } from './managed-list.ts'

/** protocol/messaging, Limits */
const MAX_SILENCED = 500

/**
 * Silences clients until the silence is lifted (protocol/realtime, Speech bans).
 * @param client null for the app's back end
 * @throws MessagingError 4303, 4307, 4317, 4320, 4325
 */
export async function silence(
  messaging: Messaging,
  client: RequestingClient | null,
  convId: string,
  clientIds: readonly string[],
): Promise<ListOutcome> {
  checkMemberInfoIsOn(messaging)
  const wanted = checkClientIds(clientIds)
  const by = client?.clientId ?? null
  await checkManageable(messaging, convId)
  const { state, silenced, outcome } = await membersTransaction(
    messaging,
    client,
    wanted.length,
    async (transaction) => {
      const state = await lockForManaging(messaging, transaction, convId, by, wanted)
      const { added: silenced, outcome } = await checkListing(
        messaging,
        transaction,
        silencedOf(messaging),
        state,
        by,
        wanted,
      )
      await transaction.query(sql`
        INSERT INTO ${messaging.tables.silences} (conv_id, client_id, until_ts)
        SELECT ${convId}, client_id, NULL
        FROM unnest(${silenced}::text[]) AS client_id
        ON CONFLICT (conv_id, client_id) DO UPDATE SET until_ts = NULL`)
      return { state, silenced, outcome }
    },
  )
  if (silenced.length > 0) {
    await messaging.conversations.forget(convId)
    const change = changeOf(state, by)
    notify(messaging, silenced, notificationOf(change, 'shutuped'))
    notify(
      messaging,
      audienceOf(state, state.members),
      notificationOf(change, 'members_shutuped', { members: silenced }),
    )
  }
  return outcome
}

/**
 * Lifts silences, permanent and temporary ones.
 * @throws MessagingError 4303, 4307, 4317, 4320, 4325
 */
export async function unsilence(
  messaging: Messaging,
  client: RequestingClient | null,
  convId: string,
  clientIds: readonly string[],
): Promise<ListOutcome> {
  checkMemberInfoIsOn(messaging)
  return takeOff(messaging, silencedOf(messaging), raw('TRUE'), client, convId, clientIds)
}

/** Lists the permanently silenced clients. @throws MessagingError 4303, 4307, 4317, 4325; ApiError 1 */
export async function listSilenced(
  messaging: Messaging,
  client: RequestingClient | null,
  convId: string,
  request: PageRequest,
): Promise<ClientPage> {
  checkMemberInfoIsOn(messaging)
  return pageOfList(messaging, silencedOf(messaging), client, convId, request)
}

/**
 * Returns which of the clients are currently silenced, temporarily or permanently. @throws MessagingError 4303, 4307, 4317, 4325
 */
export async function checkSilenced(
  messaging: Messaging,
  client: RequestingClient | null,
  convId: string,
  clientIds: readonly string[],
): Promise<string[]> {
  checkMemberInfoIsOn(messaging)
  const { now } = await readForMember(messaging, client, convId)
  const statement = sql`
    SELECT client_id
    FROM ${messaging.tables.silences}
    WHERE conv_id = ${convId}
      AND client_id = ANY(${clientIds}::text[])
      AND (until_ts IS NULL OR until_ts > ${now}::bigint)
    ORDER BY client_id`
  const rows = await messaging.database.query(statement, client?.principal)
  return rows.map(text('client_id'))
}

function silencedOf({ tables }: Messaging): ManagedList {
  return {
    table: tables.silences,
    rows: raw('until_ts IS NULL'),
    limits: { normal: MAX_SILENCED, room: MAX_SILENCED, system: MAX_SILENCED, temporary: MAX_SILENCED },
    full: messagingErrors.silencedListFull,
    lifted: ['unshutuped', 'members_unshutuped'],
  }
}
