import { errors } from '../../../../errors.ts'
import { countSubscribers, isSubscriber } from '../../../../messaging/members/subscriptions.ts'
import { findOfKind } from '../../../../messaging/records/conversation-state.ts'
import { JsonText, ok } from '../../../call.ts'
import { requiredClient, requiredText } from '../../../request-fields.ts'
import { route } from '../../../route.ts'

/**
 * GET /1.1/rtm/conversation/subscribed — with the master key, returns `true` or `false`: whether a client subscribes to
 * a system conversation. Without a client, returns the number of subscribers, which the Android SDK requests with the
 * application key (protocol/messaging, Interface 1.1).
 */
export const subscribed = route({
  method: 'GET',
  path: '/1.1/rtm/conversation/subscribed',
  rate: 'queries',
  handler: async ({ app, parameters, caller }) => {
    const { id } = await findOfKind(app.messaging, requiredText(parameters, 'conv_id'), 'system')
    if ((parameters.client_id ?? '') === '')
      return ok({ count: await countSubscribers(app.messaging, id, caller.origin?.principal) })
    if (!caller.master) throw errors.unauthorized()
    return ok(new JsonText(String(await isSubscriber(app.messaging, id, requiredClient(parameters, 'client_id')))))
  },
})
