import { verifyPhone } from '../../accounts/phone/verification.ts'
import { ok } from '../call.ts'
import { route } from '../route.ts'

/** POST /1.1/verifyMobilePhone/:code — verifies a user's number (protocol/accounts, Phone flows). Some SDKs send no number. */
export const verifyMobilePhone = route({
  method: 'POST',
  path: '/1.1/verifyMobilePhone/:code',
  rate: 'logins',
  handler: async ({ app, params, parameters, caller }) =>
    ok(await verifyPhone(app.accounts, params.code!, parameters, caller)),
})
