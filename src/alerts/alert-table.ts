import { json, number, rowDecoder, text } from '../database/decode-row.ts'
import type { Executor, Transaction } from '../database/pool.ts'
import { sql } from '../database/sql.ts'
import { readNotice, storedNotice } from '../notices/notice.ts'
import type { Alert } from './alert-state.ts'

/** Maximum number of alerts: more nodes than this never report the same problem. */
const MAX_ALERTS = 200

/** Waits for other nodes that evaluate alerts, until the transaction ends, so that each change is notified once. */
export async function lockAlerts(transaction: Transaction): Promise<void> {
  await transaction.query(sql`LOCK TABLE homeport.alerts IN SHARE ROW EXCLUSIVE MODE`)
}

/** Returns the current alerts, oldest first. */
export async function readAlerts(executor: Executor): Promise<Alert[]> {
  const rows = await executor.query(sql`
    SELECT key, alert, node, problem, reports,
      extract(epoch FROM since)::float8 * 1000 AS since,
      extract(epoch FROM notified_at)::float8 * 1000 AS notified_at,
      extract(epoch FROM clear_since)::float8 * 1000 AS clear_since
    FROM homeport.alerts
    ORDER BY since, key
    LIMIT ${MAX_ALERTS}`)
  return rows.map(decodeAlert).map(({ problem, ...alert }) => ({ ...alert, problem: readNotice(problem) }))
}

/** Returns the time of the database in milliseconds since 1970. */
export async function databaseTime(executor: Executor): Promise<number> {
  const [row] = await executor.query(sql`SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now`)
  return number('now')(row!)
}

export async function storeAlert(transaction: Transaction, alert: Alert): Promise<void> {
  const { key, id, node, problem, since, notifiedAt, clearSince, reports } = alert
  const time = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString())
  await transaction.query(sql`
    INSERT INTO homeport.alerts (key, alert, node, problem, since, notified_at, clear_since, reports)
    VALUES (${key}, ${id}, ${node}, ${storedNotice(problem)}, ${time(since)}::timestamptz, ${time(notifiedAt)}::timestamptz,
      ${time(clearSince)}::timestamptz, ${JSON.stringify(reports)}::jsonb)
    ON CONFLICT (key) DO UPDATE
    SET problem = excluded.problem, notified_at = excluded.notified_at, clear_since = excluded.clear_since,
      reports = excluded.reports`)
}

export async function removeAlert(transaction: Transaction, key: string): Promise<void> {
  await transaction.query(sql`DELETE FROM homeport.alerts WHERE key = ${key}`)
}

const decodeAlert = rowDecoder({
  key: text('key'),
  id: text('alert'),
  node: text.orNull('node'),
  problem: text('problem'),
  since: number('since'),
  notifiedAt: number('notified_at'),
  clearSince: number.orNull('clear_since'),
  reports: json<{ readonly [node: string]: number }>('reports'),
})
