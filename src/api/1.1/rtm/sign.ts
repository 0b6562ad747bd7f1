import { errors } from '../../../errors.ts'
import { signLogin } from '../../../messaging/signatures.ts'
import { asParameters } from '../../../objects/query-parameters.ts'
import { ok } from '../../call.ts'
import { route } from '../../route.ts'

/**
 * POST /1.1/rtm/sign — the signature by which a user logs in to messaging, under its id (spec/realtime-protocol, 10.1).
 * The user says who it is by its session token.
 */
export const rtmSign = route('POST', '/1.1/rtm/sign', async ({ app, body }) => {
  const token = asParameters(body).session_token
  const userId = typeof token === 'string' ? await app.accounts.sessions.userOf(token) : null
  if (userId === null) throw errors.userNotFound()
  const { signature, nonce, timestamp } = signLogin(app.messaging, userId)
  return ok({ signature, nonce, timestamp })
})
