import { deleteBroadcast } from '../../../messaging/messages/broadcasts.ts'
import { ok } from '../../call.ts'
import { masterRoute } from '../../route.ts'

/** DELETE /1.2/rtm/broadcasts/:messageId — deletes a broadcast message (protocol/messaging, System conversations). */
export const broadcasts = masterRoute('DELETE', '/1.2/rtm/broadcasts/:messageId', async ({ app, params }) => {
  await deleteBroadcast(app.messaging, params.messageId!)
  return ok({})
})
