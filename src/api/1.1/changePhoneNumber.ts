import { changePhone } from '../../accounts/phone/change.ts'
import { ok } from '../call.ts'
import { route } from '../route.ts'

/** POST /1.1/changePhoneNumber — gives the caller the number that its code went to (protocol/accounts, Phone flows). */
export const changePhoneNumber = route({
  method: 'POST',
  path: '/1.1/changePhoneNumber',
  rate: 'logins',
  handler: async ({ app, parameters, caller }) => {
    await changePhone(app.accounts, parameters, caller)
    return ok({})
  },
})
