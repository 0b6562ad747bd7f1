import { errors } from '../../errors.ts'
import { listSubscriptions } from '../../messaging/members/subscriptions.ts'
import type { Parameters } from '../../objects/query-parameters.ts'
import { type Answer, type Call, ok } from '../call.ts'
import { numberIn, requiredTime, textIn } from '../request-fields.ts'
import { subscriberRecord } from './subscriber-record.ts'

/**
 * Lists the system conversations that a client subscribes to (protocol/messaging, Client operations).
 * @throws ApiError 1
 */
export async function subscriptionsOf({ app, parameters }: Call, clientId: string): Promise<Answer> {
  const found = await listSubscriptions(app.messaging, clientId, {
    after: positionIn(parameters),
    ascending: isAscending(parameters),
    limit: numberIn(parameters, 'limit'),
  })
  return ok(found.map(subscriberRecord))
}

function positionIn(parameters: Parameters) {
  const convId = textIn(parameters, 'conv_id')
  return convId ? { convId, since: requiredTime(parameters, 'timestamp') } : undefined
}

function isAscending(parameters: Parameters): boolean {
  const direction = textIn(parameters, 'direction') ?? 'new'
  if (direction !== 'new' && direction !== 'old')
    throw errors.badArgument("'direction' must be 'old', for the newest first, or 'new', for the oldest first.")
  return direction === 'new'
}
