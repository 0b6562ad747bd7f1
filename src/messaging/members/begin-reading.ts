import type { Executor } from '../../database/pool.ts'
import { sql } from '../../database/sql.ts'
import type { Messaging } from '../messaging.ts'

/**
 * For new members a conversation begins now: what was written before is neither unread nor kept for them. The cursor is a
 * moment back, because a message that follows at once may bear the same time as this.
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

/** Members who are out read no more; should they come back, it begins anew. */
export async function endReading(
  messaging: Messaging,
  executor: Executor,
  convId: string,
  clientIds: readonly string[],
): Promise<void> {
  await executor.query(sql`
    DELETE FROM ${messaging.tables.reads} WHERE conv_id = ${convId} AND client_id = ANY(${clientIds}::text[])`)
}
