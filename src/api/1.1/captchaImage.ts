import { captchaImage as imageOf } from '../../accounts/captchas.ts'
import { errors } from '../../errors.ts'
import { ImageBody } from '../call.ts'
import { openRoute } from '../route.ts'

/** GET /1.1/captchaImage — the picture of a captcha, for pages that show it: they send no key (spec/rest-details, 2.3). */
export const captchaImage = openRoute('GET', '/1.1/captchaImage', async ({ server, query }) => {
  const { appId, token } = query
  const app = typeof appId === 'string' ? await server.running.open(appId) : undefined
  const image = app && server.apps.known(app.id) ? await imageOf(app.accounts, token) : null
  if (!image) throw errors.notFound('There is no such captcha, or it can be solved no more.')
  return { status: 200, body: new ImageBody(image, 'image/png') }
})
