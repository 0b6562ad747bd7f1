import { deleteBroadcast } from '../../../messaging/messages/broadcasts.ts'
import { ok } from '../../call.ts'
import { sendOldBroadcast, validBroadcasts } from '../../messaging/broadcasts.ts'
import { numberIn, requiredText } from '../../request-fields.ts'
import { masterRoute, type Route } from '../../route.ts'

const PATH = '/1.1/rtm/broadcast'

/** Messages to all clients of the app, valid until a given time, and to subscribers (protocol/messaging, Interface 1.1). */
export const broadcasts: readonly Route[] = [
  masterRoute({
    method: 'POST',
    path: PATH,
    rate: 'writes',
    handler: (call) => sendOldBroadcast(call, { everyoneUntil: numberIn(call.parameters, 'valid_till') ?? null }),
  }),
  masterRoute({
    method: 'POST',
    path: `${PATH}/subscriber`,
    rate: 'writes',
    handler: (call) => sendOldBroadcast(call, 'subscribers'),
  }),
  masterRoute({ method: 'GET', path: PATH, rate: 'queries', handler: validBroadcasts }),
  masterRoute({
    method: 'DELETE',
    path: PATH,
    rate: 'writes',
    handler: async ({ app, parameters }) => {
      await deleteBroadcast(app.messaging, requiredText(parameters, 'mid'))
      return ok({})
    },
  }),
]
