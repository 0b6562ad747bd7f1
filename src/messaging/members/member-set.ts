import { createHash } from 'node:crypto'
import { text } from '../../database/decode-row.ts'
import type { Executor } from '../../database/pool.ts'
import { sql } from '../../database/sql.ts'
import type { Messaging } from '../messaging.ts'
import { conversationTable } from '../records/conversation-class.ts'

/**
 * Returns the identifier of a set of members, independent of their order: 32 hexadecimal digits (protocol/realtime, conv/start).
 */
export function uniqueIdOf(members: readonly string[]): string {
  return createHash('md5')
    .update(JSON.stringify([...new Set(members)].sort()))
    .digest('hex')
}

/**
 * Finds the unique conversation of exactly these members. Imported conversations have their own unique ids, so the members are
 * compared too.
 * @returns its object id
 */
export async function findUnique(
  messaging: Messaging,
  executor: Executor,
  members: readonly string[],
): Promise<string | null> {
  const table = conversationTable(messaging)
  const [row] = await executor.query(sql`
    SELECT id
    FROM ${table}
    WHERE data->>'uniqueId' = ${uniqueIdOf(members)}
    UNION ALL (
      SELECT id
      FROM ${table}
      WHERE data->'m' @> ${JSON.stringify(members)}::jsonb
        AND jsonb_array_length(data->'m') = ${members.length}::integer
        AND data->'unique' = 'true'
      LIMIT 1
    )
    LIMIT 1`)
  return row ? text('id')(row) : null
}
