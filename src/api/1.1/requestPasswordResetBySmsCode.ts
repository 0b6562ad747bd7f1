import { requestPasswordResetCode } from '../../accounts/phone/password-reset.ts'
import { ok } from '../call.ts'
import { route } from '../route.ts'

/** POST /1.1/requestPasswordResetBySmsCode — sends the code for a new password (protocol/accounts, Phone flows). */
export const requestPasswordResetBySmsCode = route(
  'POST',
  '/1.1/requestPasswordResetBySmsCode',
  async ({ app, parameters, caller }) => {
    await requestPasswordResetCode(app.accounts, parameters, caller)
    return ok({})
  },
)
