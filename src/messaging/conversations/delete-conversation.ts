import { MASTER } from '../../objects/access/caller.ts'
import { deleteObject } from '../../objects/writing/delete.ts'
import { changeOf } from '../members/membership.ts'
import { storeNotifications } from '../members/notifications.ts'
import type { Messaging } from '../messaging.ts'
import { MessagingError } from '../messaging-errors.ts'
import { CONVERSATION, storeOf } from '../records/conversation-class.ts'
import { removeSomeData } from '../records/conversation-data.ts'
import { notificationOf, notify } from '../records/conversation-notifications.ts'
import { type ConversationState, readState } from '../records/conversation-state.ts'

/**
 * Deletes a conversation with all its data. Its members, and the sessions in a chat room, are notified that they have left. The
 * messages are deleted in batches afterwards; if that is interrupted, another deletion removes the rest. Only for the app's back
 * end; deleting an unknown conversation succeeds.
 */
export async function deleteConversation(messaging: Messaging, convId: string): Promise<void> {
  const state = await deleteRecord(messaging, convId)
  if (state) {
    await messaging.conversations.forget(convId)
    const event = notificationOf(changeOf(state, null), 'left')
    if (state.kind === 'room') notify(messaging, { room: convId }, event)
    else if (state.kind === 'normal') notify(messaging, state.members, event)
  }
  while (!(await removeSomeData(messaging, convId)));
}

/** Deletes the record. @returns the state before; null when it did not exist */
async function deleteRecord(messaging: Messaging, convId: string): Promise<ConversationState | null> {
  try {
    return await messaging.database.transaction(async (transaction) => {
      const state = await readState(messaging, transaction, convId, 'FOR UPDATE', [])
      await deleteObject(storeOf(messaging), CONVERSATION, convId, null, MASTER, transaction)
      if (state.kind === 'normal' && state.members.length > 0)
        await storeNotifications(messaging, transaction, state.members, notificationOf(changeOf(state, null), 'left'))
      return state
    })
  } catch (error) {
    if (error instanceof MessagingError && error.code === 4303) return null
    throw error
  }
}
