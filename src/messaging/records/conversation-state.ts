import { date, json, jsonOrNull, number, rowDecoder } from '../../database/decode-row.ts'
import type { Executor } from '../../database/pool.ts'
import { raw, sql } from '../../database/sql.ts'
import { isJsonObject, type Json, type JsonObject, member } from '../../values/json.ts'
import { isObjectId } from '../../values/names.ts'
import type { Conversation, ConversationKind } from '../conversation.ts'
import { kindOf, textsOf } from '../conversations.ts'
import type { Messaging } from '../messaging.ts'
import { messagingErrors } from '../messaging-errors.ts'
import { conversationTable, memberInfoTable } from './conversation-class.ts'

/** A conversation as the database has it now, for decisions on its members. */
export interface ConversationState {
  readonly id: string
  readonly kind: ConversationKind
  readonly members: readonly string[]
  readonly muters: readonly string[]
  readonly creator: string | null
  /** Whether its members share one conversation: a second request for the same members finds the first. */
  readonly isUnique: boolean
  /** Roles that were given to clients, of those who were asked for. */
  readonly roles: ReadonlyMap<string, string>
  /** By the clock of the database, which all nodes share: milliseconds. */
  readonly now: number
  /** ISO */
  readonly updatedAt: string
}

/**
 * The row of a conversation is the lock of all that belongs to it: its members, their roles, who is blocked or silenced.
 * Who changes that takes it for update; who only relies on it, and does not mind others who do too, takes it for share.
 */
export type Lock = 'FOR UPDATE' | 'FOR SHARE' | ''

/**
 * @param executor a transaction, if there is a lock
 * @param who the clients whose roles matter
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
    SELECT data, updated_at
    FROM ${conversationTable(messaging)}
    WHERE id = ${convId}
    ${raw(lock)}`)
  if (!row) throw messagingErrors.conversationNotFound(convId)
  // A statement of its own: one that waited for the lock would see roles, and the time, as they were when it began.
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

/** A conversation that has not ended. @throws MessagingError 4303 */
export async function findConversation(messaging: Messaging, convId: string): Promise<Conversation> {
  const found = await messaging.conversations.find(convId)
  if (!found || (found.expiresAt !== null && found.expiresAt <= Date.now()))
    throw messagingErrors.conversationNotFound(convId)
  return found
}

/** A conversation of one kind. @throws MessagingError 4303; 4313, 4314 or 4316 when it is of another kind */
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
