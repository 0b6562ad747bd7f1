import { captchaShape, makeCaptcha } from '../../accounts/sms/captchas.ts'
import { ok } from '../call.ts'
import { route } from '../route.ts'

/** GET /1.1/requestCaptcha — creates a captcha, and returns its token and the URL of its image (protocol/accounts, SMS). */
export const requestCaptcha = route({
  method: 'GET',
  path: '/1.1/requestCaptcha',
  rate: 'reads',
  handler: async ({ app, parameters, caller, baseUrl }) => {
    const token = await makeCaptcha(app.accounts, captchaShape(parameters, caller), caller.origin?.principal)
    const picture = new URLSearchParams({ appId: app.id, token })
    return ok({ captcha_token: token, captcha_url: `${baseUrl}/1.1/captchaImage?${picture}` })
  },
})
