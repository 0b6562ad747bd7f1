import { deleteBroadcast } from '../../../messaging/messages/broadcasts.ts'
import { ok } from '../../call.ts'
import { sendOldBroadcast, validBroadcasts } from '../../messaging/broadcasts.ts'
import { numberIn, requiredText } from '../../request-fields.ts'
import { masterRoute, type Route } from '../../route.ts'

const PATH = '/1.1/rtm/broadcast'

/** Messages to all clients of the app, until a time, and to subscribers (protocol/messaging, Interface 1.1). */
export const broadcasts: readonly Route[] = [
  masterRoute('POST', PATH, (call) =>
    sendOldBroadcast(call, { everyoneUntil: numberIn(call.parameters, 'valid_till') ?? null }),
  ),
  masterRoute('POST', `${PATH}/subscriber`, (call) => sendOldBroadcast(call, 'subscribers')),
  masterRoute('GET', PATH, validBroadcasts),
  masterRoute('DELETE', PATH, async ({ app, parameters }) => {
    await deleteBroadcast(app.messaging, requiredText(parameters, 'mid'))
    return ok({})
  }),
]
