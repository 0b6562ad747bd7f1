import { requestLoginCode } from '../../accounts/login/phone-login.ts'
import { asParameters } from '../../objects/query-parameters.ts'
import { ok } from '../call.ts'
import { route } from '../route.ts'

/** POST /1.1/requestLoginSmsCode — sends the code by which a user logs in (protocol/accounts, Phone flows). */
export const requestLoginSmsCode = route('POST', '/1.1/requestLoginSmsCode', async ({ app, body, caller }) => {
  await requestLoginCode(app.accounts, asParameters(body), caller)
  return ok({})
})
