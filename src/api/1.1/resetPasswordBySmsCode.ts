import { resetPasswordByCode } from '../../accounts/phone-password-reset.ts'
import { asParameters } from '../../objects/query-parameters.ts'
import { ok } from '../call.ts'
import { route } from '../route.ts'

/** PUT /1.1/resetPasswordBySmsCode/:code — sets a new password (spec/rest-details, 9.7). Some SDKs name no number. */
export const resetPasswordBySmsCode = route(
  'PUT',
  '/1.1/resetPasswordBySmsCode/:code',
  async ({ app, params, body }) => {
    await resetPasswordByCode(app.accounts, params.code!, asParameters(body))
    return ok({})
  },
)
