import { Cluster, Redis } from 'ioredis'
import type { RedisAddress } from './redis-url.ts'

/** Timeouts of Redis, in milliseconds. */
const TIMEOUTS = { connectTimeout: 2000, commandTimeout: 2000, socketTimeout: 2000, disconnectTimeout: 500 }

const pause = (attempt: number) => Math.min(3000, 50 * 2 ** attempt)

/**
 * Creates a client for commands, for one server or a cluster depending on the address. It connects when `connect` is
 * called, and reconnects automatically when the connection is lost; commands in progress then fail.
 * @param connectionName the name in Redis' list of clients
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
    // Bounds the attempts, each of which waits 100 ms: an early result without the other nodes is better than a late
    // one.
    maxRedirections: 4,
    // Leaves host names unresolved, because certificates are valid for names, not for addresses.
    dnsLookup: (host, found) => found(null, host),
  })
}
