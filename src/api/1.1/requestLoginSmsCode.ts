import { requestLoginCode } from '../../accounts/login/phone-login.ts'
import { ok } from '../call.ts'
import { route } from '../route.ts'

/** POST /1.1/requestLoginSmsCode — sends the code for a login (protocol/accounts, Phone flows). */
export const requestLoginSmsCode = route({
  method: 'POST',
  path: '/1.1/requestLoginSmsCode',
  rate: 'writes',
  handler: async ({ app, parameters, caller }) => {
    await requestLoginCode(app.accounts, parameters, caller)
    return ok({})
  },
})
