import pg from 'pg'
import { afterAll } from 'vitest'
import { call, makeApp, type TestApp } from './app.ts'
import { makeHome } from './home.ts'
import type { Program } from './program.ts'
import { makeRedis, type TestRedis } from './redis.ts'
import { newDatabase } from './scratch-database.ts'

export const ADMIN_TOKEN = 'token-of-the-administrator-of-the-nodes'

/** Several servers of one installation. */
export interface Installation {
  readonly redis: TestRedis
  /** Starts a node with a separate data directory. */
  startNode(): Promise<Program>
  /** Creates an app. Its node must run until the test file ends. */
  makeApp(node: Program): Promise<TestApp>
}

/**
 * Creates an installation with a separate database and Redis, initially without nodes. Must be called at the top level of a test
 * file that requires `redisServer`; it is removed when the file ends.
 */
export async function makeInstallation(): Promise<Installation> {
  const databaseUrl = await newDatabase()
  const redis = makeRedis(afterAll)
  // Registered here: `afterAll` cannot be called inside a test, and everything a test starts must stop.
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
      // Its connections can still be closing when the database is dropped.
      pool.on('error', () => {})
      ends.push(() => pool.end())
      return { ...app, sql: (text, values = []) => pool.query(text, values) }
    },
  }
}

/** Returns the status of a node's database and Redis from `/health`. */
export async function healthOf({ url }: Pick<Program, 'url'>): Promise<{ status: number; body: unknown }> {
  const { status, body } = await call(url, 'GET', '/health', {}, undefined)
  return { status, body }
}
