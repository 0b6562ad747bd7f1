import { type Decoder, entry, number, rowDecoder, text } from '../../database/decode-row.ts'
import { sql } from '../../database/sql.ts'
import type { Principal } from '../../scheduling/principal.ts'
import type { Conversation } from '../conversation.ts'
import type { Messaging } from '../messaging.ts'
import { messagingErrors } from '../messaging-errors.ts'
import type { RequestingClient } from '../presence.ts'

/** Up to when a client has received and read messages, in milliseconds; null before its first acknowledgement. */
export interface Progress {
  readonly received: number | null
  readonly read: number | null
}

export interface MaxRead extends Progress {
  /** All members, with the requesting client last: clients use the first entry that has times. */
  readonly members: readonly (Progress & { readonly clientId: string })[]
}

/**
 * Returns up to when the other members have received and read messages (protocol/realtime, Other conversation queries, max_read):
 * the maximum of them, and each one.
 * @throws MessagingError 4303, 4314 for kinds without cursors, 4317
 */
export async function maxRead(
  messaging: Messaging,
  { clientId, principal }: RequestingClient,
  convId: string,
): Promise<MaxRead> {
  const conversation = await messaging.conversations.find(convId)
  if (!conversation) throw messagingErrors.conversationNotFound(convId)
  if (conversation.kind === 'room' || conversation.kind === 'system') throw messagingErrors.normalRequired()
  if (!conversation.members.has(clientId)) throw messagingErrors.membershipRequired()
  const progress = await progressOf(messaging, conversation, principal)
  const others = [...conversation.members].filter((member) => member !== clientId)
  const members = [...others, clientId].map((member) => ({ clientId: member, ...(progress.get(member) ?? NONE) }))
  return { ...furthest(members.slice(0, -1)), members }
}

const NONE: Progress = { received: null, read: null }

/** Returns the progress of each member that has acknowledged any message. */
export async function progressOf(
  messaging: Messaging,
  { id, members }: Conversation,
  principal?: Principal,
): Promise<Map<string, Progress>> {
  const statement = sql`
    SELECT client_id, CASE WHEN has_read THEN read_ts END AS read, CASE WHEN has_received THEN received_ts END AS received
    FROM ${messaging.tables.reads}
    WHERE conv_id = ${id} AND client_id = ANY(${[...members]}::text[]) AND (has_read OR has_received)`
  const rows = await messaging.database.query(statement, principal)
  return new Map(rows.map(entry(text('client_id'), decodeProgress)))
}

/** Returns the maximum of several progresses. */
export function furthest(progresses: readonly Progress[]): Progress {
  const latest = (times: readonly (number | null)[]) =>
    times.reduce((max, time) => (time !== null && (max === null || time > max) ? time : max), null)
  return {
    received: latest(progresses.map(({ received }) => received)),
    read: latest(progresses.map(({ read }) => read)),
  }
}

const decodeProgress: Decoder<Progress> = rowDecoder({
  received: number.orNull('received'),
  read: number.orNull('read'),
})
