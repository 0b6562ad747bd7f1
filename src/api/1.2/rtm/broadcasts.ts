import { deleteBroadcast } from '../../../messaging/messages/broadcasts.ts'
import { ok } from '../../call.ts'
import { validBroadcasts } from '../../messaging/broadcasts.ts'
import { masterRoute, type Route } from '../../route.ts'

/** Broadcasts to all clients of the app (protocol/messaging, System conversations). */
export const broadcasts: readonly Route[] = [
  masterRoute({
    method: 'GET',
    path: '/1.2/rtm/broadcasts',
    rate: 'queries',
    adminReadable: true,
    handler: validBroadcasts,
  }),
  masterRoute({
    method: 'DELETE',
    path: '/1.2/rtm/broadcasts/:messageId',
    rate: 'writes',
    handler: async ({ app, params }) => {
      await deleteBroadcast(app.messaging, params.messageId!)
      return ok({})
    },
  }),
]
