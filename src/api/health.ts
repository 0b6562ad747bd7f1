import { text } from '../database/decode-row.ts'
import { isReadOnly, NotWritable } from '../database/faults.ts'
import { sql } from '../database/sql.ts'
import { VERSION } from '../version.ts'
import { ok } from './call.ts'
import { openRoute } from './route.ts'

/** GET /health — returns whether this process can serve requests (docs/architecture.md, Management). */
export const health = openRoute({
  method: 'GET',
  path: '/health',
  handler: async ({ server }) => {
    // A node without Redis still serves requests, so it stays in service.
    const connected = server.redisConnected()
    const redis = connected === null ? {} : { redis: connected ? 'connected' : 'disconnected' }
    if (server.isStopping()) {
      const error = 'The server is stopping.'
      return { status: 503, body: { status: 'stopping', ...redis, code: 511, error } }
    }
    if (server.database.isDiskFull) {
      const error = 'The disk of the database is full: only reads, and writes that need no additional space, succeed.'
      return { status: 503, body: { status: 'unavailable', database: 'disk-full', ...redis, code: 511, error } }
    }
    try {
      const [row] = await server.database.query(sql`SELECT current_setting('transaction_read_only') AS read_only`)
      if (text('read_only')(row!) === 'on') throw new NotWritable()
      await server.database.proveConnection()
      return ok({ status: 'ok', version: VERSION, database: 'ok', ...redis })
    } catch (error) {
      const [database, reason] = isReadOnly(error)
        ? ['read-only', 'The database is read-only: it is a standby server, or was set to read-only.']
        : ['unreachable', 'The database does not respond.']
      return { status: 503, body: { status: 'unavailable', database, ...redis, code: 511, error: reason } }
    }
  },
})
