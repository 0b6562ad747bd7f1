import type { JsonObject } from '../../values/json.ts'
import { type DecidingHook, rejectionOf } from '../hooks.ts'
import type { Messaging } from '../messaging.ts'
import { messagingErrors } from '../messaging-errors.ts'

type ConversationHook = Extract<DecidingHook, `_conversation${string}`>

/**
 * Calls a hook that decides whether a client may change a conversation (protocol/cloud-code, Messaging hook parameters). Requests
 * of the app's back end do not call hooks.
 * @returns the response of the hook
 * @throws MessagingError 4305 with the reason of the hook
 */
export async function callConversationHook(
  messaging: Messaging,
  hook: ConversationHook,
  input: JsonObject,
): Promise<JsonObject> {
  if (!messaging.hooks.has(hook)) return {}
  const answer = await messaging.hooks.decide(hook, input)
  if (answer.reject === true) throw messagingErrors.conversationRejected(rejectionOf(answer))
  return answer
}
