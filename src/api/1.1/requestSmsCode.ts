import { requestCode } from '../../accounts/sms/verification.ts'
import { ok } from '../call.ts'
import { route } from '../route.ts'

/** POST /1.1/requestSmsCode — sends a code, or a notice, to any number (protocol/accounts, SMS). */
export const requestSmsCode = route({
  method: 'POST',
  path: '/1.1/requestSmsCode',
  rate: 'writes',
  handler: async ({ app, parameters, caller }) => {
    await requestCode(app.accounts, parameters, caller)
    return ok({})
  },
})
