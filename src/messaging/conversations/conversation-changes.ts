import { isJsonObject, type Json, type JsonObject } from '../../values/json.ts'
import type { Conversation } from '../conversation.ts'
import type { Messaging } from '../messaging.ts'
import { messagingErrors } from '../messaging-errors.ts'
import type { ClientSession } from '../presence.ts'
import { builtInColumn } from '../records/conversation-class.ts'
import { isMember } from '../records/conversation-conditions.ts'
import { callConversationHook } from '../records/conversation-hooks.ts'
import { notificationOf, notify } from '../records/conversation-notifications.ts'
import { findConversation } from '../records/conversation-state.ts'
import { changeRecord } from '../records/record-change.ts'
import { checkRecordSize, MAX_CHANGED_BYTES, MAX_SENT_BYTES } from '../records/record-size.ts'

export interface ConversationUpdated {
  /** ISO */
  readonly updatedAt: string
  /** The changes, as sent or as a hook changed them. */
  readonly attributes: JsonObject
  /** The current values of the columns concerned; deleted columns are omitted. */
  readonly changed: { readonly [field: string]: Json }
}

/**
 * Changes attributes of a conversation: columns, or parts of them by dotted keys, also with field operations (protocol/realtime,
 * conv/update, mute, unmute).
 * @param by null for the app's back end; clients must be members, or be in the chat room
 * @throws MessagingError 4303, 4305, 4306 for built-in columns and for exceeded sizes, 4307, 4309; ApiErrors of `updateObject`
 */
export async function updateConversation(
  messaging: Messaging,
  by: ClientSession | null,
  convId: string,
  attributes: JsonObject,
): Promise<ConversationUpdated> {
  const conversation = await findConversation(messaging, convId)
  if (conversation.kind === 'temporary')
    throw messagingErrors.readOnly('The attributes of a temporary conversation cannot be changed.')
  checkMayChange(messaging, conversation, by)
  checkColumns(attributes)
  const wanted = by ? await callUpdateHook(messaging, by, convId, attributes) : attributes
  if (by) await checkRecordSize(messaging, convId, wanted, MAX_CHANGED_BYTES)
  const condition = conversation.kind === 'normal' && by ? isMember(by.clientId) : null
  const { updatedAt, changed } = await changeRecord(messaging, convId, wanted, condition)
  await messaging.conversations.forget(convId)
  await announce(messaging, by, convId, { updatedAt, attributes: wanted, changed })
  return { updatedAt, attributes: wanted, changed }
}

/** Membership of a group is checked by the statement that changes it. @throws MessagingError 4309 */
function checkMayChange(messaging: Messaging, { id, kind }: Conversation, by: ClientSession | null): void {
  if (!by || kind === 'normal') return
  if (kind === 'system' || messaging.presence.roomOf(by) !== id) throw messagingErrors.updateRejected()
}

function checkColumns(attributes: JsonObject): void {
  const column = builtInColumn(attributes)
  if (column !== undefined) throw messagingErrors.updateFailed(`'${column}' cannot be changed this way.`)
}

async function callUpdateHook(
  messaging: Messaging,
  by: ClientSession,
  convId: string,
  attributes: JsonObject,
): Promise<JsonObject> {
  const input = { initBy: by.clientId, convId, attr: attributes }
  const { attr } = await callConversationHook(messaging, '_conversationUpdate', input)
  if (!isJsonObject(attr)) return attributes
  checkColumns(attr)
  return attr
}

/** Notifies all members, except the session that made the change (protocol/realtime, Membership and management pushes). */
async function announce(
  messaging: Messaging,
  by: ClientSession | null,
  convId: string,
  { updatedAt, attributes, changed }: ConversationUpdated,
): Promise<void> {
  const conversation = await messaging.conversations.find(convId)
  if (!conversation || conversation.kind === 'system') return
  const change = {
    convId,
    conversation: conversation.kind,
    by: by?.clientId ?? null,
    at: Date.parse(updatedAt),
    updatedAt,
  }
  const audience = conversation.kind === 'room' ? { room: convId } : [...conversation.members]
  const details = { attributes, changed: shownColumns(changed) }
  notify(messaging, audience, notificationOf(change, 'updated', details), by?.id ?? null)
}

/**
 * Returns the columns that members are sent in full. For larger ones they are sent the changes only, and query the conversation
 * for the rest.
 */
function shownColumns(changed: ConversationUpdated['changed']): ConversationUpdated['changed'] {
  let left = MAX_SENT_BYTES
  return Object.fromEntries(
    Object.entries(changed).filter(([, value]) => {
      const size = Buffer.byteLength(JSON.stringify(value))
      if (size > left) return false
      left -= size
      return true
    }),
  )
}
