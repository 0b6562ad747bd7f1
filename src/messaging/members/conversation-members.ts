import { text } from '../../database/decode-row.ts'
import { sql } from '../../database/sql.ts'
import type { Messaging } from '../messaging.ts'
import { messagingErrors } from '../messaging-errors.ts'
import type { ClientSession, RequestingClient } from '../presence.ts'
import { conversationTable } from '../records/conversation-class.ts'
import { findConversation } from '../records/conversation-state.ts'
import { mayKnow } from './rights.ts'
import { countSubscribers } from './subscriptions.ts'

/**
 * Counts the participants: members, sessions in a chat room, or subscribers.
 * @param by null for the app's back end
 * @throws MessagingError 4303; 4317 for non-members of a private conversation
 */
export async function countMembers(messaging: Messaging, by: RequestingClient | null, convId: string): Promise<number> {
  const conversation = await findConversation(messaging, convId)
  const { kind, members } = conversation
  switch (kind) {
    case 'normal':
    case 'temporary':
      if (by !== null && !mayKnow(messaging, conversation, by.clientId)) throw messagingErrors.membershipRequired()
      return members.size
    case 'room':
      return messaging.presence.countInRoom(convId)
    case 'system':
      return countSubscribers(messaging, convId, by?.principal)
  }
}

/** Returns the members of a conversation. @throws MessagingError 4303 */
export async function listMembers(messaging: Messaging, convId: string): Promise<string[]> {
  return [...(await findConversation(messaging, convId)).members]
}

/**
 * Returns in which of the conversations a client participates: as a member, in a chat room with this session, or as a subscriber
 * (protocol/realtime, Other conversation queries).
 */
export async function takesPart(
  messaging: Messaging,
  session: ClientSession,
  convIds: readonly string[],
): Promise<Record<string, boolean>> {
  const { clientId, principal } = session
  const { temporary, subscriptions } = messaging.tables
  const statement = sql`
    SELECT id FROM ${conversationTable(messaging)}
    WHERE id = ANY(${convIds}::text[])
      AND data->'m' @> ${JSON.stringify([clientId])}::jsonb
      AND data->'tr' IS DISTINCT FROM 'true'
      AND data->'sys' IS DISTINCT FROM 'true'
    UNION
    SELECT conv_id FROM ${subscriptions} WHERE conv_id = ANY(${convIds}::text[]) AND client_id = ${clientId}
    UNION
    SELECT id FROM ${temporary}
    WHERE id = ANY(${convIds}::text[])
      AND ${clientId} = ANY(members)
      AND expires_ts > (extract(epoch FROM clock_timestamp()) * 1000)::bigint`
  const rows = await messaging.database.query(statement, principal)
  const found = new Set(rows.map(text('id')))
  const room = messaging.presence.roomOf(session)
  return Object.fromEntries(convIds.map((id) => [id, found.has(id) || id === room]))
}
