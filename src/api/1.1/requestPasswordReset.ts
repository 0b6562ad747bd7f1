import { requestPasswordReset as request } from '../../accounts/password-reset.ts'
import { ok } from '../call.ts'
import { route } from '../route.ts'

/**
 * POST /1.1/requestPasswordReset — sends a mail with a link to a page that takes a new password (protocol/accounts,
 * Endpoints).
 */
export const requestPasswordReset = route({
  method: 'POST',
  path: '/1.1/requestPasswordReset',
  rate: 'writes',
  handler: async ({ app, parameters, caller, mailUrl }) => {
    await request(app.accounts, parameters.email, mailUrl, caller)
    return ok({})
  },
})
