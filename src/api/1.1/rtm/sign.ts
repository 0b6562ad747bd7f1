import { signUser } from '../../../hooks/user-signature.ts'
import { ok, signRequestOf } from '../../call.ts'
import { route } from '../../route.ts'

/**
 * POST /1.1/rtm/sign — returns the signature by which a user logs in to messaging with its user id (protocol/realtime,
 * REST calls made by realtime clients). The user is identified by its session token.
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
