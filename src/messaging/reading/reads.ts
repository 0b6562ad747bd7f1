import type { Conversation } from '../conversation.ts'
import type { Unread } from '../events.ts'
import { targetedThread } from '../messages/threads.ts'
import type { Messaging } from '../messaging.ts'
import type { MovedCursor, ReadCursor } from '../read-cursors.ts'
import { hasReceipts, sendReceipts } from './receipts.ts'
import { countsOf } from './unread.ts'

/** The messages that a client acknowledges: one message, or all from one time to another, in milliseconds. */
export type Received =
  | { readonly convId: string; readonly messageId: string }
  | { readonly convId: string; readonly from: number | null; readonly to: number }

/** What a client has read: everything up to a time, up to a message, or, with neither, all messages. */
export interface Read {
  readonly convId: string
  readonly messageId: string | null
  readonly ts: number | null
}

/**
 * Records what a client has received (protocol/realtime, Client acknowledgement), and sends receipts to the senders that
 * requested them. Acknowledgements in conversations that the client does not participate in are ignored, because the client
 * expects no response.
 * @param atMost the maximum time of the cursor; null for no maximum
 * @returns the time up to which the client has received the conversation; null when nothing was recorded
 */
export async function acknowledge(
  messaging: Messaging,
  clientId: string,
  received: Received,
  atMost: number | null = null,
): Promise<number | null> {
  const conversation = await markable(messaging, clientId, received.convId)
  if (!conversation) return null
  const isOne = 'messageId' in received
  const moved = await messaging.readCursors.move({
    ...cursorKeyOf(conversation, clientId),
    read: false,
    ...(isOne ? { messageId: received.messageId, upTo: null } : { messageId: null, upTo: timeOf(received.to) }),
    atMost,
    receipts: hasReceipts(conversation) ? (isOne ? 'this' : { from: timeOf(received.from ?? 0) }) : null,
  })
  if (!moved) return null
  await sendReceipts(messaging, conversation.id, clientId, false, moved.receipts)
  return moved.upTo
}

/**
 * Records what a client has read (protocol/realtime, Read). Sends receipts to the senders that requested them, and the unread
 * counts to all sessions of the client on all nodes.
 */
export async function markRead(messaging: Messaging, clientId: string, reads: readonly Read[]): Promise<void> {
  const marked = await Promise.all(
    reads.map(async (read) => {
      const conversation = await markable(messaging, clientId, read.convId)
      return conversation && { conversation, moved: await moveRead(messaging, clientId, conversation, read) }
    }),
  )
  const known = marked.filter((entry) => entry !== null)
  if (known.length === 0) return
  const states = await statesAfter(messaging, clientId, known)
  messaging.presence.deliver({ clients: [clientId] }, { kind: 'unread', at: Date.now(), conversations: states })
  await Promise.all(
    known.map(({ conversation, moved }) =>
      sendReceipts(messaging, conversation.id, clientId, true, moved?.receipts ?? []),
    ),
  )
}

async function moveRead(
  messaging: Messaging,
  clientId: string,
  conversation: Conversation,
  { messageId, ts }: Read,
): Promise<MovedCursor | null> {
  return messaging.readCursors.move({
    ...cursorKeyOf(conversation, clientId),
    read: true,
    messageId: ts === null ? messageId : null,
    upTo: ts === null ? null : timeOf(ts),
    atMost: null,
    receipts: hasReceipts(conversation) ? 'last' : null,
  })
}

/** Returns the unread states after the move. The database counts only where a later message may be unread. */
async function statesAfter(
  messaging: Messaging,
  clientId: string,
  known: readonly { readonly conversation: Conversation; readonly moved: MovedCursor | null }[],
): Promise<Unread[]> {
  const kinds = new Map(known.map(({ conversation }) => [conversation.id, conversation.kind]))
  const open = new Map(
    known
      .filter(({ moved }) => !moved || moved.upTo < moved.lastTs)
      .map(({ conversation: { id, kind } }) => [id, { convId: id, kind }]),
  )
  const counted = await countsOf(messaging, clientId, [...open.values()])
  const unread = new Map(counted.map((state) => [state.convId, state]))
  return [...kinds].map(
    ([convId, kind]) => unread.get(convId) ?? { convId, kind, count: 0, mentioned: false, last: null },
  )
}

/** Returns the conversation if the client participates and its kind has cursors; chat rooms have none. */
async function markable(messaging: Messaging, clientId: string, convId: string): Promise<Conversation | null> {
  const conversation = await messaging.conversations.find(convId)
  if (!conversation || conversation.kind === 'room') return null
  return conversation.kind === 'system' || conversation.members.has(clientId) ? conversation : null
}

/** Clamps a time. Cursors of many clients share a statement, and an invalid time must not fail it for the others. */
function timeOf(ts: number): number {
  return Number.isFinite(ts) ? Math.trunc(Math.min(Math.max(ts, 0), Number.MAX_SAFE_INTEGER)) : 0
}

function cursorKeyOf(
  { id, kind }: Conversation,
  clientId: string,
): Pick<ReadCursor, 'clientId' | 'convId' | 'ownThread'> {
  return { clientId, convId: id, ownThread: kind === 'system' ? targetedThread(id, clientId) : null }
}
