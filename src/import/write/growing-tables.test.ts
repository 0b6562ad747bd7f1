import { expect, it } from 'vitest'
import { scratchDatabase } from '../../../test/support/scratch-database.ts'
import { identifier, raw, sql } from '../../database/sql.ts'
import { GrowingTables, vacuum } from './growing-tables.ts'

const database = await scratchDatabase()
const table = identifier('grown')

// `grew` skips a table that autovacuum is processing.
await database.query(sql`
  CREATE TABLE ${table} WITH (autovacuum_enabled = off) AS SELECT n FROM generate_series(1, 50000) AS n`)

/** Returns the number of all-visible pages of the table. */
async function visiblePages(): Promise<number> {
  const [row] = await database.query(sql`SELECT relallvisible AS pages FROM pg_class WHERE relname = 'grown'`)
  return Number(row!.pages)
}

/**
 * Counts other snapshots of this database, for example of an autovacuum that analyzes a catalog. Rows visible to them are kept.
 */
async function snapshots(): Promise<number> {
  const rows = await database.query(sql`
    SELECT FROM pg_stat_activity
    WHERE datname = current_database() AND backend_xmin IS NOT NULL AND pid <> pg_backend_pid()`)
  return rows.length
}

it('vacuums a table after a number of new rows, and later after a share of new rows', async () => {
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

it('does not block other statements, and ignores a dropped table', async () => {
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
