import { sql } from '../database/sql.ts'
import { JsonText, ok } from './call.ts'
import { openRoute, type Route } from './route.ts'

/** What operators ask the process itself (design, Management API). */
export const health: readonly Route[] = [
  openRoute('GET', '/health', async ({ server }) => {
    // A node without Redis still serves: that is no reason to take it out of service.
    const connected = server.redisConnected()
    const redis = connected === null ? {} : { redis: connected ? 'connected' : 'disconnected' }
    try {
      await server.database.query(sql`SELECT 1`)
      return ok({ status: 'ok', database: 'ok', ...redis })
    } catch {
      const error = 'The database does not answer.'
      return { status: 503, body: { status: 'unavailable', database: 'unreachable', ...redis, code: 511, error } }
    }
  }),
  openRoute('GET', '/metrics', async ({ server }) =>
    ok(new JsonText(await server.metrics.text()), { 'content-type': server.metrics.contentType }),
  ),
]
