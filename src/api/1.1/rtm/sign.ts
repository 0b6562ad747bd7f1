import { signUser } from '../../../hooks/user-signature.ts'
import { ok, signRequestOf } from '../../call.ts'
import { route } from '../../route.ts'

/**
 * POST /1.1/rtm/sign — the signature by which a user logs in to messaging, under its id (protocol/realtime, REST calls
 * made by realtime clients). The user says who it is by its session token.
 */
export const rtmSign = route({
  method: 'POST',
  path: '/1.1/rtm/sign',
  rate: 'writes',
  handler: async (call) => {
    const token = call.parameters.session_token
    const { signature, nonce, timestamp } = await signUser(call.app, token, signRequestOf(call))
    return ok({ signature, nonce, timestamp })
  },
})
