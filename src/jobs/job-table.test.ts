import { expect, it } from 'vitest'
import { scratchDatabase } from '../../test/support/scratch-database.ts'
import type { Database } from '../database/pool.ts'
import { sql } from '../database/sql.ts'
import { JobTable } from './job-table.ts'

const database = await scratchDatabase()

it('reads only the jobs it takes, out of very many', async () => {
  await database.query(sql`
    INSERT INTO homeport.jobs (kind, payload, run_at)
    SELECT 'many', '{}', now() - (n || ' s')::interval FROM generate_series(1, 50000) AS n`)
  await database.query(sql`ANALYZE homeport.jobs`)
  await database.transaction(async (transaction) => {
    const table = new JobTable(transaction as unknown as Database, 60_000)
    expect(await table.take([{ kind: 'many', free: 8, ofApp: 8, lastApp: '' }])).toHaveLength(8)
    const [read] = await transaction.query(sql`
      SELECT seq_scan, idx_tup_fetch::int AS fetched FROM pg_stat_xact_user_tables WHERE relname = 'jobs'`)
    expect(read!.seq_scan).toBe(0)
    expect(read!.fetched).toBeLessThan(100)
  })
})

it('takes jobs of all apps when one app has very many, and reads only those it takes', async () => {
  await database.query(sql`
    INSERT INTO homeport.jobs (kind, payload, run_at)
    SELECT 'crowd', jsonb_build_object('appId', CASE WHEN n <= 50000 THEN 'greedy' ELSE 'app ' || n % 3 END), now() - (60000 - n || ' s')::interval
    FROM generate_series(1, 50030) AS n`)
  await database.query(sql`ANALYZE homeport.jobs`)
  await database.transaction(async (transaction) => {
    const table = new JobTable(transaction as unknown as Database, 60_000)
    const running = [{ kind: 'crowd', app: 'app 1', jobs: 2 }]
    const taken = await table.take([{ kind: 'crowd', free: 6, ofApp: 7, lastApp: '' }], running)
    expect(taken.map(({ app }) => app).sort()).toEqual(['app 0', 'app 0', 'app 2', 'app 2', 'greedy', 'greedy'])
    const [read] = await transaction.query(sql`
      SELECT seq_scan, idx_tup_fetch::int AS fetched FROM pg_stat_xact_user_tables WHERE relname = 'jobs'`)
    expect(read!.seq_scan).toBe(0)
    expect(read!.fetched).toBeLessThan(200)
  })
})
