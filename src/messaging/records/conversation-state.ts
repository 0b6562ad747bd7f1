import { date, json, jsonOrNull, number, rowDecoder } from '../../database/decode-row.ts'
import type { Executor } from '../../database/pool.ts'
import { raw, sql } from '../../database/sql.ts'
import { isJsonObject, type Json, type JsonObject, member } from '../../values/json.ts'
import { isObjectId } from '../../values/names.ts'
import type { Conversation, ConversationKind } from '../conversation.ts'
import { kindOf, messagingFields, textsOf } from '../conversations.ts'
import type { Messaging } from '../messaging.ts'
import { messagingErrors } from '../messaging-errors.ts'
import { conversationTable, memberInfoTable } from './conversation-class.ts'

/** The current state of a conversation in the database, for decisions about its members. */
export interface ConversationState {
  readonly id: string
  readonly kind: ConversationKind
  readonly members: readonly string[]
  readonly muters: readonly string[]
  readonly creator: string | null
  /** Whether it is the unique conversation of its members: another request for the same members finds it. */
  readonly isUnique: boolean
  /** The stored roles of the requested clients. */
  readonly roles: ReadonlyMap<string, string>
  /** Milliseconds by the clock of the database, which all nodes share. */
  readonly now: number
  /** ISO */
  readonly updatedAt: string
}

/**
 * The row of a conversation locks everything that belongs to it: members, roles, blocked and silenced clients. Changes lock it
 * for update; operations that only rely on the state lock it for share.
 */
export type Lock = 'FOR UPDATE' | 'FOR SHARE' | ''

/**
 * Reads the state of a conversation.
 * @param executor a transaction, if there is a lock
 * @param who the clients whose roles are needed
 * @throws MessagingError 4303
 */
export async function readState(
  messaging: Messaging,
  executor: Executor,
  convId: string,
  lock: Lock,
  who: readonly string[],
): Promise<ConversationState> {
  if (!isObjectId(convId)) throw messagingErrors.conversationNotFound(convId)
  const [row] = await executor.query(sql`
    SELECT ${messagingFields(raw('data'))} AS data, updated_at
    FROM ${conversationTable(messaging)}
    WHERE id = ${convId}
    ${raw(lock)}`)
  if (!row) throw messagingErrors.conversationNotFound(convId)
  // A separate statement: one that waited for the lock would see the roles, and the time, of its beginning.
  const [facts] = await executor.query(sql`
    SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now, (
      SELECT jsonb_object_agg(data->>'clientId', data->>'role')
      FROM ${memberInfoTable(messaging)}
      WHERE data->>'cid' = ${convId} AND data->>'clientId' = ANY(${who}::text[])
    ) AS roles`)
  const { data, updatedAt } = decodeConversation(row)
  const { roles, now } = decodeFacts(facts!)
  const creator = member(data, 'c')
  return {
    id: convId,
    kind: kindOf(data),
    members: [...new Set(textsOf(member(data, 'm')))],
    muters: textsOf(member(data, 'mu')),
    creator: typeof creator === 'string' ? creator : null,
    isUnique: member(data, 'unique') === true,
    roles: rolesIn(roles),
    now,
    updatedAt,
  }
}

function rolesIn(value: Json): Map<string, string> {
  return new Map(isJsonObject(value) ? Object.entries(value).map(([clientId, role]) => [clientId, String(role)]) : [])
}

/** Finds an unexpired conversation. @throws MessagingError 4303 */
export async function findConversation(messaging: Messaging, convId: string): Promise<Conversation> {
  const found = await messaging.conversations.find(convId)
  if (!found || (found.expiresAt !== null && found.expiresAt <= Date.now()))
    throw messagingErrors.conversationNotFound(convId)
  return found
}

/** Finds a conversation of one kind. @throws MessagingError 4303; 4313, 4314 or 4316 when it is of another kind */
export async function findOfKind(
  messaging: Messaging,
  convId: string,
  kind: Exclude<ConversationKind, 'temporary'>,
): Promise<Conversation> {
  const found = await findConversation(messaging, convId)
  if (found.kind === kind) return found
  switch (kind) {
    case 'normal':
      throw messagingErrors.normalRequired()
    case 'room':
      throw messagingErrors.roomRequired()
    case 'system':
      throw messagingErrors.systemRequired()
  }
}

const decodeConversation = rowDecoder({ data: json<JsonObject>('data'), updatedAt: date('updated_at') })
const decodeFacts = rowDecoder({ roles: jsonOrNull<JsonObject>('roles'), now: number('now') })
