import { errors } from '../../errors.ts'
import { appHistory } from '../../messaging/history/app-history.ts'
import type { HistorySource } from '../../messaging/messages/history.ts'
import { findOfKind } from '../../messaging/records/conversation-state.ts'
import { type Call, ok } from '../call.ts'
import { type Route, route } from '../route.ts'
import { type Kind, ROOTS } from './conversation-route.ts'
import { checkViewer } from './history-viewer.ts'

/**
 * Returns the endpoint of a conversation's history (protocol/messaging, History query): for the master key, and for
 * clients with a signature if the app requires signatures for history.
 * @param path the part after the id of the conversation
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

/**
 * Checks that messages to a single client are read only by that client.
 * @throws ApiError 401; MessagingError 4302
 */
function checkMayRead(call: Call): void {
  const viewer = checkViewer(call, 'client_id', call.params.convId!)
  if (viewer !== null && viewer !== (call.params.clientId ?? viewer)) throw errors.unauthorized()
}
