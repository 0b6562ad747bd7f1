import type pg from 'pg'

/** How often connections are looked through, in milliseconds. */
const GLANCE = 500

/**
 * Ends the connections of a pool that have been in use for more than `limit` milliseconds. A database that is well has
 * ended every statement by then; this one, or the line to it, is dead without a word, and who waits would wait for ever.
 * @returns what stops the watch
 */
export function endDeadConnections(pool: pg.Pool, limit: number): () => void {
  const since = new Map<pg.PoolClient, number>()
  pool.on('acquire', (client) => since.set(client, performance.now()))
  pool.on('release', (_error, client) => since.delete(client))
  pool.on('remove', (client) => since.delete(client))
  const watch = setInterval(() => {
    const oldest = performance.now() - limit
    for (const [client, start] of since) if (start < oldest) void (client as pg.PoolClient & pg.Client).end()
  }, GLANCE)
  return () => clearInterval(watch)
}
