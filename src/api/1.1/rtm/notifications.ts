import { notificationForm, readNotifications } from '../../../messaging/notifications.ts'
import { ok } from '../../call.ts'
import { route } from '../../route.ts'
import { callingClient } from './client.ts'

const NONE = { hasMore: false, notifications: [] }

/**
 * GET /1.1/rtm/notifications — what a client was not there to be told, from old to new, after `start_ts`
 * (spec/realtime-protocol, 10.3). Without `notification_type` the kinds stand apart, each under its name.
 */
export const rtmNotifications = route('GET', '/1.1/rtm/notifications', async (call) => {
  const clientId = await callingClient(call)
  const since = Number(call.query.start_ts)
  const from = Number.isSafeInteger(since) && since > 0 ? since : 0
  const { notifications, hasMore } = await readNotifications(call.app.messaging, clientId, from)
  const forms = notifications.map((notification) => notificationForm(clientId, notification))
  const permanent = { hasMore, notifications: forms }
  return ok(call.query.notification_type === 'permanent' ? permanent : { permanent, droppable: NONE })
})
