import { requestPhoneChange } from '../../accounts/phone/change.ts'
import { ok } from '../call.ts'
import { route } from '../route.ts'

/** POST /1.1/requestChangePhoneNumber — sends a code to the user's new number (protocol/accounts, Phone flows). */
export const requestChangePhoneNumber = route({
  method: 'POST',
  path: '/1.1/requestChangePhoneNumber',
  rate: 'writes',
  handler: async ({ app, parameters, caller }) => {
    await requestPhoneChange(app.accounts, parameters, caller)
    return ok({})
  },
})
