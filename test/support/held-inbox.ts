import pg from 'pg'
import { expect, onTestFinished } from 'vitest'

/** Blocks deliveries to one user. */
export interface HeldInbox {
  /** Resolves when so many deliveries wait for it. */
  untilWaiting(count: number): Promise<void>
  release(): Promise<void>
}

/** Locks the default inbox of a user without statuses, until it is released or the test ends. */
export async function holdInbox(databaseUrl: string, appId: string, userId: string): Promise<HeldInbox> {
  const client = new pg.Client({ connectionString: databaseUrl, options: `-c search_path="app_${appId}",homeport` })
  client.on('error', () => {})
  await client.connect()
  onTestFinished(() => client.end())
  await client.query('BEGIN')
  await client.query(`INSERT INTO "$inboxes" (owner_id, inbox_type, last_id) VALUES ($1, 'default', 0)`, [userId])
  const watch = new pg.Client({ connectionString: databaseUrl })
  watch.on('error', () => {})
  await watch.connect()
  onTestFinished(() => watch.end())
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  return {
    async untilWaiting(count) {
      const waiting = async () => {
        const { rows: found } = await watch.query(
          'SELECT FROM pg_stat_activity WHERE $1::integer = ANY(pg_blocking_pids(pid))',
          [rows[0]!.pid],
        )
        return found.length
      }
      await expect.poll(waiting, { timeout: 60_000, interval: 10 }).toBeGreaterThanOrEqual(count)
    },
    async release() {
      await client.query('ROLLBACK')
    },
  }
}
