import { countSubscribers, listSubscribers } from '../../../../messaging/members/subscriptions.ts'
import { findOfKind } from '../../../../messaging/records/conversation-state.ts'
import { type Call, ok } from '../../../call.ts'
import { subscriberRecord } from '../../../messaging/subscriber-record.ts'
import { numberIn, requiredText, textIn } from '../../../request-fields.ts'
import { masterRoute, type Route } from '../../../route.ts'

const PATH = '/1.1/rtm/conversation/subscribers'

/** Lists and counts the subscribers of a system conversation (protocol/messaging, Interface 1.1). */
export const oldSubscribers: readonly Route[] = [
  masterRoute({
    method: 'GET',
    path: PATH,
    rate: 'queries',
    handler: async (call) => {
      const { app, parameters } = call
      const page = { after: textIn(parameters, 'client_id'), limit: numberIn(parameters, 'limit') }
      return ok((await listSubscribers(app.messaging, await conversationOf(call), page)).map(subscriberRecord))
    },
  }),
  masterRoute({
    method: 'GET',
    path: `${PATH}/count`,
    rate: 'queries',
    handler: async (call) => ok({ count: await countSubscribers(call.app.messaging, await conversationOf(call)) }),
  }),
]

async function conversationOf({ app, parameters }: Call): Promise<string> {
  return (await findOfKind(app.messaging, requiredText(parameters, 'conv_id'), 'system')).id
}
