import { text } from '../../database/decode-row.ts'
import { raw, sql } from '../../database/sql.ts'
import { checkClientIds } from '../client-ids.ts'
import { audienceOf, checkManageable, lockForManaging, readForMember } from '../members/managing.ts'
import { changeOf, changingMembers, dismiss, type ListOutcome } from '../members/membership.ts'
import { checkBlacklistIsOn } from '../members/rights.ts'
import { endSubscriptions } from '../members/subscriptions.ts'
import type { Messaging } from '../messaging.ts'
import { messagingErrors } from '../messaging-errors.ts'
import type { ClientPage, PageRequest } from '../paged-list.ts'
import type { RequestingClient } from '../presence.ts'
import { type Change, notificationOf, notify } from '../records/conversation-notifications.ts'
import type { ConversationState } from '../records/conversation-state.ts'
import { checkListing, type ManagedList, pageOfList, takeOff } from './managed-list.ts'

/** protocol/messaging, Limits */
const MAX_BLOCKED = { normal: 500, room: 10_000, system: 10_000, temporary: 0 } as const

/**
 * Blocks clients from a conversation, and removes members among them (protocol/realtime, Blacklist).
 * @param client null for the app's back end
 * @throws MessagingError 4303, 4307, 4317, 4320, 4544
 */
export async function blockClients(
  messaging: Messaging,
  client: RequestingClient | null,
  convId: string,
  clientIds: readonly string[],
): Promise<ListOutcome> {
  checkBlacklistIsOn(messaging)
  const wanted = checkClientIds(clientIds)
  const by = client?.clientId ?? null
  await checkManageable(messaging, convId)
  const { state, change, blocked, removed, outcome } = await changingMembers(
    messaging,
    client,
    wanted.length,
    async (transaction) => {
      const state = await lockForManaging(messaging, transaction, convId, by, wanted)
      const { added: blocked, outcome } = await checkListing(
        messaging,
        transaction,
        blacklistOf(messaging),
        state,
        by,
        wanted,
      )
      await transaction.query(sql`
        INSERT INTO ${messaging.tables.blocks} (conv_id, client_id)
        SELECT ${convId}, client_id
        FROM unnest(${blocked}::text[]) AS client_id`)
      const removed = state.kind === 'normal' ? blocked.filter((clientId) => state.members.includes(clientId)) : []
      if (state.kind === 'system') await endSubscriptions(messaging, transaction, convId, blocked)
      const change =
        removed.length > 0 ? await dismiss(messaging, transaction, state, removed, by) : changeOf(state, by)
      return { state, change, blocked, removed, outcome }
    },
  )
  if (blocked.length > 0) {
    await messaging.conversations.forget(convId)
    notifyBlocked(messaging, state, change, blocked, removed)
  }
  return outcome
}

/**
 * Unblocks clients, without adding them again.
 * @throws MessagingError 4303, 4307, 4317, 4320, 4544
 */
export async function unblockClients(
  messaging: Messaging,
  client: RequestingClient | null,
  convId: string,
  clientIds: readonly string[],
): Promise<ListOutcome> {
  checkBlacklistIsOn(messaging)
  return takeOff(messaging, blacklistOf(messaging), raw('TRUE'), client, convId, clientIds)
}

/** Lists the clients that a conversation blocks. @throws MessagingError 4303, 4307, 4317, 4544; ApiError 1 */
export async function listBlocked(
  messaging: Messaging,
  client: RequestingClient | null,
  convId: string,
  request: PageRequest,
): Promise<ClientPage> {
  checkBlacklistIsOn(messaging)
  return pageOfList(messaging, blacklistOf(messaging), client, convId, request)
}

/** Returns which of the clients a conversation blocks. @throws MessagingError 4303, 4307, 4317, 4544 */
export async function checkBlocked(
  messaging: Messaging,
  client: RequestingClient | null,
  convId: string,
  clientIds: readonly string[],
): Promise<string[]> {
  checkBlacklistIsOn(messaging)
  await readForMember(messaging, client, convId)
  const statement = sql`
    SELECT client_id
    FROM ${messaging.tables.blocks}
    WHERE conv_id = ${convId} AND client_id = ANY(${clientIds}::text[])
    ORDER BY client_id`
  const rows = await messaging.database.query(statement, client?.principal)
  return rows.map(text('client_id'))
}

function blacklistOf({ tables }: Messaging): ManagedList {
  return {
    table: tables.blocks,
    rows: raw('TRUE'),
    limits: MAX_BLOCKED,
    full: messagingErrors.blacklistFull,
    lifted: ['unblocked', 'members_unblocked'],
  }
}

/**
 * Notifies the blocked clients of the block first, then of their removal, and the remaining members in the same order
 * (protocol/realtime, Membership and management pushes).
 */
function notifyBlocked(
  messaging: Messaging,
  state: ConversationState,
  change: Change,
  blocked: readonly string[],
  removed: readonly string[],
): void {
  const remaining = state.members.filter((clientId) => !removed.includes(clientId))
  const rest = audienceOf(state, remaining)
  notify(messaging, blocked, notificationOf(change, 'blocked'))
  notify(messaging, removed, notificationOf(change, 'left'))
  notify(messaging, rest, notificationOf(change, 'members_blocked', { members: blocked }))
  if (removed.length > 0) notify(messaging, rest, notificationOf(change, 'members_left', { members: removed }))
}
