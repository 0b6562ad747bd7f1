import type { Bus } from './bus/bus.ts'
import type { Directory } from './bus/directory.ts'
import { localBus } from './bus/local-bus.ts'
import { localDirectory } from './bus/local-directory.ts'
import { postgresBus } from './bus/postgres-bus.ts'
import type { Config } from './config.ts'
import type { Database } from './database/pool.ts'
import type { RedisCounts } from './limits/redis-counts.ts'
import type { Log } from './log.ts'

/** The parts that nodes share besides the database. */
interface SharedParts {
  readonly bus: Bus
  readonly clients: Directory
  readonly counts: RedisCounts | null
}

/**
 * Creates the parts by which nodes communicate. With the embedded database and without Redis, there is only this node. The Redis
 * client is loaded only if Redis is configured, to save memory.
 */
export async function sharedParts(
  { redisUrl, databaseUrl }: Config,
  database: Database,
  log: Log,
): Promise<SharedParts> {
  if (!redisUrl) {
    return { bus: databaseUrl ? postgresBus(database, log) : localBus(), clients: localDirectory(), counts: null }
  }
  const [{ redisBus }, { RedisDirectory }, { redisCounts }] = await Promise.all([
    import('./bus/redis-bus.ts'),
    import('./bus/redis-directory.ts'),
    import('./limits/redis-counts.ts'),
  ])
  return {
    bus: redisBus(redisUrl, log),
    clients: new RedisDirectory(redisUrl, log),
    counts: redisCounts(redisUrl, log),
  }
}
