import type { Bus } from './bus/bus.ts'
import type { Directory } from './bus/directory.ts'
import { localBus } from './bus/local-bus.ts'
import { localDirectory } from './bus/local-directory.ts'
import { postgresBus } from './bus/postgres-bus.ts'
import type { Config } from './config.ts'
import type { Database } from './database/pool.ts'
import type { RedisCounts } from './limits/redis-counts.ts'
import type { Log } from './log.ts'

/** What the nodes have in common beside the database. */
interface SharedParts {
  readonly bus: Bus
  readonly clients: Directory
  readonly counts: RedisCounts | null
}

/**
 * How the nodes hear of each other; without a database of their own there is only this one, unless Redis is named. Its
 * client is loaded where it is named: it would be in the memory of all.
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
