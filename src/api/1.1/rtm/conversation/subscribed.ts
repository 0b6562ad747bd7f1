import { errors } from '../../../../errors.ts'
import { countSubscribers, isSubscriber } from '../../../../messaging/members/subscriptions.ts'
import { findOfKind } from '../../../../messaging/records/conversation-state.ts'
import { JsonText, ok } from '../../../call.ts'
import { requiredClient, requiredText } from '../../../request-fields.ts'
import { route } from '../../../route.ts'

/**
 * GET /1.1/rtm/conversation/subscribed — `true` or `false`: whether a client subscribes to a system conversation, for the
 * master key. Without a client how many do: that is what the Android SDK asks, with the application key
 * (protocol/messaging, Interface 1.1).
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
