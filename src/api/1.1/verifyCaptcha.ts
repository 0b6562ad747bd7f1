import { solveCaptcha } from '../../accounts/sms/captchas.ts'
import { ok } from '../call.ts'
import { route } from '../route.ts'

/** POST /1.1/verifyCaptcha — returns a token for the text of a captcha, valid for one text message (protocol/accounts, SMS). */
export const verifyCaptcha = route({
  method: 'POST',
  path: '/1.1/verifyCaptcha',
  rate: 'logins',
  handler: async ({ app, parameters }) => {
    const { captcha_token: token, captcha_code: text } = parameters
    return ok({ validate_token: await solveCaptcha(app.accounts, token, text) })
  },
})
