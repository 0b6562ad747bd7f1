import { requestPhoneChange } from '../../accounts/phone/change.ts'
import { asParameters } from '../../objects/query-parameters.ts'
import { ok } from '../call.ts'
import { route } from '../route.ts'

/** POST /1.1/requestChangePhoneNumber — sends a code to the caller's next number (protocol/accounts, Phone flows). */
export const requestChangePhoneNumber = route(
  'POST',
  '/1.1/requestChangePhoneNumber',
  async ({ app, body, caller }) => {
    await requestPhoneChange(app.accounts, asParameters(body), caller)
    return ok({})
  },
)
