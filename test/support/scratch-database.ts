import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterAll, inject } from 'vitest'
import { Database } from '../../src/database/pool.ts'
import { TEMPLATE_DATABASE } from './cluster-template.ts'
import { countCost } from './cost-counts.ts'

/** Generous times, because slow machines are not a fault. */
const SMALL = { maxConnections: 4, maxQueryConnections: 2, statementTimeout: 60_000, maxWait: 60_000 }

/**
 * Creates a separate migrated database on the PostgreSQL of the tests, isolated from the shared server's work such as its
 * background jobs. It is dropped when the test file ends; everything started on it must have stopped by then.
 */
export async function scratchDatabase(): Promise<Database> {
  const connectionString = await newDatabase()
  const database = new Database({ connection: { connectionString }, ...SMALL })
  afterAll(() => database.close())
  return database
}

/**
 * Creates a migrated database without apps on the PostgreSQL of the tests. It is dropped when the test file ends.
 * @returns its URL
 */
export async function newDatabase(): Promise<string> {
  const connectionString = process.env.HOMEPORT_TEST_DATABASE_URL ?? inject('databaseUrl')
  countCost('databases')
  const name = `scratch_${randomBytes(6).toString('hex')}`
  await runOnServer(connectionString, `CREATE DATABASE ${name} TEMPLATE ${TEMPLATE_DATABASE} STRATEGY FILE_COPY`)
  afterAll(() => runOnServer(connectionString, `DROP DATABASE ${name} WITH (FORCE)`))
  const url = new URL(connectionString)
  url.pathname = `/${name}`
  return url.href
}

async function runOnServer(connectionString: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
