import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, inject } from 'vitest'
import { startProgram } from './program.ts'

/**
 * Starts a server with options of its own, on a database of its own in the shared PostgreSQL. Both are gone when the
 * test file ends.
 */
export async function startOwnServer(options: readonly string[]): Promise<{ url: string; adminToken: string }> {
  const shared = inject('databaseUrl')
  const name = `own_${randomBytes(6).toString('hex')}`
  const own = shared.replace('/homeport?', `/${name}?`)
  const directory = await mkdtemp(join(tmpdir(), 'homeport-test-'))
  await execute(shared, `CREATE DATABASE ${name}`)
  const adminToken = 'token-of-the-administrator-of-one-test'
  const server = await startProgram(['--data', directory, '--database-url', own, ...options], {
    HOMEPORT_ADMIN_TOKEN: adminToken,
  })
  afterAll(async () => {
    await server.stop()
    await execute(shared, `DROP DATABASE ${name} WITH (FORCE)`)
    await rm(directory, { recursive: true, force: true })
  })
  return { url: server.url, adminToken }
}

async function execute(databaseUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query(statement)
  await client.end()
}
