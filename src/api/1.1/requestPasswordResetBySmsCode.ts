import { requestPasswordResetCode } from '../../accounts/phone/password-reset.ts'
import { asParameters } from '../../objects/query-parameters.ts'
import { ok } from '../call.ts'
import { route } from '../route.ts'

/** POST /1.1/requestPasswordResetBySmsCode — sends the code for a new password (protocol/accounts, Phone flows). */
export const requestPasswordResetBySmsCode = route(
  'POST',
  '/1.1/requestPasswordResetBySmsCode',
  async ({ app, body, caller }) => {
    await requestPasswordResetCode(app.accounts, asParameters(body), caller)
    return ok({})
  },
)
