import { historyItems } from '../../messaging/history/history-item.ts'
import { listBroadcasts, type Reach, sendBroadcast } from '../../messaging/messages/broadcasts.ts'
import { pageSize } from '../../objects/query-parameters.ts'
import { type Answer, type Call, ok } from '../call.ts'
import { flagIn, numberIn, requiredClient, requiredText } from '../request-fields.ts'
import { pushDataOf, sentAnswer } from './message-body.ts'
import { countRequest } from './rate-limit.ts'

/**
 * Sends a broadcast by interface 1.1 (protocol/messaging, Interface 1.1).
 * @throws ApiError 1, 429
 */
export async function sendOldBroadcast(call: Call, reach: Reach): Promise<Answer> {
  await countRequest(call, 'restBroadcasts')
  const { app, parameters } = call
  const pushData = pushDataOf(parameters, 'push') ?? pushDataOf(parameters, 'push_data')
  const message = {
    fromClient: requiredClient(parameters, 'from_peer'),
    convId: requiredText(parameters, 'conv_id'),
    content: requiredText(parameters, 'message'),
    bin: false,
    ip: null,
    pushData,
    transient: flagIn(parameters, 'transient'),
  }
  return ok({ result: sentAnswer(await sendBroadcast(app.messaging, message, reach)) })
}

/**
 * Returns the broadcasts of a system conversation that new clients still receive, as items of a history.
 * @throws ApiError 1
 */
export async function validBroadcasts({ app, parameters }: Call): Promise<Answer> {
  const page = { limit: pageSize(parameters.limit), skip: numberIn(parameters, 'skip') ?? 0 }
  const found = await listBroadcasts(app.messaging, requiredText(parameters, 'conv_id'), page)
  return ok(await historyItems(app.messaging, found))
}
