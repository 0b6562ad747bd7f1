import type { Executor } from '../database/pool.ts'
import { sql } from '../database/sql.ts'
import type { Messaging } from './messaging.ts'

/** Who of these clients cannot come in: kept out by the conversation, or keeping it away. */
export async function blockedAmong(
  messaging: Messaging,
  executor: Executor,
  convId: string,
  clientIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const { blocks, clientBlocks } = messaging.tables
  const rows = await executor.query(sql`
    SELECT client_id FROM ${blocks} WHERE conv_id = ${convId} AND client_id = ANY(${clientIds}::text[])
    UNION
    SELECT client_id FROM ${clientBlocks} WHERE conv_id = ${convId} AND client_id = ANY(${clientIds}::text[])`)
  return new Set(rows.map((row) => String(row.client_id)))
}
