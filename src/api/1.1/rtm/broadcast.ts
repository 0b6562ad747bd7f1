import { sendBroadcast } from '../../../messaging/messages/broadcasts.ts'
import { ok } from '../../call.ts'
import { pushDataOf, sentAnswer } from '../../messaging/message-body.ts'
import { countRequest } from '../../messaging/rate-limit.ts'
import { numberIn, requiredClient, requiredText } from '../../request-fields.ts'
import { masterRoute } from '../../route.ts'

/**
 * POST /1.1/rtm/broadcast — a message to all clients of the app, until a time (protocol/realtime, REST calls made by
 * realtime clients).
 */
export const broadcast = masterRoute('POST', '/1.1/rtm/broadcast', async (call) => {
  await countRequest(call, 'restBroadcasts')
  const fields = call.parameters
  const pushData = pushDataOf(fields, 'push') ?? pushDataOf(fields, 'push_data')
  const fromClient = requiredClient(fields, 'from_peer')
  const convId = requiredText(fields, 'conv_id')
  const message = { convId, fromClient, content: requiredText(fields, 'message'), bin: false, ip: null, pushData }
  const reach = { everyoneUntil: numberIn(fields, 'valid_till') ?? null }
  return ok({ result: sentAnswer(await sendBroadcast(call.app.messaging, message, reach)) })
})
