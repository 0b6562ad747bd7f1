import { changePhone } from '../../accounts/phone/change.ts'
import { ok } from '../call.ts'
import { route } from '../route.ts'

/** POST /1.1/changePhoneNumber — sets the caller's number to the one its code was sent to (protocol/accounts, Phone flows). */
export const changePhoneNumber = route({
  method: 'POST',
  path: '/1.1/changePhoneNumber',
  rate: 'logins',
  handler: async ({ app, parameters, caller }) => {
    await changePhone(app.accounts, parameters, caller)
    return ok({})
  },
})
