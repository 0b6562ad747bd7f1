import { isUniqueViolation } from '../../database/faults.ts'
import type { Executor } from '../../database/pool.ts'
import { errors } from '../../errors.ts'
import { MASTER } from '../../objects/access/caller.ts'
import { parseChanges } from '../../objects/operations/parse.ts'
import { PLAIN_VIEW } from '../../objects/reading/present.ts'
import { readObject } from '../../objects/reading/read.ts'
import { createObject, schemaFor } from '../../objects/writing/create.ts'
import type { Created } from '../../objects/writing/present-created.ts'
import type { JsonObject } from '../../values/json.ts'
import { checkClientIds } from '../client-ids.ts'
import { MAX_MEMBERS, tooManyMembers } from '../members/add-members.ts'
import { beginReading } from '../members/begin-reading.ts'
import { findUnique, uniqueIdOf } from '../members/member-set.ts'
import { membersTransaction } from '../members/members-transaction.ts'
import { storeNotifications } from '../members/notifications.ts'
import type { Messaging } from '../messaging.ts'
import { messagingErrors } from '../messaging-errors.ts'
import type { ClientSession } from '../presence.ts'
import { builtInColumn, CONVERSATION, storeOf } from '../records/conversation-class.ts'
import { callConversationHook } from '../records/conversation-hooks.ts'
import { type Change, notificationOf, notifyJoined } from '../records/conversation-notifications.ts'

export interface NewConversation {
  readonly kind: 'normal' | 'room' | 'system'
  /** Initial members of a normal conversation; its creator is added. */
  readonly members: readonly string[]
  /** Its columns: `name`, `attr`, and custom ones. */
  readonly attributes: JsonObject
  /** Returns the existing unique conversation of these members, if any. */
  readonly unique: boolean
}

export interface StartedConversation {
  readonly id: string
  /** The record as stored, with `objectId`, `createdAt` and `updatedAt`. */
  readonly record: JsonObject
  /** Whether it existed already. */
  readonly existing: boolean
}

/**
 * Creates a conversation, or finds the unique one of the same members and returns it unchanged (protocol/realtime, conv/start).
 * The creator of a chat room enters it.
 * @param by null for the app's back end; only it creates system conversations
 * @throws MessagingError 4304, 4305, 4308; ApiError 117 for built-in columns, and those of `createObject`
 */
export async function createConversation(
  messaging: Messaging,
  by: ClientSession | null,
  wanted: NewConversation,
): Promise<StartedConversation> {
  const { kind, attributes } = wanted
  if (kind === 'system' && by !== null)
    throw messagingErrors.notAllowed('Only calls with the master key can create system conversations.')
  const column = builtInColumn(attributes)
  if (column !== undefined) throw errors.readOnlyKey(column)
  const members = kind === 'normal' ? initialMembers(by?.clientId ?? null, wanted.members, MAX_MEMBERS) : []
  const unique = wanted.unique && members.length > 0
  if (unique) {
    const existing = await findUnique(messaging, messaging.database, members)
    if (existing !== null) return existingConversation(messaging, existing)
  }
  if (by)
    await callConversationHook(messaging, '_conversationStart', { initBy: by.clientId, members, attr: attributes })
  const fields = fieldsOf(kind, by?.clientId ?? null, members, unique, attributes)
  const started = await insert(messaging, by, members, unique, fields)
  if (started.existing) return started
  if (kind === 'room' && by) messaging.presence.enterRoom(by, started.id)
  messaging.hooks.notify('_conversationStarted', { convId: started.id })
  return started
}

/** Returns the initial members, including the creator. @throws MessagingError 4304 */
export function initialMembers(creator: string | null, clientIds: readonly string[], limit: number): string[] {
  const members = checkClientIds(creator === null ? clientIds : [...clientIds, creator])
  if (members.length > limit) throw tooManyMembers(limit)
  return members
}

function fieldsOf(
  kind: NewConversation['kind'],
  creator: string | null,
  members: readonly string[],
  unique: boolean,
  attributes: JsonObject,
): JsonObject {
  const own = creator === null ? attributes : { ...attributes, c: creator }
  switch (kind) {
    case 'normal':
      return { ...own, m: members, unique, ...(unique && { uniqueId: uniqueIdOf(members) }) }
    case 'room':
      return { ...own, tr: true }
    case 'system':
      return { ...own, sys: true }
  }
}

async function insert(
  messaging: Messaging,
  by: ClientSession | null,
  members: readonly string[],
  unique: boolean,
  fields: JsonObject,
): Promise<StartedConversation> {
  const store = storeOf(messaging)
  // New columns are created before the transaction, because they use a connection of their own.
  await schemaFor(store, CONVERSATION, parseChanges(fields, false), MASTER)
  if (members.length === 0) return startedOf(await createObject(store, CONVERSATION, fields, MASTER))
  try {
    const { created, change } = await membersTransaction(messaging, by, members.length, (transaction) =>
      insertWithMembers(messaging, transaction, by, members, fields),
    )
    notifyJoined(messaging, change, members, members)
    return startedOf(created)
  } catch (error) {
    if (!unique || !isUniqueViolation(error, 'conversation_unique_id')) throw error
    // A concurrent request has just created it.
    const existing = await findUnique(messaging, messaging.database, members)
    if (existing === null) throw error
    return existingConversation(messaging, existing)
  }
}

async function insertWithMembers(
  messaging: Messaging,
  transaction: Executor,
  by: ClientSession | null,
  members: readonly string[],
  fields: JsonObject,
): Promise<{ created: Created; change: Change }> {
  const created = await createObject(storeOf(messaging), CONVERSATION, fields, MASTER, { transaction })
  const change: Change = {
    convId: created.id,
    conversation: 'normal',
    by: by?.clientId ?? null,
    at: Date.parse(created.createdAt),
    updatedAt: created.createdAt,
  }
  await beginReading(messaging, transaction, created.id, members)
  await storeNotifications(messaging, transaction, members, notificationOf(change, 'joined'))
  return { created, change }
}

function startedOf({ id, createdAt, data }: Created): StartedConversation {
  const record = { objectId: id, createdAt, updatedAt: createdAt, ...(JSON.parse(String(data)) as JsonObject) }
  return { id, record, existing: false }
}

async function existingConversation(messaging: Messaging, id: string): Promise<StartedConversation> {
  const found = await readObject(messaging.objects, CONVERSATION, id, PLAIN_VIEW, MASTER)
  if (!found) throw messagingErrors.conversationNotFound(id)
  return { id, record: JSON.parse(found.text) as JsonObject, existing: true }
}
