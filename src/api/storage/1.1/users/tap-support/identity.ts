import { identityToken } from '../../../../../accounts/users/identity-token.ts'
import { ok } from '../../../../call.ts'
import { route } from '../../../../route.ts'

/**
 * GET /storage/1.1/users/tap-support/identity — returns a token that proves the identity of the session's user to
 * another service (protocol/accounts, Identity tokens).
 */
export const tapSupportIdentity = route({
  method: 'GET',
  path: '/storage/1.1/users/tap-support/identity',
  rate: 'queries',
  handler: async ({ app, caller }) => ok({ identityToken: await identityToken(app.id, app.record.masterKey, caller) }),
})
