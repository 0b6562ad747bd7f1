import { requestEmailVerification } from '../../accounts/email-verification.ts'
import { ok } from '../call.ts'
import { route } from '../route.ts'

/** POST /1.1/requestEmailVerify — sends the verification mail of an address again (protocol/accounts, Endpoints). */
export const requestEmailVerify = route({
  method: 'POST',
  path: '/1.1/requestEmailVerify',
  rate: 'writes',
  handler: async ({ app, parameters, caller, mailUrl }) => {
    await requestEmailVerification(app.accounts, parameters.email, mailUrl, caller)
    return ok({})
  },
})
