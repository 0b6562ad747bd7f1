import { CONVERSATION_TYPES, type ConversationKind } from '../messaging/conversation.ts'
import type { Patch, SessionEvent, Unread } from '../messaging/events.ts'
import { isPermanent } from '../messaging/events.ts'
import { type Message, RECALLED_CONTENT } from '../messaging/message.ts'
import type { ConvCommand, DirectCommand, GenericCommand, PatchItem, UnreadTuple } from './schema.ts'
import { SharedCommand } from './shared-command.ts'

/** A command with many receivers, without the id of the receiver. */
export type Push = Omit<GenericCommand, 'peerId'>

const shared = new WeakMap<SessionEvent, SharedCommand>()

/** Returns the command of an event. It is made once for all sessions. */
export function sharedPushOf(event: SessionEvent): SharedCommand {
  const known = shared.get(event)
  if (known) return known
  const made = new SharedCommand(pushOf(event))
  shared.set(event, made)
  return made
}

/** `service` of commands of messaging (protocol/realtime, GenericCommand). */
const MESSAGING = 2

/**
 * Returns the command that delivers an event to a session (protocol/realtime, Membership and management pushes;
 * protocol/realtime, Delivery: direct push; protocol/realtime, Receipts; protocol/realtime, Unread notifications and offline
 * messages; protocol/realtime, Edit and recall: patch). It names its service: clients for iOS drop commands without one.
 */
export function pushOf(event: SessionEvent): Push {
  // Last, so that frames still begin with the kind of their command.
  return { ...commandOf(event), service: MESSAGING }
}

function commandOf(event: SessionEvent): Push {
  switch (event.kind) {
    case 'message':
      return { cmd: 'direct', directMessage: directOf(event) }
    case 'patches':
      return { cmd: 'patch', op: 'modify', patchMessage: { patches: event.patches.map(patchOf) } }
    case 'receipt': {
      const { convId: cid, messageId: id, at: t, from, read } = event
      return { cmd: 'rcp', rcpMessage: { id, cid, t, from, ...(read && { read }) } }
    }
    case 'unread':
      return {
        cmd: 'unread',
        unreadMessage: { convs: event.conversations.map(unreadOf), notifTime: event.at },
      }
    case 'conversation':
      return {
        cmd: 'conv',
        op: event.news,
        serverTs: event.at,
        notificationType: isPermanent(event) ? 1 : 2,
        convMessage: conversationCommand(event),
      }
    case 'closed':
      return { cmd: 'session', op: 'closed', sessionMessage: { code: event.code, reason: event.reason } }
  }
}

function directOf({
  message,
  conversation,
  transient,
  offline,
  hasMore,
}: Extract<SessionEvent, { kind: 'message' }>): DirectCommand {
  return {
    cid: message.convId,
    id: message.id,
    fromPeerId: message.sender,
    timestamp: message.ts,
    ...contentOf(message),
    ...mentionsOf(message),
    ...(transient && { transient }),
    ...(offline && { offline }),
    ...(hasMore && { hasMore }),
    ...(message.patchedAt !== null && { patchTimestamp: message.patchedAt }),
    convType: CONVERSATION_TYPES[conversation],
  }
}

/** Returns the text or the bytes, never both: clients prefer the bytes. */
function contentOf({ content, bin }: Message): Pick<DirectCommand, 'msg' | 'binaryMsg'> {
  return bin ? { binaryMsg: Buffer.from(content, 'base64') } : { msg: content }
}

function mentionsOf({ mentions, mentionAll }: Message): Pick<DirectCommand, 'mentionPids' | 'mentionAll'> {
  return { ...(mentions.length > 0 && { mentionPids: [...mentions] }), ...(mentionAll && { mentionAll }) }
}

/**
 * Returns the change of a message. For a recalled message clients get a content that marks it as recalled (protocol/realtime,
 * Server rules that are easy to miss, rule 12).
 */
function patchOf({ message, cause }: Patch): PatchItem {
  const { content, bin, recalled } = message
  const shown = recalled
    ? { data: RECALLED_CONTENT }
    : bin
      ? { binaryMsg: Buffer.from(content, 'base64') }
      : { data: content }
  return {
    cid: message.convId,
    mid: message.id,
    timestamp: message.ts,
    patchTimestamp: message.patchedAt ?? message.ts + 1,
    from: message.sender,
    recall: recalled,
    ...shown,
    ...mentionsOf(message),
    ...(cause && { patchCode: cause.code, patchReason: cause.reason }),
  }
}

function unreadOf({ convId, kind, count, mentioned, last }: Unread): UnreadTuple {
  return {
    cid: convId,
    unread: count,
    mentioned,
    convType: CONVERSATION_TYPES[kind],
    ...(last && {
      mid: last.id,
      timestamp: last.ts,
      from: last.sender,
      ...(last.bin ? { binaryMsg: Buffer.from(last.content, 'base64') } : { data: last.content }),
      ...(last.patchedAt !== null && { patchTimestamp: last.patchedAt }),
    }),
  }
}

function conversationCommand(event: Extract<SessionEvent, { kind: 'conversation' }>): ConvCommand {
  const { convId, conversation, by, updatedAt, members, info, attributes, changed, ttl } = event
  return {
    cid: convId,
    udate: updatedAt,
    ...(by !== null && { initBy: by }),
    ...(members && { m: [...members] }),
    ...(info && { info: { pid: info.clientId, role: info.role, infoId: info.infoId } }),
    ...(attributes && { attr: { data: JSON.stringify(attributes) } }),
    ...(changed && { attrModified: { data: JSON.stringify(changed) } }),
    ...markersOf(conversation, ttl),
  }
}

/** Returns the members from which some clients derive the kind of the conversation. */
function markersOf(kind: ConversationKind, ttl: number | undefined): Partial<ConvCommand> {
  if (kind === 'room') return { transient: true }
  return kind === 'temporary' ? { tempConv: true, ...(ttl !== undefined && { tempConvTTL: ttl }) } : {}
}
