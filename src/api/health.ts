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
      const [row] = await server.database.query(sql`SELECT current_setting('transaction_read_only') AS read_only`)
      if (row?.read_only !== 'on') return ok({ status: 'ok', database: 'ok', ...redis })
      const error = 'The database takes no writes: it is the standby of another one, or was made read-only.'
      return { status: 503, body: { status: 'unavailable', database: 'read-only', ...redis, code: 511, error } }
    } catch {
      const error = 'The database does not answer.'
      return { status: 503, body: { status: 'unavailable', database: 'unreachable', ...redis, code: 511, error } }
    }
  }),
  openRoute('GET', '/metrics', async ({ server }) =>
    ok(new JsonText(await server.metrics.text()), { 'content-type': server.metrics.contentType }),
  ),
]
