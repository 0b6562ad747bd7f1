import { text } from '../../database/decode-row.ts'
import type { Executor } from '../../database/pool.ts'
import { sql } from '../../database/sql.ts'
import { changeOf, changingMembers, dismiss } from '../members/membership.ts'
import { checkBlacklistIsOn } from '../members/rights.ts'
import { endSubscriptions } from '../members/subscriptions.ts'
import type { Messaging } from '../messaging.ts'
import { messagingErrors } from '../messaging-errors.ts'
import { type PageRequest, pageOf, splitPage } from '../paged-list.ts'
import { notificationOf, notify, notifyLeft } from '../records/conversation-notifications.ts'
import { type ConversationState, findConversation, readState } from '../records/conversation-state.ts'

export interface ConversationPage {
  readonly convIds: readonly string[]
  /** The cursor of the next page; null for the last page. */
  readonly next: string | null
}

/**
 * Blocks a conversation for a client: it leaves, and cannot be added until it unblocks the conversation (protocol/messaging,
 * Client operations).
 * @param by the client itself; null for the app's back end
 * @throws MessagingError 4303, 4307, 4544
 */
export async function blockConversation(
  messaging: Messaging,
  by: string | null,
  clientId: string,
  convId: string,
): Promise<void> {
  const notify = await block(messaging, by, clientId, convId)
  notify()
}

/**
 * Blocks several conversations. Sends all notifications at the end, as the last step of the command (see `DeferredNotifications`
 * of realtime/session.ts).
 */
export async function blockConversations(
  messaging: Messaging,
  by: string | null,
  clientId: string,
  convIds: readonly string[],
): Promise<void> {
  const notifications: (() => void)[] = []
  try {
    for (const convId of convIds) notifications.push(await block(messaging, by, clientId, convId))
  } finally {
    for (const notify of notifications) notify()
  }
}

/** Blocks a conversation. @returns a function that notifies the members */
async function block(messaging: Messaging, by: string | null, clientId: string, convId: string): Promise<() => void> {
  checkBlacklistIsOn(messaging)
  const { kind } = await findConversation(messaging, convId)
  if (kind === 'temporary')
    throw messagingErrors.readOnly('A temporary conversation expires automatically and cannot be deleted.')
  const { state, change } = await changingMembers(messaging, null, 1, async (transaction) => {
    const state = await readState(messaging, transaction, convId, 'FOR UPDATE', [])
    await transaction.query(sql`
      INSERT INTO ${messaging.tables.clientBlocks} (client_id, conv_id)
      VALUES (${clientId}, ${convId})
      ON CONFLICT DO NOTHING`)
    return { state, change: await leave(messaging, transaction, state, by, clientId) }
  })
  if (!change) return () => {}
  await messaging.conversations.forget(convId)
  return () => {
    if (kind === 'room') notify(messaging, [clientId], notificationOf(change, 'left'))
    else if (kind === 'normal') {
      const remaining = state.members.filter((member) => member !== clientId)
      notifyLeft(messaging, change, [clientId], remaining)
    }
  }
}

/** Removes the client from the conversation. @returns null when it did not participate */
async function leave(
  messaging: Messaging,
  transaction: Executor,
  state: ConversationState,
  by: string | null,
  clientId: string,
) {
  if (state.kind === 'room') return changeOf(state, by)
  if (state.kind === 'system') await endSubscriptions(messaging, transaction, state.id, [clientId])
  if (!state.members.includes(clientId)) return null
  return dismiss(messaging, transaction, state, [clientId], by)
}

/** Unblocks a conversation for a client. @throws MessagingError 4544 */
export async function unblockConversation(messaging: Messaging, clientId: string, convId: string): Promise<void> {
  checkBlacklistIsOn(messaging)
  await messaging.database.query(sql`
    DELETE FROM ${messaging.tables.clientBlocks} WHERE client_id = ${clientId} AND conv_id = ${convId}`)
}

/** Lists the conversations that a client blocks. @throws MessagingError 4544; ApiError 1 */
export async function listBlockedConversations(
  messaging: Messaging,
  clientId: string,
  request: PageRequest,
): Promise<ConversationPage> {
  checkBlacklistIsOn(messaging)
  const page = pageOf(request)
  const rows = await messaging.database.query(sql`
    SELECT conv_id
    FROM ${messaging.tables.clientBlocks}
    WHERE client_id = ${clientId}
    ORDER BY conv_id
    LIMIT ${page.limit + 1}::bigint OFFSET ${page.offset}::bigint`)
  const [items, next] = splitPage(rows, page)
  return { convIds: items.map(text('conv_id')), next }
}
