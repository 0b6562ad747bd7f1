import { ok } from '../../call.ts'
import { route } from '../../route.ts'

/** Once with each start of the app: the rarest that there is. */
const AT_START = 1

/**
 * GET /1.1/statistics/apps/:appId/sendPolicy — how often old SDKs are to tell of the use of an app: not at all
 * (protocol/storage, Old services). They find parameters of the app in it too, of which there are none.
 */
export const sendPolicy = route({
  method: 'GET',
  path: '/1.1/statistics/apps/:appId/sendPolicy',
  rate: 'queries',
  handler: async () => ok({ enable: false, policy: AT_START, parameters: {} }),
})
