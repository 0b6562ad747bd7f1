import { ok } from '../../call.ts'
import { route } from '../../route.ts'
import { recordOf } from '../notifications.ts'

/**
 * GET /1.1/tables/Notifications/:id — returns the notification record of a push to any client that knows its id
 * (protocol/push, Notification records).
 */
export const notificationTable = route({
  method: 'GET',
  path: '/1.1/tables/Notifications/:id',
  rate: 'reads',
  adminReadable: true,
  handler: async (call) => ok(await recordOf(call)),
})
