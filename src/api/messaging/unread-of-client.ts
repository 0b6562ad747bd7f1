import { errors } from '../../errors.ts'
import { unreadCount } from '../../messaging/reading/unread.ts'
import { type Answer, type Call, ok } from '../call.ts'
import { callingClient } from './calling-client.ts'

/**
 * Counts the unread messages of a client (protocol/messaging, Client operations).
 * @param convId null: in all conversations
 * @throws ApiError 401
 */
export async function unreadOf(call: Call, clientId: string, convId: string | null): Promise<Answer> {
  await checkMayCount(call, clientId)
  return ok({ count: await unreadCount(call.app.messaging, clientId, convId) })
}

/**
 * Checks that the caller may count unread messages. Any client of the app may (protocol/messaging, Client operations),
 * but if conversations are private, only the client itself: by its session of messaging, or as the user with its id.
 * @throws ApiError 401
 */
async function checkMayCount(call: Call, clientId: string): Promise<void> {
  const { app, caller } = call
  if (app.messaging.settings().openMembership || caller.master || caller.userId === clientId) return
  if ((await callingClient(call)) !== clientId) throw errors.unauthorized()
}
