import { errors } from '../../errors.ts'
import { holderOfToken } from '../../messaging/sessions/token-holder.ts'
import type { Call } from '../call.ts'

/**
 * The client of messaging that makes a call: it shows the token of its session, and names itself
 * (protocol/realtime, REST calls made by realtime clients).
 * @throws ApiError 401
 */
export async function callingClient({ app, clientToken, query }: Call): Promise<string> {
  const holder = clientToken ? await holderOfToken(app.messaging, clientToken) : null
  if (!holder || (query.client_id !== undefined && query.client_id !== holder.clientId)) throw errors.unauthorized()
  return holder.clientId
}
