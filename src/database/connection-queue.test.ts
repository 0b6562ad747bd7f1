import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeEach, expect, it, onTestFinished } from 'vitest'
import { newDatabase } from '../../test/support/scratch-database.ts'
import { Database } from './pool.ts'
import { sql } from './sql.ts'

const LIMIT = 3
const own = await newDatabase()
const administrator = new pg.Client({ connectionString: own })
await administrator.connect()
const role = `limited_${randomBytes(6).toString('hex')}`
const limited = new URL(own)
limited.username = role
limited.password = 'password'
await administrator.query(`CREATE ROLE ${role} LOGIN PASSWORD 'password'`)
afterAll(async () => {
  await administrator.query(`DROP ROLE ${role}`)
  await administrator.end()
})

beforeEach(() => administrator.query(`ALTER ROLE ${role} CONNECTION LIMIT ${LIMIT}`))

/** A database handle configured for twelve connections. */
function demanding(): Database {
  const database = new Database({
    connection: { connectionString: limited.href },
    maxConnections: 8,
    maxQueryConnections: 4,
    statementTimeout: 10_000,
  })
  onTestFinished(() => database.close())
  return database
}

async function occupant(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: limited.href })
  await client.connect()
  return client
}

async function connections(): Promise<number> {
  const { rows } = await administrator.query('SELECT count(*)::int AS count FROM pg_stat_activity WHERE usename = $1', [
    role,
  ])
  return rows[0].count as number
}

it('queues all statements when the server allows fewer connections than configured', async () => {
  const database = demanding()
  const statement = sql`SELECT pg_sleep(0.002)::text, 1 AS one`
  const work = Array.from({ length: 300 }, async (_, index) => {
    if (index % 3 === 0) return (await database.search(statement)).rows
    if (index % 3 === 1) return database.query(statement)
    return database.transaction((transaction) => transaction.query(statement))
  })
  for (const rows of await Promise.all(work)) expect(rows).toMatchObject([{ one: 1 }])
  expect(database.waiting).toBe(0)
})

it('frees an idle connection of another pool when a pool has none', async () => {
  const database = demanding()
  const slow = sql`SELECT pg_sleep(0.02)::text`
  await Promise.all([1, 2, 3].map(() => database.query(slow)))
  expect(await connections()).toBe(LIMIT)
  expect((await database.search(sql`SELECT 1 AS one`)).rows).toEqual([{ one: 1 }])
  const dedicated = await database.dedicated('usual')
  await dedicated.end()
})

it('waits for a server that accepts no connections', async () => {
  const database = demanding()
  const occupants = await Promise.all([occupant(), occupant(), occupant()])
  const outcome = Promise.all([database.query(sql`SELECT 1 AS one`), database.search(sql`SELECT 1 AS one`)])
  await Promise.all(occupants.map((client) => client.end()))
  expect(await outcome).toMatchObject([[{ one: 1 }], { rows: [{ one: 1 }] }])
})

it('opens more connections again when the server allows them', async () => {
  const database = demanding()
  let over = false
  const busy = async () => {
    while (!over) await database.query(sql`SELECT pg_sleep(0.01)::text`)
  }
  const all = Promise.all(Array.from({ length: 16 }, busy))
  try {
    await expect.poll(connections).toBe(LIMIT)
    await administrator.query(`ALTER ROLE ${role} CONNECTION LIMIT -1`)
    await expect.poll(connections).toBeGreaterThan(LIMIT)
  } finally {
    over = true
    await all
  }
})

it('fails at once on errors other than a full server', async () => {
  const wrong = new URL(limited.href)
  wrong.password = 'another'
  wrong.username = 'nobody'
  const database = new Database({
    connection: { connectionString: wrong.href },
    maxConnections: 2,
    maxQueryConnections: 1,
    statementTimeout: 10_000,
  })
  onTestFinished(() => database.close())
  await expect(database.query(sql`SELECT 1`)).rejects.toMatchObject({ code: expect.stringMatching(/^28/) })
})
