import { errors } from '../../errors.ts'
import { checkClientIds } from '../client-ids.ts'
import { type Message, newMessageId } from '../message.ts'
import type { Messaging } from '../messaging.ts'
import type { MessagePosition } from '../presence.ts'
import { findOfKind } from '../records/conversation-state.ts'
import { notifyAbsent } from './absent-members.ts'
import { checkDraft, hasPush } from './send-message.ts'
import { targetedThread } from './threads.ts'

/** protocol/messaging, Limits */
export const MAX_RECEIVERS = 20

export interface TargetedMessage {
  readonly convId: string
  readonly fromClient: string
  readonly toClients: readonly string[]
  readonly content: string
  readonly bin: boolean
  /** Sent to online clients only. */
  readonly transient: boolean
  /** Whether the sending client receives the message too. */
  readonly sync: boolean
  readonly pushData: string | null
  /** Lowers the priority of transient messages. */
  readonly lowPriority?: boolean
  readonly ip: string | null
}

/**
 * Sends a message of a system conversation to selected clients (protocol/messaging, System conversations). It is stored once for
 * each of them, with one id and one time.
 * @throws MessagingError 4303, 4313; ApiError 1, 107
 */
export async function sendTargeted(
  messaging: Messaging,
  targeted: TargetedMessage,
): Promise<{ id: string; ts: number }> {
  const { convId, fromClient, content, bin, transient, sync, ip } = targeted
  const receivers = checkReceivers(targeted.toClients)
  const written = { convId, sender: fromClient, content, bin, mentionAll: false, mentions: [], receipt: false, ip }
  checkDraft({ ...written, pushData: targeted.pushData })
  const conversation = await findOfKind(messaging, convId, 'system')
  const { id, ts, position } = transient ? passing() : await store(messaging, written, receivers)
  const message: Message = { ...written, id, ts, patchedAt: null, recalled: false }
  const clients = [...new Set(sync ? [...receivers, fromClient] : receivers)]
  const spare = transient && targeted.lowPriority
  const event = { kind: 'message', message, conversation: 'system', transient, ...(spare && { spare }) } as const
  messaging.presence.deliver({ clients }, event, null, position)
  if (!transient && hasPush(messaging, targeted.pushData))
    notifyAbsent(messaging, conversation, message, receivers, targeted.pushData)
  return { id, ts }
}

/** Returns the receivers without duplicates. @throws ApiError 1 when there are none or too many */
function checkReceivers(clientIds: readonly string[]): string[] {
  const receivers = checkClientIds(clientIds)
  if (receivers.length === 0 || receivers.length > MAX_RECEIVERS)
    throw errors.badArgument(`A message must have 1 to ${MAX_RECEIVERS} recipients; this one has ${receivers.length}.`)
  return receivers
}

interface Position {
  readonly id: string
  readonly ts: number
  readonly position: MessagePosition | null
}

function passing(): Position {
  return { id: newMessageId(), ts: Date.now(), position: null }
}

async function store(
  messaging: Messaging,
  written: Omit<Message, 'id' | 'ts' | 'patchedAt' | 'recalled'>,
  receivers: readonly string[],
): Promise<Position> {
  const { convId } = written
  const threads = receivers.map((clientId) => targetedThread(convId, clientId))
  const { id, ts, before } = await messaging.messages.store({ ...written, id: newMessageId(), threads, token: null })
  return { id, ts, position: { convId, before, ts } }
}
