import { type Decoder, number, rowDecoder, text, texts } from '../../database/decode-row.ts'
import type { Executor } from '../../database/pool.ts'
import { sql } from '../../database/sql.ts'
import type { Principal } from '../../scheduling/principal.ts'
import { newObjectId } from '../../values/names.ts'
import { temporaryId } from '../conversation.ts'
import { beginReading } from '../members/begin-reading.ts'
import { uniqueIdOf } from '../members/member-set.ts'
import { membersTransaction } from '../members/members-transaction.ts'
import { storeNotifications } from '../members/notifications.ts'
import type { Messaging } from '../messaging.ts'
import type { ClientSession } from '../presence.ts'
import { removeSomeData } from '../records/conversation-data.ts'
import { callConversationHook } from '../records/conversation-hooks.ts'
import { type Change, notificationOf, notifyJoined } from '../records/conversation-notifications.ts'
import { initialMembers } from './create-conversation.ts'

/** protocol/realtime, Limits; times in seconds */
const MAX_MEMBERS = 10
const DEFAULT_TTL = 86_400
const MAX_TTL = 30 * 86_400
/** How many expired conversations are deleted for each new one. */
const REMOVED_AT_ONCE = 2

export interface NewTemporary {
  readonly members: readonly string[]
  /** Seconds; values below 1 count as a day, values above 30 days as 30 days. */
  readonly ttl: number | null
  /** Returns the existing unexpired unique conversation of these members, if any. */
  readonly unique: boolean
}

/** A conversation that is not an object and expires automatically. Times in milliseconds. */
export interface TemporaryConversation {
  readonly id: string
  readonly members: readonly string[]
  readonly creator: string
  readonly createdAt: number
  readonly expiresAt: number
}

interface Inserted {
  readonly conversation: TemporaryConversation
  readonly change: Change
}

export interface StartedTemporary {
  readonly conversation: TemporaryConversation
  /** Remaining seconds, rounded up. */
  readonly ttl: number
  /** Whether it existed already. */
  readonly existing: boolean
}

/**
 * Creates a temporary conversation, or finds the unique one of the same members (protocol/realtime, conv/start;
 * protocol/realtime, Temporary conversations). Each creation deletes some expired ones.
 * @throws MessagingError 4304, 4305
 */
export async function createTemporary(
  messaging: Messaging,
  by: ClientSession,
  wanted: NewTemporary,
): Promise<StartedTemporary> {
  const members = initialMembers(by.clientId, wanted.members, MAX_MEMBERS)
  const uniqueId = wanted.unique ? uniqueIdOf(members) : null
  const existing = uniqueId && (await findUnexpired(messaging, messaging.database, uniqueId))
  if (existing) return existing
  await callConversationHook(messaging, '_conversationStart', { initBy: by.clientId, members, attr: {} })
  const ttl = grantedTtl(wanted.ttl)
  const started = await membersTransaction(messaging, by, members.length, (transaction) =>
    insert(messaging, transaction, by, members, ttl, uniqueId),
  )
  if (!('change' in started)) return started
  await removeEnded(messaging)
  // Last, because the response must be sent in the same iteration of the event loop (see `DeferredNotifications` of
  // realtime/session.ts).
  notifyJoined(messaging, started.change, members, members)
  messaging.hooks.notify('_conversationStarted', { convId: started.conversation.id })
  return { conversation: started.conversation, ttl, existing: false }
}

function grantedTtl(wanted: number | null): number {
  if (wanted === null || !Number.isFinite(wanted) || wanted < 1) return DEFAULT_TTL
  return Math.min(Math.floor(wanted), MAX_TTL)
}

/** Returns the temporary conversations that have not expired. */
export async function findTemporary(
  messaging: Messaging,
  ids: readonly string[],
  principal?: Principal,
): Promise<TemporaryConversation[]> {
  const statement = sql`
    SELECT id, members, creator, created_ts, expires_ts
    FROM ${messaging.tables.temporary}
    WHERE id = ANY(${ids}::text[]) AND expires_ts > (extract(epoch FROM clock_timestamp()) * 1000)::bigint`
  const rows = await messaging.database.query(statement, principal)
  return rows.map(conversationOf)
}

/**
 * Inserts the conversation, unless a concurrent request has inserted one of the same members. Expired ones give up their unique
 * id.
 */
async function insert(
  messaging: Messaging,
  transaction: Executor,
  by: ClientSession,
  members: readonly string[],
  ttl: number,
  uniqueId: string | null,
): Promise<Inserted | StartedTemporary> {
  const { temporary } = messaging.tables
  const id = temporaryId(newObjectId())
  await transaction.query(sql`
    UPDATE ${temporary}
    SET unique_id = NULL
    WHERE unique_id = ${uniqueId} AND expires_ts <= (extract(epoch FROM clock_timestamp()) * 1000)::bigint`)
  const [row] = await transaction.query(sql`
    INSERT INTO ${temporary} (id, unique_id, members, creator, created_ts, expires_ts)
    SELECT ${id}, ${uniqueId}, ${members}::text[], ${by.clientId}, now, now + ${ttl * 1000}::bigint
    FROM (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now) AS clock
    ON CONFLICT (unique_id) WHERE unique_id IS NOT NULL DO NOTHING
    RETURNING id, members, creator, created_ts, expires_ts`)
  if (!row) {
    const found = await findUnexpired(messaging, transaction, uniqueId!)
    return found ?? insert(messaging, transaction, by, members, ttl, uniqueId)
  }
  const conversation = conversationOf(row)
  const change: Change = {
    convId: id,
    conversation: 'temporary',
    by: by.clientId,
    at: conversation.createdAt,
    updatedAt: new Date(conversation.createdAt).toISOString(),
    ttl,
  }
  await beginReading(messaging, transaction, id, members)
  await storeNotifications(messaging, transaction, members, notificationOf(change, 'joined'))
  return { conversation, change }
}

async function findUnexpired(
  messaging: Messaging,
  executor: Executor,
  uniqueId: string,
): Promise<StartedTemporary | null> {
  const [row] = await executor.query(sql`
    SELECT id, members, creator, created_ts, expires_ts, now
    FROM ${messaging.tables.temporary}, (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now) AS clock
    WHERE unique_id = ${uniqueId} AND expires_ts > now`)
  if (!row) return null
  const conversation = conversationOf(row)
  const ttl = Math.ceil((conversation.expiresAt - number('now')(row)) / 1000)
  return { conversation, ttl, existing: true }
}

/** Deletes some expired conversations with their messages, a batch at a time. */
async function removeEnded(messaging: Messaging): Promise<void> {
  const { temporary } = messaging.tables
  const rows = await messaging.database.query(sql`
    SELECT id
    FROM ${temporary}
    WHERE expires_ts <= (extract(epoch FROM clock_timestamp()) * 1000)::bigint
    ORDER BY expires_ts
    LIMIT ${REMOVED_AT_ONCE}::bigint`)
  for (const id of rows.map(text('id'))) {
    if (await removeSomeData(messaging, id))
      await messaging.database.query(sql`DELETE FROM ${temporary} WHERE id = ${id}`)
  }
}

export const conversationOf: Decoder<TemporaryConversation> = rowDecoder({
  id: text('id'),
  members: texts('members'),
  creator: text('creator'),
  createdAt: number('created_ts'),
  expiresAt: number('expires_ts'),
})
