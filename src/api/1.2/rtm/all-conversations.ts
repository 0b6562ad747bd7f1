import { list } from '../../messaging/record-routes.ts'
import { masterRoute } from '../../route.ts'

/** GET /1.2/rtm/all-conversations — returns conversations of all kinds (protocol/messaging, Global operations). */
export const allConversations = masterRoute({
  method: 'GET',
  path: '/1.2/rtm/all-conversations',
  rate: 'queries',
  adminReadable: true,
  handler: (call) => list(call, null),
})
