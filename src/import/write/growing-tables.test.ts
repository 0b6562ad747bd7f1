import { expect, it } from 'vitest'
import { scratchDatabase } from '../../../test/support/scratch-database.ts'
import { identifier, raw, sql } from '../../database/sql.ts'
import { GrowingTables, vacuum } from './growing-tables.ts'

const database = await scratchDatabase()
const table = identifier('grown')

// While autovacuum works on a table, `grew` skips it.
await database.query(sql`
  CREATE TABLE ${table} WITH (autovacuum_enabled = off) AS SELECT n FROM generate_series(1, 50000) AS n`)

/** Pages of the table that whoever counts it need not look into. */
async function visiblePages(): Promise<number> {
  const [row] = await database.query(sql`SELECT relallvisible AS pages FROM pg_class WHERE relname = 'grown'`)
  return Number(row!.pages)
}

/** How many others hold a snapshot of this database, an autovacuum that analyzes a catalog say: what they may see stays. */
async function snapshots(): Promise<number> {
  const rows = await database.query(sql`
    SELECT FROM pg_stat_activity
    WHERE datname = current_database() AND backend_xmin IS NOT NULL AND pid <> pg_backend_pid()`)
  return rows.length
}

it('a table is vacuumed when enough rows have come, and then when a share of them has', async () => {
  const tables = new GrowingTables()
  expect(tables.grew(database, table, 49_999)).toBeUndefined()
  expect(await visiblePages()).toBe(0)
  await expect.poll(snapshots, { interval: 5 }).toBe(0)
  await tables.grew(database, table, 1)
  expect(await visiblePages()).toBeGreaterThan(0)
  const later = [900_000, 89_999, 1].map((rows) => tables.grew(database, table, rows))
  await Promise.all(later)
  expect(later.map((vacuumed) => vacuumed !== undefined)).toEqual([true, false, false])
  expect(tables.grew(database, table, 20_000)).toBeDefined()
})

it('what vacuums is in nobody’s way, and a table that is gone is nobody’s fault', async () => {
  const tables = new GrowingTables()
  const client = await database.dedicated('usual')
  try {
    await client.query('BEGIN')
    await client.query('LOCK TABLE grown IN SHARE UPDATE EXCLUSIVE MODE')
    await tables.grew(database, table, 50_000)
    await client.query('ROLLBACK')
  } finally {
    await client.end()
  }
  await tables.grew(database, raw('nothing'), 50_000)
  await expect(database.query(raw(vacuum(raw('nothing'))))).rejects.toThrow('does not exist')
})
