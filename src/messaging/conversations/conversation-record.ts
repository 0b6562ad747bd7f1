import type { Json, JsonObject } from '../../values/json.ts'
import { member } from '../../values/json.ts'
import { CONVERSATION_TYPES, type ConversationKind } from '../conversation.ts'
import { kindOf, textsOf } from '../conversations.ts'
import type { Message } from '../message.ts'
import type { TemporaryConversation } from './temporary-conversations.ts'

/** Facts about a conversation that are not in its record. */
export interface RecordFacts {
  /** When the last message was stored, in milliseconds; undefined for none. */
  readonly lastTime: number | undefined
  /** The last message, if it is to be returned. */
  readonly lastMessage: Message | undefined
  /** When the requesting client subscribed to it, in milliseconds. */
  readonly subscribedSince: number | undefined
}

/**
 * Returns a conversation as a client receives it (protocol/realtime, conv/query).
 * @param stored the object, with its system fields
 * @param clientId the requesting client
 * @param compact omits the members
 */
export function shownRecord(stored: JsonObject, clientId: string, compact: boolean, facts: RecordFacts): JsonObject {
  const kind = kindOf(stored)
  const { m, ...fields } = withLastTime(stored, facts.lastTime)
  return {
    ...fields,
    ...(kind === 'normal' && !compact && m !== undefined && { m }),
    ...clientSpecificFields(kind, textsOf(member(stored, 'mu')).includes(clientId), facts),
    ...shownMessage(facts.lastMessage),
  }
}

/** Returns a record with the current time of the last message, if there is one: the stored time may be behind. */
export function withLastTime(stored: JsonObject, lastTime: number | undefined): JsonObject {
  const { lm, ...fields } = stored
  if (kindOf(stored) === 'system') return fields
  const shown = lastTime === undefined ? lm : dateOf(lastTime)
  return shown === undefined ? fields : { ...fields, lm: shown }
}

/** Returns a temporary conversation as a client receives it. @param now milliseconds */
export function shownTemporary(
  { id, members, creator, createdAt, expiresAt }: TemporaryConversation,
  compact: boolean,
  { lastTime, lastMessage }: Pick<RecordFacts, 'lastTime' | 'lastMessage'>,
  now: number,
): JsonObject {
  const created = new Date(createdAt).toISOString()
  const ttl = Math.ceil((expiresAt - now) / 1000)
  return {
    objectId: id,
    createdAt: created,
    updatedAt: created,
    c: creator,
    ...(!compact && { m: members }),
    muted: false,
    conv_type: CONVERSATION_TYPES.temporary,
    temp: true,
    tempConv: true,
    ttl,
    tempConvTTL: ttl,
    ...(lastTime !== undefined && { lm: dateOf(lastTime) }),
    ...shownMessage(lastMessage),
  }
}

/** Returns the fields that depend on the requesting client. */
function clientSpecificFields(kind: ConversationKind, muted: boolean, { subscribedSince }: RecordFacts): JsonObject {
  const part = { conv_type: CONVERSATION_TYPES[kind], muted }
  if (kind !== 'system') return part
  return {
    ...part,
    joined: subscribedSince !== undefined,
    ...(subscribedSince !== undefined && { joinedAt: subscribedSince }),
  }
}

/** `bin` is required beside `msg`: one client fails without it (protocol/realtime, conv/query). */
function shownMessage(message: Message | undefined): JsonObject {
  if (!message) return {}
  return {
    msg: message.content,
    bin: message.bin,
    msg_mid: message.id,
    msg_from: message.sender,
    msg_timestamp: message.ts,
    ...(message.patchedAt !== null && { patch_timestamp: message.patchedAt }),
    ...(message.mentionAll && { mention_all: true }),
    ...(message.mentions.length > 0 && { mention_pids: message.mentions }),
  }
}

function dateOf(time: number): Json {
  return { __type: 'Date', iso: new Date(time).toISOString() }
}
