import type { ConversationKind } from '../conversation.ts'
import type { Message } from '../message.ts'
import type { Messaging } from '../messaging.ts'

/** A message as the REST interface shows it (protocol/messaging, Message). */
export interface HistoryItem {
  readonly 'msg-id': string
  readonly 'conv-id': string
  /** Milliseconds. */
  readonly timestamp: number
  readonly from: string
  readonly to: string
  readonly data: string
  readonly bin: boolean
  readonly 'is-conv': boolean
  readonly 'is-room': boolean
  readonly 'from-ip': string
}

export function historyItem(message: Message, kind: ConversationKind): HistoryItem {
  return {
    'msg-id': message.id,
    'conv-id': message.convId,
    timestamp: message.ts,
    from: message.sender,
    to: message.convId,
    data: message.content,
    bin: message.bin,
    'is-conv': kind !== 'room',
    'is-room': kind === 'room',
    'from-ip': message.ip ?? '',
  }
}

/** Messages of any conversations; one that is gone is shown as a normal one. */
export async function historyItems(messaging: Messaging, messages: readonly Message[]): Promise<HistoryItem[]> {
  const ids = [...new Set(messages.map(({ convId }) => convId))]
  const found = await Promise.all(ids.map((id) => messaging.conversations.find(id)))
  const kinds = new Map(ids.map((id, index) => [id, found[index]?.kind ?? 'normal']))
  return messages.map((message) => historyItem(message, kinds.get(message.convId)!))
}
