import { afterAll } from 'vitest'
import { makeHome } from './home.ts'
import { newDatabase } from './scratch-database.ts'

export interface OwnServer {
  readonly url: string
  readonly adminToken: string
  readonly databaseUrl: string
}

/**
 * Starts a server with its own options, on a separate database in the shared PostgreSQL. Both are removed when the test file
 * ends.
 */
export async function startOwnServer(options: readonly string[]): Promise<OwnServer> {
  const adminToken = 'token-of-the-administrator-of-one-test'
  const databaseUrl = await newDatabase()
  const server = await makeHome(afterAll).start(['--database-url', databaseUrl, ...options], {
    HOMEPORT_ADMIN_TOKEN: adminToken,
  })
  return { url: server.url, adminToken, databaseUrl }
}
