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
import { askConversationHook } from '../records/conversation-hooks.ts'
import { type Change, newsOf, notifyJoined } from '../records/conversation-news.ts'
import { initialMembers } from './create-conversation.ts'

/** protocol/realtime, Limits; times in seconds */
const MAX_MEMBERS = 10
const DEFAULT_TTL = 86_400
const MAX_TTL = 30 * 86_400
/** How many ended ones are removed whenever a new one is made. */
const REMOVED_AT_ONCE = 2

export interface NewTemporary {
  readonly members: readonly string[]
  /** Seconds; what is not at least 1 counts as a day, and what is more than 30 days as 30 days. */
  readonly ttl: number | null
  /** The one of these members is wanted, made only if there is none that has not ended. */
  readonly unique: boolean
}

/** A conversation that is no object and ends by itself. Times in milliseconds. */
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
  /** Seconds that it has still to go, rounded up. */
  readonly ttl: number
  /** It was there already. */
  readonly existing: boolean
}

/**
 * Makes a temporary conversation, or finds the unique one of the same members (protocol/realtime, conv/start;
 * protocol/realtime, Temporary conversations). It costs some of those that have ended.
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
  await askConversationHook(messaging, '_conversationStart', { initBy: by.clientId, members, attr: {} })
  const ttl = grantedTtl(wanted.ttl)
  const started = await membersTransaction(messaging, by, members.length, (transaction) =>
    insert(messaging, transaction, by, members, ttl, uniqueId),
  )
  if (!('change' in started)) return started
  await removeEnded(messaging)
  // Last: the response must be given in the same turn (see `DeferredNotifications` of realtime/session.ts).
  notifyJoined(messaging, started.change, members, members)
  messaging.hooks.notify('_conversationStarted', { convId: started.conversation.id })
  return { conversation: started.conversation, ttl, existing: false }
}

function grantedTtl(wanted: number | null): number {
  if (wanted === null || !Number.isFinite(wanted) || wanted < 1) return DEFAULT_TTL
  return Math.min(Math.floor(wanted), MAX_TTL)
}

/** The temporary conversations that have not expired. */
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

/** Makes it, unless there is one of the same members by then. One that has ended stands in nobody's way. */
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
  await storeNotifications(messaging, transaction, members, newsOf(change, 'joined'))
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

/** Removes some of those that have ended, with what was said in them, a part at a time. */
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
