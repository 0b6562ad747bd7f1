import { sql } from '../database/sql.ts'
import { JsonText, ok } from './call.ts'
import { openRoute, type Route } from './route.ts'

/** What operators ask the process itself (design, Management API). */
export const health: readonly Route[] = [
  openRoute('GET', '/health', async ({ server }) => {
    try {
      await server.database.query(sql`SELECT 1`)
      return ok({ status: 'ok', database: 'ok' })
    } catch {
      return {
        status: 503,
        body: { status: 'unavailable', database: 'unreachable', code: 511, error: 'The database does not answer.' },
      }
    }
  }),
  openRoute('GET', '/metrics', async ({ server }) =>
    ok(new JsonText(await server.metrics.text()), { 'content-type': server.metrics.contentType }),
  ),
]
