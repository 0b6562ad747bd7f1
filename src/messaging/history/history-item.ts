import { number, rowDecoder, text, texts } from '../../database/decode-row.ts'
import { sql } from '../../database/sql.ts'
import type { ConversationKind } from '../conversation.ts'
import type { Message } from '../message.ts'
import type { Messaging } from '../messaging.ts'

/** A message in the format of the REST interface (protocol/messaging, Message). */
export interface HistoryItem {
  readonly 'msg-id': string
  readonly 'conv-id': string
  /** Milliseconds. */
  readonly timestamp: number
  readonly from: string
  /** The conversation, or the receiving subscriber of a system conversation. */
  readonly to: string
  /** If there are several receivers. */
  readonly 'to-clients'?: readonly string[]
  readonly data: string
  readonly bin: boolean
  readonly 'is-conv': boolean
  readonly 'is-room': boolean
  readonly 'from-ip': string
}

/** Returns a message as a history item. @param receivers the receiving subscribers of a system conversation; empty for all */
export function historyItem(message: Message, kind: ConversationKind, receivers: readonly string[] = []): HistoryItem {
  return {
    'msg-id': message.id,
    'conv-id': message.convId,
    timestamp: message.ts,
    from: message.sender,
    to: receivers[0] ?? message.convId,
    ...(receivers.length > 1 && { 'to-clients': receivers }),
    data: message.content,
    bin: message.bin,
    'is-conv': kind !== 'room',
    'is-room': kind === 'room',
    'from-ip': message.ip ?? '',
  }
}

/** Returns messages of any conversations as history items; deleted conversations count as normal ones. */
export async function historyItems(messaging: Messaging, messages: readonly Message[]): Promise<HistoryItem[]> {
  const ids = [...new Set(messages.map(({ convId }) => convId))]
  const found = await Promise.all(ids.map((id) => messaging.conversations.find(id)))
  const kinds = new Map(ids.map((id, index) => [id, found[index]?.kind ?? 'normal']))
  const receivers = await receiversOf(
    messaging,
    messages.filter(({ convId }) => kinds.get(convId) === 'system'),
  )
  return messages.map((message) => historyItem(message, kinds.get(message.convId)!, receivers(message)))
}

/** Looks up the receivers of messages of system conversations. @returns a function of a message; empty for all subscribers */
export async function receiversOf(
  { database, tables }: Messaging,
  messages: readonly Message[],
): Promise<(message: Message) => readonly string[]> {
  if (messages.length === 0) return () => []
  const rows = await database.query(sql`
    SELECT message.ts, message.id, array_agg(substr(thread, length(conv_id) + 2) ORDER BY thread) AS receivers
    FROM unnest(${messages.map(({ ts }) => String(ts))}::bigint[], ${messages.map(({ id }) => id)}::text[])
      AS given (ts, id)
    JOIN ${tables.messages} AS message ON message.ts = given.ts AND message.id = given.id COLLATE "C"
    WHERE message.thread <> message.conv_id
    GROUP BY message.ts, message.id`)
  const found = new Map(rows.map(decodeReceivers).map(({ receivers, ...message }) => [keyOf(message), receivers]))
  return (message) => found.get(keyOf(message)) ?? []
}

function keyOf({ ts, id }: Pick<Message, 'ts' | 'id'>): string {
  return `${ts} ${id}`
}

const decodeReceivers = rowDecoder({ ts: number('ts'), id: text('id'), receivers: texts('receivers') })
