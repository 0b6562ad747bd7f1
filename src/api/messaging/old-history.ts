import { errors } from '../../errors.ts'
import { appHistory } from '../../messaging/history/app-history.ts'
import type { HistorySource } from '../../messaging/messages/history.ts'
import { findOldThread } from '../../messaging/messages/old-conversation-ids.ts'
import { targetedThread } from '../../messaging/messages/threads.ts'
import { type Answer, type Call, ok } from '../call.ts'
import { requiredText, textIn } from '../request-fields.ts'
import { checkViewer } from './history-viewer.ts'

/**
 * Returns a history by interface 1.1 (protocol/messaging, Interface 1.1): of a conversation, of a sender, or of all.
 * For the master key, and of a conversation for clients with a signature. `max_ts` is an older name of `timestamp`.
 */
export async function oldHistory(call: Call): Promise<Answer> {
  const { app, parameters, caller } = call
  const source = await sourceOf(call)
  const wanted = { ...parameters, timestamp: parameters.timestamp ?? parameters.max_ts }
  return ok(await appHistory(app.messaging, source, wanted, caller.origin?.principal))
}

/** @throws ApiError 1, 401; MessagingError 4302 */
async function sourceOf(call: Call): Promise<HistorySource> {
  const { app, parameters, caller } = call
  const given = caller.master ? textIn(parameters, 'convid') : requiredConversation(call)
  if (given) {
    const viewer = checkViewer(call, 'peerid', given)
    const { convId, clientId } = await findOldThread(app.messaging, given)
    if (clientId === null) return { threads: [convId] }
    if (viewer !== null && viewer !== clientId) throw errors.unauthorized()
    return { threads: [targetedThread(convId, clientId)] }
  }
  const sender = textIn(parameters, 'from')
  return sender ? { sender } : { everything: true }
}

function requiredConversation({ app, parameters }: Call): string {
  if (!app.messaging.settings().historySignature) throw errors.unauthorized()
  return requiredText(parameters, 'convid')
}
