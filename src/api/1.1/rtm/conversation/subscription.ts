import { addMembers } from '../../../../messaging/members/add-members.ts'
import { removeMembers } from '../../../../messaging/members/remove-members.ts'
import { findOfKind } from '../../../../messaging/records/conversation-state.ts'
import { type Call, ok } from '../../../call.ts'
import { throwFailure } from '../../../messaging/conversation-route.ts'
import { subscriptionsOf } from '../../../messaging/subscriptions-of-client.ts'
import { requiredClient, requiredText } from '../../../request-fields.ts'
import { masterRoute, type Route } from '../../../route.ts'

const PATH = '/1.1/rtm/conversation/subscription'

/** Subscriptions of clients (protocol/messaging, Interface 1.1). */
export const subscription: readonly Route[] = [
  masterRoute({
    method: 'POST',
    path: PATH,
    rate: 'writes',
    handler: async (call) => {
      const [convId, clientId] = await pairOf(call)
      const { failed } = await addMembers(call.app.messaging, null, convId, [clientId])
      throwFailure(failed)
      return ok({})
    },
  }),
  masterRoute({
    method: 'DELETE',
    path: PATH,
    rate: 'writes',
    handler: async (call) => {
      const [convId, clientId] = await pairOf(call)
      await removeMembers(call.app.messaging, null, convId, [clientId])
      return ok({})
    },
  }),
  masterRoute({
    method: 'GET',
    path: PATH,
    rate: 'queries',
    handler: (call) => subscriptionsOf(call, requiredClient(call.parameters, 'client_id')),
  }),
]

async function pairOf({ app, parameters }: Call): Promise<[convId: string, clientId: string]> {
  const clientId = requiredClient(parameters, 'client_id')
  const { id } = await findOfKind(app.messaging, requiredText(parameters, 'conv_id'), 'system')
  return [id, clientId]
}
