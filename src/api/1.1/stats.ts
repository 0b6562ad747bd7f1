import { ok } from '../call.ts'
import { route } from '../route.ts'

/**
 * POST /1.1/stats/collect, /1.1/stats/open/collect — what old SDKs tell of the use of an app. It is dropped, and they are content:
 * otherwise they would keep it and send it again (protocol/storage, Old services).
 */
export const collectedStats = route({
  method: 'POST',
  path: '/1.1/stats/*',
  rate: 'writes',
  handler: async () => ok({}),
})
