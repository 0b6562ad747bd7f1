import { appHistory } from '../../../messaging/history/app-history.ts'
import type { HistorySource } from '../../../messaging/messages/history.ts'
import { sendAsApp } from '../../../messaging/messages/send-as-app.ts'
import { MAX_RECEIVERS } from '../../../messaging/messages/targeted-messages.ts'
import type { Parameters } from '../../../objects/query-parameters.ts'
import { ok } from '../../call.ts'
import { messageBodyOf, sentAnswer } from '../../messaging/message-body.ts'
import { countRequest } from '../../messaging/rate-limit.ts'
import { clientsIn, requiredClient, requiredText, textIn } from '../../request-fields.ts'
import { masterRoute, type Route } from '../../route.ts'

/** Sending and history as older SDKs know them (protocol/realtime, REST calls made by realtime clients). */
export const oldMessages: readonly Route[] = [
  masterRoute('POST', '/1.1/rtm/messages', async (call) => {
    await countRequest(call, 'restSends')
    const fields = call.parameters
    const fromClient = requiredClient(fields, 'from_peer')
    const convId = requiredText(fields, 'conv_id')
    const toClients = clientsIn(fields, 'to_peers', MAX_RECEIVERS)
    const message = { convId, fromClient, toClients, ...messageBodyOf(fields) }
    return ok({ result: sentAnswer(await sendAsApp(call.app.messaging, message)) })
  }),
  masterRoute('GET', '/1.1/rtm/messages/history', async ({ app, parameters, caller }) => {
    const wanted = { ...parameters, timestamp: parameters.max_ts }
    return ok(await appHistory(app.messaging, sourceOf(parameters), wanted, caller.origin?.party))
  }),
]

/** A conversation, or a sender, or all messages. */
function sourceOf(parameters: Parameters): HistorySource {
  const convId = textIn(parameters, 'convid')
  if (convId) return { threads: [convId] }
  const sender = textIn(parameters, 'from')
  return sender ? { sender } : { everything: true }
}
