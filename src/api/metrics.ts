import type { IncomingHttpHeaders } from 'node:http'
import { errors } from '../errors.ts'
import { isSentFrom, type SentRequest } from '../proxies.ts'
import { isSameSecret } from '../values/secrets.ts'
import { authenticateAdmin } from './authenticate-admin.ts'
import { JsonText, ok } from './call.ts'
import { openRoute } from './route.ts'
import type { Server } from './server-context.ts'

/**
 * GET /metrics — returns the metrics of the process for Prometheus (docs/monitoring.md, Metrics), to addresses of
 * `--metrics-addresses`, and to callers with the metrics token or the administrator's token.
 */
export const metrics = openRoute({
  method: 'GET',
  path: '/metrics',
  handler: async ({ server, headers, sent }) => {
    await checkReader(server, headers, sent)
    return ok(new JsonText(await server.metrics.text()), { 'content-type': server.metrics.contentType })
  },
})

type MetricsServer = Pick<Server, 'metricsToken' | 'metricsAddresses' | 'adminToken' | 'adminAddresses' | 'database'>

/** @throws ApiError 401, 403 */
async function checkReader(server: MetricsServer, headers: IncomingHttpHeaders, sent: SentRequest): Promise<void> {
  const { authorization } = headers
  if (authorization === undefined) {
    // A proxy on this machine must not open the metrics to all clients, because it does not name them.
    if (isSentFrom(server.metricsAddresses, sent) && !sent.isForwardedByUnnamed) return
    throw errors.unauthorized(
      "Send 'Authorization: Bearer <token>' with the metrics token or the administrator's token, or add your address to --metrics-addresses.",
    )
  }
  const token = /^Bearer (.+)$/i.exec(authorization)?.[1]
  if (token !== undefined && server.metricsToken !== null && isSameSecret(token, server.metricsToken)) return
  await authenticateAdmin(server, { method: 'GET', headers: { authorization } }, sent)
}
