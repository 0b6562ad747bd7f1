import { errors } from '../../errors.ts'
import { appHistory } from '../../messaging/history/app-history.ts'
import type { HistorySource } from '../../messaging/messages/history.ts'
import { findOfKind } from '../../messaging/records/conversation-state.ts'
import { type Call, ok } from '../call.ts'
import { type Route, route } from '../route.ts'
import { type Kind, ROOTS } from './conversation-route.ts'
import { checkViewer } from './history-viewer.ts'

/**
 * The history of a conversation (protocol/messaging, History query): for the master key, and where the app wants
 * history to be signed, for clients with a signature.
 * @param path what follows the id of the conversation
 */
export function historyRoute(kind: Kind, path: string, sourceOf: (call: Call, convId: string) => HistorySource): Route {
  return route({
    method: 'GET',
    path: `${ROOTS[kind]}/:convId${path}`,
    rate: 'queries',
    adminReadable: true,
    handler: async (call) => {
      checkMayRead(call)
      const { id } = await findOfKind(call.app.messaging, call.params.convId!, kind)
      return ok(
        await appHistory(call.app.messaging, sourceOf(call, id), call.parameters, call.caller.origin?.principal),
      )
    },
  })
}

/** What is for one client alone is read by that client alone. @throws ApiError 401; MessagingError 4302 */
function checkMayRead(call: Call): void {
  const viewer = checkViewer(call, 'client_id', call.params.convId!)
  if (viewer !== null && viewer !== (call.params.clientId ?? viewer)) throw errors.unauthorized()
}
