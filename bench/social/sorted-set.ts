import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import type { Cleanup } from '../cleanup.ts'
import { freePort } from '../free-port.ts'
import { temporaryDirectory } from '../postgres.ts'
import { percentile } from '../statistics.ts'
import { spread } from '../workload.ts'

/** The latency of one operation in Redis, requested over its protocol by a client in this process. */
export interface SortedSetFigures {
  readonly name: string
  readonly members: number
  readonly operation: string
  readonly alone: Times
  readonly many: Times
}

interface Times {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
}

const VALUES = 1_000_003
const CHUNK = 20_000
const TIMEOUT_MS = 10_000
const AT_ONCE = 16
const KEY = 'board'
/** Fills a sorted set in a script on the server: sending members one by one would take several times as long. */
const FILL = `
  local values = tonumber(ARGV[3])
  for n = tonumber(ARGV[1]), tonumber(ARGV[2]) do
    redis.call('ZADD', KEYS[1], n % values * (2654435761 % values) % values, 'member-' .. n)
  end`
const SERVER = process.env.HOMEPORT_TEST_REDIS ?? 'redis-server'

/** Measures the equivalent operations in a sorted set of Redis, where all data is in memory. Returns nothing without Redis. */
export async function measureSortedSet(
  members: number,
  seconds: number,
  cleanup: Cleanup,
): Promise<SortedSetFigures[]> {
  return cleanup.within(async (inner) => {
    const redis = await startRedis(inner)
    if (!redis) return []
    for (let from = 0; from < members; from += CHUNK)
      await redis.eval(FILL, 1, KEY, from, Math.min(from + CHUNK, members) - 1, VALUES)
    const some = spread(Math.min(20_000, members), members)
    const member = (index: number) => `member-${some[index % some.length]}`
    const operations: Record<string, (index: number) => Promise<unknown>> = {
      update: (index) => redis.zadd(KEY, (index * 7919) % VALUES, member(index)),
      rank: (index) => redis.zrevrank(KEY, member(index)),
      'page in the middle': (index) => {
        const start = some[index % some.length]!
        return redis.zrevrange(KEY, start, start + 19, 'WITHSCORES')
      },
    }
    const figures: SortedSetFigures[] = []
    for (const [operation, run] of Object.entries(operations)) {
      const alone = await measure(run, 1, seconds)
      const many = await measure(run, AT_ONCE, seconds)
      figures.push({ name: `Redis: ${operation}`, members, operation, alone, many })
    }
    return figures
  })
}

async function measure(run: (index: number) => Promise<unknown>, atOnce: number, seconds: number): Promise<Times> {
  const times: number[] = []
  let index = 0
  const end = performance.now() + seconds * 1000
  const worker = async () => {
    while (performance.now() < end) {
      const began = performance.now()
      await run(index++)
      times.push(performance.now() - began)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  times.sort((left, right) => left - right)
  return { perSecond: times.length / seconds, p50: percentile(times, 0.5), p99: percentile(times, 0.99) }
}

/** @returns null when redis-server is not installed */
async function startRedis(cleanup: Cleanup): Promise<Redis | null> {
  const directory = await temporaryDirectory(cleanup)
  const port = await freePort()
  const server = spawn(SERVER, ['--port', String(port), '--dir', directory, '--save', '', '--appendonly', 'no'], {
    stdio: 'ignore',
  })
  const started = await Promise.race([once(server, 'spawn').then(() => true), once(server, 'error').then(() => false)])
  if (!started) return null
  await cleanup.keep(Promise.resolve(), async () => {
    const ended = once(server, 'exit')
    server.kill('SIGKILL')
    await ended
  })
  const client = new Redis({ port, lazyConnect: true, maxRetriesPerRequest: null, retryStrategy: () => 50 })
  client.on('error', () => {})
  await cleanup.keep(Promise.resolve(), () => client.disconnect())
  const deadline = performance.now() + TIMEOUT_MS
  for (;;) {
    const answered = await Promise.race([client.ping().catch(() => null), sleep(500).then(() => null)])
    if (answered === 'PONG') return client
    if (performance.now() > deadline) throw new Error('redis-server did not start.')
  }
}
