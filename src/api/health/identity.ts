import { errors } from '../../errors.ts'
import { ok } from '../call.ts'
import { openRoute } from '../route.ts'

/**
 * GET /health/identity?nonce=… — proves that a URL leads to this installation: only a server on the same database knows the
 * response to a nonce (`doctor/identity.ts`).
 */
export const healthIdentity = openRoute({
  method: 'GET',
  path: '/health/identity',
  handler: async ({ server, query }) => {
    const { nonce } = query
    const identity = typeof nonce === 'string' ? await server.doctor.identity.respond(nonce) : null
    if (identity === null) throw errors.badArgument('`nonce` must be 32 lowercase hexadecimal digits.')
    return ok({ identity })
  },
})
