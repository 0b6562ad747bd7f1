import { afterAll } from 'vitest'
import { makeHome } from './home.ts'
import { emptyDatabase } from './scratch-database.ts'

/**
 * Starts a server with options of its own, on a database of its own in the shared PostgreSQL. Both are gone when the
 * test file ends.
 */
export async function startOwnServer(options: readonly string[]): Promise<{ url: string; adminToken: string }> {
  const adminToken = 'token-of-the-administrator-of-one-test'
  const server = await makeHome(afterAll).start(['--database-url', await emptyDatabase(), ...options], {
    HOMEPORT_ADMIN_TOKEN: adminToken,
  })
  return { url: server.url, adminToken }
}
