import { errors } from '../../errors.ts'
import { ok } from '../call.ts'
import { parametersOf } from '../parameters.ts'
import { openRoute } from '../route.ts'

/** How long a client may cache the response, in seconds. */
const TTL = 3600

/**
 * GET /2/route — returns the hosts of each service for SDKs that look them up by app id (protocol/conventions,
 * Requests). All are this server, named without a scheme.
 */
export const appRouter = openRoute({
  method: 'GET',
  path: '/2/route',
  handler: async (call) => {
    const { appId } = parametersOf(call.query, call.body)
    if (typeof appId !== 'string') throw errors.badArgument("The parameter 'appId' is missing.")
    const host = new URL(call.baseUrl).host
    const services = ['api', 'engine', 'play', 'push', 'stats'].map((service) => [`${service}_server`, host])
    return ok(
      { ...Object.fromEntries(services), rtm_router_server: host, ttl: TTL },
      { 'cache-control': `public,max-age=${TTL}` },
    )
  },
})
