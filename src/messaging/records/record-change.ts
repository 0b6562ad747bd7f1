import { ApiError } from '../../errors.ts'
import { MASTER } from '../../objects/access/caller.ts'
import { EVERYTHING, type Where } from '../../objects/where/tree.ts'
import { updateObject } from '../../objects/writing/update.ts'
import type { Json, JsonObject } from '../../values/json.ts'
import type { Messaging } from '../messaging.ts'
import { messagingErrors } from '../messaging-errors.ts'
import { CONVERSATION, storeOf } from './conversation-class.ts'

export interface RecordChanged {
  /** ISO */
  readonly updatedAt: string
  /** The current values of the changed columns; deleted columns are omitted. */
  readonly changed: { readonly [field: string]: Json }
}

/**
 * Changes the record of a conversation in one statement, which also checks the condition, so that no removal can happen in
 * between.
 * @param body values or field operations, by columns or dotted keys
 * @throws MessagingError 4309 when the condition does not hold; 4303 without a condition, when the conversation does not exist
 */
export async function changeRecord(
  messaging: Messaging,
  convId: string,
  body: JsonObject,
  where: Where | null,
): Promise<RecordChanged> {
  const options = { where: where ?? EVERYTHING, fetch: true }
  try {
    const fields = await updateObject(storeOf(messaging), CONVERSATION, convId, body, options, MASTER)
    const { objectId: _, updatedAt, ...changed } = fields
    return { updatedAt: String(updatedAt), changed }
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 305) throw error
    throw where ? messagingErrors.updateRejected() : messagingErrors.conversationNotFound(convId)
  }
}
