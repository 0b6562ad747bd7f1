import { JsonText, ok } from './call.ts'
import { openRoute } from './route.ts'

/** GET /metrics — returns the metrics of the process for Prometheus (docs/architecture.md, Management). */
export const metrics = openRoute({
  method: 'GET',
  path: '/metrics',
  handler: async ({ server }) =>
    ok(new JsonText(await server.metrics.text()), { 'content-type': server.metrics.contentType }),
})
