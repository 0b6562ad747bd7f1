import { errors } from '../../errors.ts'
import { appHistory } from '../../messaging/history/app-history.ts'
import type { HistorySource } from '../../messaging/messages/history.ts'
import { findOfKind } from '../../messaging/records/conversation-state.ts'
import { checkHistorySignature } from '../../messaging/sessions/signatures.ts'
import { type Call, ok } from '../call.ts'
import { requiredClient, requiredText, requiredTime } from '../request-fields.ts'
import { type Route, route } from '../route.ts'
import { type Kind, ROOTS } from './conversation-route.ts'

/**
 * The history of a conversation (protocol/messaging, History query): for the master key, and where the app wants
 * history to be signed, for clients with a signature.
 * @param path what follows the id of the conversation
 */
export function historyRoute(kind: Kind, path: string, sourceOf: (call: Call, convId: string) => HistorySource): Route {
  return route('GET', `${ROOTS[kind]}/:convId${path}`, async (call) => {
    checkMayRead(call)
    const { id } = await findOfKind(call.app.messaging, call.params.convId!, kind)
    return ok(await appHistory(call.app.messaging, sourceOf(call, id), call.parameters, call.caller.origin?.party))
  })
}

/** What is for one client alone is read by that client alone. @throws ApiError 401; MessagingError 4302 */
function checkMayRead({ app, caller, parameters, params }: Call): void {
  if (caller.master) return
  if (!app.messaging.settings().historySignature) throw errors.unauthorized()
  const viewer = requiredClient(parameters, 'client_id')
  checkHistorySignature(app.messaging, viewer, params.convId!, {
    timestamp: requiredTime(parameters, 'signature_ts'),
    nonce: requiredText(parameters, 'nonce'),
    text: requiredText(parameters, 'signature'),
  })
  if (params.clientId !== undefined && params.clientId !== viewer) throw errors.unauthorized()
}
