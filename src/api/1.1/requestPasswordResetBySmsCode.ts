import { requestPasswordResetCode } from '../../accounts/phone/password-reset.ts'
import { ok } from '../call.ts'
import { route } from '../route.ts'

/** POST /1.1/requestPasswordResetBySmsCode — sends the code for a password reset (protocol/accounts, Phone flows). */
export const requestPasswordResetBySmsCode = route({
  method: 'POST',
  path: '/1.1/requestPasswordResetBySmsCode',
  rate: 'writes',
  handler: async ({ app, parameters, caller }) => {
    await requestPasswordResetCode(app.accounts, parameters, caller)
    return ok({})
  },
})
