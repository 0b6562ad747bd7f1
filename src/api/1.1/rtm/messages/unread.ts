import { checkClientIds } from '../../../../messaging/client-ids.ts'
import type { Call } from '../../../call.ts'
import { unreadOf } from '../../../messaging/unread-of-client.ts'
import { type Route, route } from '../../../route.ts'

const PATH = '/1.1/rtm/messages/unread/:clientId'

/** Counts the unread messages of a client, in total or in one conversation (protocol/messaging, Interface 1.1). */
export const unreadMessages: readonly Route[] = [
  route({ method: 'GET', path: PATH, rate: 'queries', adminReadable: true, handler: count }),
  route({ method: 'GET', path: `${PATH}/:convId`, rate: 'queries', adminReadable: true, handler: count }),
]

function count(call: Call) {
  const [clientId] = checkClientIds([call.params.clientId!])
  return unreadOf(call, clientId!, call.params.convId ?? null)
}
