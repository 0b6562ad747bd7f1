import pg from 'pg'
import { afterAll } from 'vitest'
import { call, makeApp, type TestApp } from './app.ts'
import { makeHome } from './home.ts'
import type { Program } from './program.ts'
import { makeRedis, type TestRedis } from './redis.ts'
import { newDatabase } from './scratch-database.ts'

export const ADMIN_TOKEN = 'token-of-the-administrator-of-the-nodes'

/** Several servers that work together. */
export interface Installation {
  readonly redis: TestRedis
  /** Starts a node with a data directory of its own. */
  startNode(): Promise<Program>
  /** Makes an app. The node it is made on has to live until the test file ends. */
  makeApp(node: Program): Promise<TestApp>
}

/**
 * An installation on a database and a Redis of its own, without nodes at first. To be made at the top level of a test
 * file that `redisServer` lets run; it is gone when the file ends.
 */
export async function makeInstallation(): Promise<Installation> {
  const databaseUrl = await newDatabase()
  const redis = makeRedis(afterAll)
  // Registered now: what a test starts must end too, and what is registered inside a test is not heard.
  const ends: (() => Promise<void>)[] = []
  afterAll(async () => {
    await Promise.all(ends.map((end) => end()))
  })
  await redis.start()
  return {
    redis,
    startNode: () =>
      makeHome((end) => void ends.push(end)).start(['--database-url', databaseUrl, '--redis-url', redis.url], {
        HOMEPORT_ADMIN_TOKEN: ADMIN_TOKEN,
      }),
    async makeApp(node) {
      const app = await makeApp(node.url, ADMIN_TOKEN)
      const options = `-c search_path="app_${app.appId}",homeport`
      const pool = new pg.Pool({ connectionString: databaseUrl, max: 2, options })
      // Its connections may still be closing when the database is dropped.
      pool.on('error', () => {})
      ends.push(() => pool.end())
      return { ...app, sql: (text, values = []) => pool.query(text, values) }
    },
  }
}

/** Says in `/health` what a node has of its database and Redis. */
export async function healthOf({ url }: Pick<Program, 'url'>): Promise<{ status: number; body: unknown }> {
  const { status, body } = await call(url, 'GET', '/health', {}, undefined)
  return { status, body }
}
