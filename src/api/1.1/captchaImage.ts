import { captchaImage as imageOf } from '../../accounts/sms/captchas.ts'
import { errors } from '../../errors.ts'
import { ANONYMOUS } from '../../objects/access/caller.ts'
import { ImageBody } from '../call.ts'
import { parametersOf } from '../parameters.ts'
import { RequestPrincipal } from '../request-principal.ts'
import { openRoute } from '../route.ts'

/**
 * GET /1.1/captchaImage — returns the image of a captcha. It needs no key, because pages load it as an image
 * (protocol/accounts, Endpoints).
 */
export const captchaImage = openRoute({
  method: 'GET',
  path: '/1.1/captchaImage',
  handler: async ({ server, query, body, sent }) => {
    const { appId, token } = parametersOf(query, body)
    const app = typeof appId === 'string' ? await server.running.open(appId) : undefined
    if (!app || !server.apps.known(app.id)) throw noSuchCaptcha()
    const image = await imageOf(app.accounts, token, new RequestPrincipal(app.id, sent.address, ANONYMOUS))
    if (!image) throw noSuchCaptcha()
    return { status: 200, body: new ImageBody(image, 'image/png') }
  },
})

function noSuchCaptcha(): Error {
  return errors.notFound('Captcha not found or expired.')
}
