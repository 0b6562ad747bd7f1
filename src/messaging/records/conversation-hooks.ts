import type { JsonObject } from '../../values/json.ts'
import { type DecidingHook, verdictOf } from '../hooks.ts'
import type { Messaging } from '../messaging.ts'
import { messagingErrors } from '../messaging-errors.ts'

type ConversationHook = Extract<DecidingHook, `_conversation${string}`>

/**
 * Asks the app whether a client may do something with a conversation (protocol/cloud-code, Messaging hook parameters).
 * The app's own back end does not ask the hooks.
 * @returns the hook's answer
 * @throws MessagingError 4305 with what the hook said
 */
export async function askConversationHook(
  messaging: Messaging,
  hook: ConversationHook,
  input: JsonObject,
): Promise<JsonObject> {
  if (!messaging.hooks.has(hook)) return {}
  const answer = await messaging.hooks.decide(hook, input)
  if (answer.reject === true) throw messagingErrors.conversationRejected(verdictOf(answer))
  return answer
}
