import { type Notification, readNotifications } from '../../../messaging/members/notifications.ts'
import { encode } from '../../../realtime-protocol/codec.ts'
import { pushOf } from '../../../realtime-protocol/pushes.ts'
import { numberOf } from '../../../values/json.ts'
import { type Call, JsonText, ok } from '../../call.ts'
import { callingClient } from '../../messaging/calling-client.ts'
import { route } from '../../route.ts'

/**
 * GET /1.1/rtm/notifications — returns the notifications that a client has missed, oldest first, after `start_ts`
 * (protocol/realtime, REST calls made by realtime clients). With `notification_type`, returns that kind; else both
 * kinds by their names.
 */
export const rtmNotifications = route({
  method: 'GET',
  path: '/1.1/rtm/notifications',
  rate: 'queries',
  handler: async (call) => {
    const clientId = await callingClient(call)
    const page = (permanent: boolean) => readPage(call, clientId, permanent)
    switch (call.parameters.notification_type) {
      case 'permanent':
        return ok(new JsonText(await page(true)))
      case 'droppable':
        return ok(new JsonText(await page(false)))
      default:
        return ok(new JsonText(`{"permanent":${await page(true)},"droppable":${await page(false)}}`))
    }
  },
})

async function readPage({ app, parameters }: Call, clientId: string, permanent: boolean): Promise<string> {
  const since = numberOf(parameters.start_ts)
  const from = Number.isSafeInteger(since) && since > 0 ? since : 0
  const { notifications, hasMore } = await readNotifications(app.messaging, clientId, from, permanent)
  const forms = notifications.map((missed) => formOf(clientId, permanent, missed))
  return `{"hasMore":${hasMore},"notifications":[${forms.join(',')}]}`
}

/** Returns the missed command, with its parts in one object. */
function formOf(peerId: string, permanent: boolean, { ts, event }: Notification): string {
  return encode({ ...pushOf(event), peerId, serverTs: ts, notificationType: permanent ? 1 : 2 }, 'json') as string
}
