import { logInByPhone } from '../../accounts/login/phone-login.ts'
import { created, JsonText, ok } from '../call.ts'
import { route } from '../route.ts'

/**
 * POST /1.1/usersByMobilePhone — logs in by number and code; 201 when that makes the user (protocol/accounts, Sign-up
 * or login by phone).
 */
export const usersByMobilePhone = route('POST', '/1.1/usersByMobilePhone', async ({ app, body, mailUrl, caller }) => {
  const { id, isNew, text } = await logInByPhone(app.accounts, body, mailUrl, caller)
  return isNew ? created('_User', id, new JsonText(text)) : ok(new JsonText(text))
})
