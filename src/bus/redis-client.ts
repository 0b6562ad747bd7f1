import { Cluster, Redis } from 'ioredis'
import type { RedisAddress } from './redis-url.ts'

/** Waiting for Redis, in milliseconds. */
const TIMEOUTS = { connectTimeout: 2000, commandTimeout: 2000, socketTimeout: 2000, disconnectTimeout: 500 }

const pause = (attempt: number) => Math.min(3000, 50 * 2 ** attempt)

/**
 * A client for commands, of one server or of a cluster as the address says. It connects when `connect` is called, and again
 * by itself when the connection is lost; what was under way then fails.
 * @param connectionName what Redis calls it in its list of clients
 */
export function redisClient(
  { servers, username, password, database, tls }: RedisAddress,
  connectionName: string,
): Redis | Cluster {
  const options = { ...TIMEOUTS, username, password, tls: tls ? {} : undefined, connectionName }
  if (servers.length === 1)
    return new Redis({
      ...options,
      ...servers[0],
      db: database,
      lazyConnect: true,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      retryStrategy: pause,
    })
  return new Cluster([...servers], {
    redisOptions: options,
    lazyConnect: true,
    clusterRetryStrategy: pause,
    // Each further attempt waits for 100 ms only: answers without the other nodes are better than late ones.
    maxRedirections: 4,
    // Names are not resolved here: a certificate is valid for names, not for addresses.
    dnsLookup: (host, found) => found(null, host),
  })
}
