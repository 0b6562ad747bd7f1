import { number } from '../../database/decode-row.ts'
import { sql } from '../../database/sql.ts'
import type { Messaging } from '../messaging.ts'

/**
 * Counts the clients that are online on all nodes, and those that have logged in since midnight UTC (protocol/messaging, Global
 * operations).
 */
export async function statisticsOf(messaging: Messaging): Promise<{ readonly online: number; readonly today: number }> {
  const [online, [row]] = await Promise.all([
    messaging.presence.countOnline(),
    messaging.database.query(sql`
      SELECT count(*) AS count
      FROM ${messaging.tables.dailyClients}
      WHERE day = current_date`),
  ])
  return { online, today: number('count')(row!) }
}
