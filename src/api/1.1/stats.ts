import { ok } from '../call.ts'
import { route } from '../route.ts'

/**
 * POST /1.1/stats/collect, /1.1/stats/open/collect — accepts usage statistics of old SDKs and drops them. After an
 * error the SDKs would keep and resend them (protocol/storage, Old services).
 */
export const collectedStats = route({
  method: 'POST',
  path: '/1.1/stats/*',
  rate: 'writes',
  handler: async () => ok({}),
})
