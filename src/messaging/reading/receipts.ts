import { sql } from '../../database/sql.ts'
import type { Conversation } from '../conversation.ts'
import type { SessionEvent } from '../events.ts'
import { newMessageId } from '../message.ts'
import type { Messaging } from '../messaging.ts'
import type { MovedCursor } from '../read-cursors.ts'

type Receipt = Extract<SessionEvent, { kind: 'receipt' }>

/** protocol/realtime, Receipts */
const MAX_MEMBERS = 2

/** Returns whether senders get receipts: only in conversations with at most two members, where the receiver is unambiguous. */
export function hasReceipts({ kind, members }: Conversation): boolean {
  return (kind === 'normal' || kind === 'temporary') && members.size <= MAX_MEMBERS
}

/** Sends receipts to the senders of messages; they are stored for offline senders. */
export async function sendReceipts(
  messaging: Messaging,
  convId: string,
  from: string,
  read: boolean,
  messages: MovedCursor['receipts'],
): Promise<void> {
  if (messages.length === 0) return
  const now = Date.now()
  const receipts = messages.map(({ messageId, sender, ts }) => ({
    sender,
    // Clients treat all messages up to this time as received (protocol/realtime, Receipts).
    event: { kind: 'receipt', convId, messageId, at: Math.max(now, ts), read, from } satisfies Receipt,
  }))
  const online = await messaging.presence.online([...new Set(messages.map(({ sender }) => sender))])
  for (const { sender, event } of receipts) {
    if (online.has(sender)) messaging.presence.deliver({ clients: [sender] }, event)
  }
  await keepReceipts(
    messaging,
    receipts.filter(({ sender }) => !online.has(sender)),
  )
}

/**
 * Stores receipts for offline senders. Unlike membership notifications they may be lost: `permanent` is false (protocol/realtime,
 * Missed conversation notifications).
 */
async function keepReceipts(
  messaging: Messaging,
  receipts: readonly { readonly sender: string; readonly event: Receipt }[],
): Promise<void> {
  if (receipts.length === 0) return
  await messaging.database.query(sql`
    INSERT INTO ${messaging.tables.notifications} (client_id, ts, id, permanent, body)
    SELECT client_id, ts, id, FALSE, body
    FROM unnest(
      ${receipts.map(({ sender }) => sender)}::text[],
      ${receipts.map(({ event }) => String(event.at))}::bigint[],
      ${receipts.map(() => newMessageId())}::text[],
      ${receipts.map(({ event }) => JSON.stringify(event))}::jsonb[]
    ) AS receipt (client_id, ts, id, body)`)
}
