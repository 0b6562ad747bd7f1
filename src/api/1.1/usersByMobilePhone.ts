import { logInByPhone } from '../../accounts/login/phone-login.ts'
import { created, JsonText, ok } from '../call.ts'
import { parametersOf } from '../parameters.ts'
import { route } from '../route.ts'

/**
 * POST /1.1/usersByMobilePhone — logs in by number and code; status 201 when this creates the user (protocol/accounts,
 * Sign-up or login by phone).
 */
export const usersByMobilePhone = route({
  method: 'POST',
  path: '/1.1/usersByMobilePhone',
  rate: 'logins',
  handler: async ({ app, query, body, mailUrl, caller }) => {
    const { mobilePhoneNumber, smsCode } = query
    // The other members of the body are data of a new user, which are never sent in a URL.
    const fields = parametersOf({ mobilePhoneNumber, smsCode }, body)
    const { id, isNew, text } = await logInByPhone(app.accounts, fields, mailUrl, caller)
    return isNew ? created('_User', id, new JsonText(text)) : ok(new JsonText(text))
  },
})
