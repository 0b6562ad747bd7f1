import { resetPasswordByCode } from '../../accounts/phone/password-reset.ts'
import { type Call, ok } from '../call.ts'
import { type Route, route } from '../route.ts'

const PATH = '/1.1/resetPasswordBySmsCode/:code'

/**
 * PUT /1.1/resetPasswordBySmsCode/:code — sets a new password (protocol/accounts, Phone flows). Some SDKs send no
 * number. The Go SDK uses POST.
 */
export const resetPasswordBySmsCode: readonly Route[] = [
  route({ method: 'PUT', path: PATH, rate: 'logins', handler: reset }),
  route({ method: 'POST', path: PATH, rate: 'logins', handler: reset }),
]

async function reset({ app, params, parameters, caller }: Call) {
  await resetPasswordByCode(app.accounts, params.code!, parameters, caller)
  return ok({})
}
