import type pg from 'pg'

/** Milliseconds between two checks. */
const CHECK_INTERVAL_MS = 500

/**
 * Ends the connections of a pool that have been in use for more than `limit` milliseconds. A healthy database has ended every
 * statement by then, so the database or the network path is dead, and the caller would wait forever.
 * @returns a function that stops the watch
 */
export function endDeadConnections(pool: pg.Pool, limit: number): () => void {
  const since = new Map<pg.PoolClient, number>()
  pool.on('acquire', (client) => since.set(client, performance.now()))
  pool.on('release', (_error, client) => since.delete(client))
  pool.on('remove', (client) => since.delete(client))
  const watch = setInterval(() => {
    const oldest = performance.now() - limit
    for (const [client, start] of since) if (start < oldest) void (client as pg.PoolClient & pg.Client).end()
  }, CHECK_INTERVAL_MS)
  return () => clearInterval(watch)
}
