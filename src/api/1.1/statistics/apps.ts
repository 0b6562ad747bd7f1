import { ok } from '../../call.ts'
import { route } from '../../route.ts'

/** The SDK policy with the fewest reports: one at each start of the app. */
const AT_START = 1

/**
 * GET /1.1/statistics/apps/:appId/sendPolicy — disables usage statistics in old SDKs (protocol/storage, Old services).
 * The response also carries parameters of the app, of which Homeport has none.
 */
export const sendPolicy = route({
  method: 'GET',
  path: '/1.1/statistics/apps/:appId/sendPolicy',
  rate: 'queries',
  handler: async () => ok({ enable: false, policy: AT_START, parameters: {} }),
})
