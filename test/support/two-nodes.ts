import { afterAll, beforeAll } from 'vitest'
import { makeHome } from './home.ts'
import type { Program } from './program.ts'
import { makeRedis, redisServer, type TestRedis } from './redis.ts'
import { newDatabase } from './scratch-database.ts'

/** The channel between nodes. */
export interface Link {
  readonly name: string
  readonly usesRedis: boolean
  readonly databaseUrl: string
}

export interface TwoNodes {
  readonly redis: TestRedis
  readonly first: Program
  readonly second: Program
  /** Kills the second node, and starts another one in its place. */
  replaceSecond(): Promise<void>
}

/**
 * Returns the available channels between nodes, each with a separate database. Must be called at the top level of a test file.
 */
export async function links(): Promise<Link[]> {
  const all = [
    { name: 'LISTEN and NOTIFY', usesRedis: false, databaseUrl: await newDatabase() },
    { name: 'Redis', usesRedis: true, databaseUrl: await newDatabase() },
  ]
  return all.filter(({ usesRedis }) => !usesRedis || redisServer !== null)
}

/**
 * Runs two servers of one installation during the tests of a `describe`. Must be called in it, outside of tests.
 * @param variables their environment
 */
export function twoNodes({ usesRedis, databaseUrl }: Link, variables: Record<string, string>): TwoNodes {
  const redis = makeRedis(afterAll)
  const ends: (() => Promise<void>)[] = []
  afterAll(async () => {
    for (const end of ends) await end()
  })
  const start = () => {
    const bus = usesRedis ? ['--redis-url', redis.url] : []
    return makeHome((end) => ends.push(end)).start(['--database-url', databaseUrl, ...bus], variables)
  }
  let first: Program
  let second: Program
  beforeAll(async () => {
    if (usesRedis) await redis.start()
    first = await start()
    second = await start()
  })
  return {
    redis,
    get first() {
      return first
    },
    get second() {
      return second
    },
    async replaceSecond() {
      await second.kill()
      second = await start()
    },
  }
}
