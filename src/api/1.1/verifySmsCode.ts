import { verifyCode } from '../../accounts/sms/verification.ts'
import { ok } from '../call.ts'
import { route } from '../route.ts'

/** POST /1.1/verifySmsCode/:code — checks a code of `requestSmsCode` (protocol/accounts, SMS). */
export const verifySmsCode = route({
  method: 'POST',
  path: '/1.1/verifySmsCode/:code',
  rate: 'logins',
  handler: async ({ app, params, parameters }) => {
    await verifyCode(app.accounts, params.code!, parameters)
    return ok({})
  },
})
