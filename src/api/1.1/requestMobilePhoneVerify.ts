import { requestPhoneVerification } from '../../accounts/phone/verification.ts'
import { ok } from '../call.ts'
import { route } from '../route.ts'

/** POST /1.1/requestMobilePhoneVerify — sends the code by which a user verifies its number (protocol/accounts, Phone flows). */
export const requestMobilePhoneVerify = route({
  method: 'POST',
  path: '/1.1/requestMobilePhoneVerify',
  rate: 'writes',
  handler: async ({ app, parameters, caller }) => {
    await requestPhoneVerification(app.accounts, parameters, caller)
    return ok({})
  },
})
