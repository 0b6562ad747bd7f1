import type { Executor } from '../../database/pool.ts'
import { sql } from '../../database/sql.ts'
import type { Messaging } from '../messaging.ts'

/**
 * Starts the read cursors of new members at the present: earlier messages are neither unread nor kept for them. The cursor is 1
 * ms in the past, because a message that follows immediately may have the same time.
 */
export async function beginReading(
  messaging: Messaging,
  executor: Executor,
  convId: string,
  clientIds: readonly string[],
): Promise<void> {
  const { reads, threads } = messaging.tables
  await executor.query(sql`
    INSERT INTO ${reads} AS read_cursor (client_id, conv_id, read_ts, received_ts, changed_at)
    SELECT DISTINCT client_id, ${convId}, begin.ts, begin.ts, begin.ts
    FROM unnest(${clientIds}::text[]) AS client_id
    CROSS JOIN (
      SELECT greatest(
        floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint - 1,
        (SELECT last_ts FROM ${threads} WHERE conv_id = ${convId})
      ) AS ts
    ) AS begin
    ORDER BY client_id
    ON CONFLICT (client_id, conv_id) DO UPDATE
    SET read_ts = greatest(read_cursor.read_ts, excluded.read_ts),
        received_ts = greatest(read_cursor.received_ts, excluded.received_ts),
        changed_at = excluded.changed_at`)
}

/** Deletes the read cursors of removed members; they restart if the members return. */
export async function endReading(
  messaging: Messaging,
  executor: Executor,
  convId: string,
  clientIds: readonly string[],
): Promise<void> {
  await executor.query(sql`
    DELETE FROM ${messaging.tables.reads} WHERE conv_id = ${convId} AND client_id = ANY(${clientIds}::text[])`)
}
