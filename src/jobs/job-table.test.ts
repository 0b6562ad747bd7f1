import { expect, it } from 'vitest'
import { scratchDatabase } from '../../test/support/scratch-database.ts'
import type { Database } from '../database/pool.ts'
import { sql } from '../database/sql.ts'
import { JobTable } from './job-table.ts'

const database = await scratchDatabase()

it('taking the oldest of very many jobs reads those alone', async () => {
  await database.query(sql`
    INSERT INTO homeport.jobs (kind, payload, run_at)
    SELECT 'many', '{}', now() - (n || ' s')::interval FROM generate_series(1, 50000) AS n`)
  await database.query(sql`ANALYZE homeport.jobs`)
  await database.transaction(async (transaction) => {
    const table = new JobTable(transaction as unknown as Database, 60_000)
    expect(await table.take([['many', 8]])).toHaveLength(8)
    const [read] = await transaction.query(sql`
      SELECT seq_scan, idx_tup_fetch::int AS fetched FROM pg_stat_xact_user_tables WHERE relname = 'jobs'`)
    expect(read!.seq_scan).toBe(0)
    expect(read!.fetched).toBeLessThan(100)
  })
})
