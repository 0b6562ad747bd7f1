import { sendAsApp } from '../../../messaging/messages/send-as-app.ts'
import { MAX_RECEIVERS } from '../../../messaging/messages/targeted-messages.ts'
import { ok } from '../../call.ts'
import { messageBodyOf, sentAnswer } from '../../messaging/message-body.ts'
import { oldHistory } from '../../messaging/old-history.ts'
import { countRequest } from '../../messaging/rate-limit.ts'
import { clientsIn, flagIn, requiredClient, requiredText } from '../../request-fields.ts'
import { masterRoute, type Route, route } from '../../route.ts'

/** Sending and history of the interface 1.1 (protocol/messaging, Interface 1.1). */
export const oldMessages: readonly Route[] = [
  masterRoute({
    method: 'POST',
    path: '/1.1/rtm/messages',
    rate: 'writes',
    handler: async (call) => {
      await countRequest(call, 'restSends')
      const { parameters } = call
      const fromClient = requiredClient(parameters, 'from_peer')
      const convId = requiredText(parameters, 'conv_id')
      const toClients = clientsIn(parameters, 'to_peers', MAX_RECEIVERS)
      // Transient is the default, because the first servers supported only transient messages.
      const isTransient = (parameters.transient ?? null) === null || flagIn(parameters, 'transient')
      const message = { convId, fromClient, toClients, ...messageBodyOf(parameters), transient: isTransient }
      return ok({ result: sentAnswer(await sendAsApp(call.app.messaging, message)) })
    },
  }),
  route({
    method: 'GET',
    path: '/1.1/rtm/messages/history',
    rate: 'queries',
    adminReadable: true,
    handler: oldHistory,
  }),
]
