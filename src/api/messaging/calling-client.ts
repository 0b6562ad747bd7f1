import { errors } from '../../errors.ts'
import { holderOfToken } from '../../messaging/sessions/token-holder.ts'
import type { Call } from '../call.ts'

/**
 * Returns the client of messaging that makes a call, identified by the token of its session and its id
 * (protocol/realtime, REST calls made by realtime clients).
 * @throws ApiError 401
 */
export async function callingClient({ app, clientToken, parameters }: Call): Promise<string> {
  const holder = clientToken ? await holderOfToken(app.messaging, clientToken) : null
  if (!holder || (parameters.client_id !== undefined && parameters.client_id !== holder.clientId))
    throw errors.unauthorized()
  return holder.clientId
}
