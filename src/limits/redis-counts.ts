import { redisClient } from '../bus/redis-client.ts'
import { RedisOutage } from '../bus/redis-outage.ts'
import { redisAddress } from '../bus/redis-url.ts'
import type { Log } from '../log.ts'
import type { SharedCounts } from './limiters.ts'

/** A connection to the Redis in which nodes count together; it reconnects automatically. */
export interface RedisCounts extends SharedCounts {
  /** Resolves after the first attempt to connect, successful or not; further attempts follow. */
  start(): Promise<void>
  stop(): void
}

/**
 * Opens the connection.
 * @param url in the form that `redisAddress` parses
 * @throws Error when the URL is invalid
 */
export function redisCounts(url: string, log: Log): RedisCounts {
  const client = redisClient(redisAddress(url), 'homeport-limits')
  const outage = new RedisOutage(log.child({ component: 'limits' }), 'each node counts for itself')
  let stopped = false
  const note = (fault: unknown) => {
    if (!stopped) outage.note(fault === null, fault)
  }
  // Without a listener an error would end the process; its effect shows when the next count fails.
  for (const event of ['error', 'node error']) client.on(event, () => {})
  return {
    client,
    note,
    async start() {
      await client.connect().then(
        () => note(null),
        (error) => note(error),
      )
    },
    stop() {
      stopped = true
      client.disconnect()
    },
  }
}
