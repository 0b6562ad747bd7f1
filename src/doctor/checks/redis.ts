import { redisClient } from '../../bus/redis-client.ts'
import { redisAddress } from '../../bus/redis-url.ts'
import type { Examination } from '../examination.ts'
import { type Finding, failure, fine, reasonOf } from '../finding.ts'

const MINIMUM_MAJOR = 6

/** Connects to Redis with the configured login, and reads its version. */
export async function checkRedis({ config: { redisUrl } }: Examination): Promise<Finding[]> {
  if (redisUrl === null) return []
  const address = redisAddress(redisUrl)
  const server = address.servers.map(({ host, port }) => `${host}:${port}`).join(',')
  const client = redisClient(address, 'homeport-doctor')
  let first: Error | null = null
  client.on('error', (error: Error & { lastNodeError?: Error }) => {
    first ??= error.lastNodeError ?? error
  })
  try {
    await client.connect()
    const [, version = ''] = /^redis_version:(\S+)/m.exec(await client.info('server')) ?? []
    return Number.parseInt(version, 10) < MINIMUM_MAJOR
      ? [failure('doctorRedisOld', { version, server })]
      : [fine('doctorRedis', { version, server })]
  } catch (error) {
    const reason = reasonOf(first ?? error)
    return [
      /WRONGPASS|NOAUTH|NOPERM|AUTH/.test(reason)
        ? failure('doctorRedisLogin', { server, reason })
        : failure('doctorRedisUnreachable', { server, reason }),
    ]
  } finally {
    client.disconnect()
  }
}
