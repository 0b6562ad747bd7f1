import { type Decoder, entry, number, rowDecoder, text } from '../../database/decode-row.ts'
import { sql } from '../../database/sql.ts'
import type { Principal } from '../../scheduling/principal.ts'
import type { Conversation } from '../conversation.ts'
import type { Messaging } from '../messaging.ts'
import { messagingErrors } from '../messaging-errors.ts'
import type { Asker } from '../presence.ts'

/** How far somebody has received and read, in milliseconds; null when it never said so. */
export interface Progress {
  readonly received: number | null
  readonly read: number | null
}

export interface MaxRead extends Progress {
  /** Each member, the one who asks last: clients take the first that has times for another one. */
  readonly members: readonly (Progress & { readonly clientId: string })[]
}

/**
 * How far the other members have received and read (protocol/realtime, Other conversation queries, max_read): the
 * furthest of them, and each.
 * @throws MessagingError 4303, 4314 where no cursors are kept, 4317
 */
export async function maxRead(messaging: Messaging, { clientId, principal }: Asker, convId: string): Promise<MaxRead> {
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

/** How far each member of a conversation has come that has ever said so. */
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

/** The furthest that any of them has come. */
export function furthest(progresses: readonly Progress[]): Progress {
  const latest = (times: readonly (number | null)[]) =>
    times.reduce((most, time) => (time !== null && (most === null || time > most) ? time : most), null)
  return {
    received: latest(progresses.map(({ received }) => received)),
    read: latest(progresses.map(({ read }) => read)),
  }
}

const decodeProgress: Decoder<Progress> = rowDecoder({
  received: number.orNull('received'),
  read: number.orNull('read'),
})
