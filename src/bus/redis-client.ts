import { Cluster, Redis } from 'ioredis'
import type { RedisAddress } from './redis-url.ts'

/** Waiting for Redis, in milliseconds. */
const TIMEOUTS = { connectTimeout: 2000, commandTimeout: 2000, socketTimeout: 2000, disconnectTimeout: 500 }

const pause = (attempt: number) => Math.min(3000, 50 * 2 ** attempt)

/**
 * A client for commands, one server's or a cluster's as the address says. It connects when told to, and again by itself
 * when it is lost; what was under way then fails.
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
    // Each further attempt waits for 100 ms: an answer without the others is better than one that comes late.
    maxRedirections: 4,
    // Names stay names: a certificate is valid for them, not for addresses.
    dnsLookup: (host, found) => found(null, host),
  })
}
