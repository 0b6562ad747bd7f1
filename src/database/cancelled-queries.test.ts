import { expect, it, onTestFinished } from 'vitest'
import { newDatabase } from '../../test/support/scratch-database.ts'
import { errors } from '../errors.ts'
import type { Principal } from '../scheduling/principal.ts'
import { Database } from './pool.ts'
import { sql } from './sql.ts'

const connectionString = await newDatabase()

/** A client that disconnects this many milliseconds after the query has begun, or at once. */
function leaver(after: number | 'at once'): Principal {
  return {
    app: 'app',
    address: 'address',
    user: '',
    onDisconnect(leave) {
      if (after === 'at once') queueMicrotask(leave)
      else setTimeout(leave, after)
      return () => {}
    },
  }
}

function openDatabase(): Database {
  const database = new Database({
    connection: { connectionString },
    maxConnections: 1,
    maxQueryConnections: 1,
    // Longer than a test may take.
    statementTimeout: 60_000,
  })
  onTestFinished(() => database.close())
  return database
}

it('ends a query with the error that refused a row, and reuses its connection', async () => {
  const database = openDatabase()
  const backend = async () => (await database.search(sql`SELECT pg_backend_pid() AS pid`)).rows[0]!.pid
  const before = await backend()
  const endless = sql`SELECT generate_series(1, 1e12)`
  let counted = 0
  const refuseThird = () => {
    if (++counted === 3) throw errors.tooManyRequests()
    return 1
  }
  await expect(database.search(endless, undefined, refuseThird)).rejects.toThrow('Too many requests.')
  expect(counted).toBe(3)
  expect(await backend()).toBe(before)
})

it('does not send a query that `begin` refuses', async () => {
  const database = openDatabase()
  await database.search(sql`CREATE SEQUENCE sent`)
  const refuse = () => {
    throw errors.tooManyRequests()
  }
  await expect(database.search(sql`SELECT nextval('sent')`, undefined, () => 0, refuse)).rejects.toThrow(
    'Too many requests.',
  )
  expect((await database.search(sql`SELECT is_called FROM sent`)).rows).toEqual([{ is_called: false }])
})

it('ends a query when its client disconnects at any time, and reuses its connection', async () => {
  const database = openDatabase()
  const backend = async () => (await database.search(sql`SELECT pg_backend_pid() AS pid`)).rows[0]!.pid
  const before = await backend()
  for (const after of ['at once', 0, 5, 50, 'at once'] as const) {
    await expect(database.search(sql`SELECT pg_sleep(60)`, leaver(after))).rejects.toMatchObject({ status: 499 })
    expect(await backend()).toBe(before)
  }
  // A late disconnect affects neither a finished query nor the statement after it.
  await database.search(sql`SELECT 1 AS one`, leaver(20)).catch(() => {})
  const { rows } = await database.search(sql`SELECT pg_sleep(0.1), 2 AS two`)
  expect(rows[0]!.two).toBe(2)
})
