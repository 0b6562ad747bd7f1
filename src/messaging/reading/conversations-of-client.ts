import { raw, type Sql, sql } from '../../database/sql.ts'
import { targetedThreadSql } from '../messages/threads.ts'
import type { Messaging } from '../messaging.ts'

/**
 * Selects the conversations that keep messages for an offline client: the ones it is a member of, and its subscriptions to system
 * conversations. Columns:
 * - `conv_id`, `kind`;
 * - `own_thread`: the thread of messages of a system conversation for this client alone, else NULL;
 * - `since_ts`: only later messages concern the client.
 *
 * @param clientId the client, or the column with it in a statement about several clients
 * @param only restricts the result to these conversations; null for all
 */
export function conversationsOf(
  messaging: Pick<Messaging, 'objects' | 'tables'>,
  clientId: string | Sql,
  only: readonly string[] | null = null,
): Sql {
  const { objects, tables } = messaging
  const records = objects.classes.get('_Conversation')!.table
  const among = (column: string) => (only ? sql`AND ${raw(column)} = ANY(${only}::text[])` : raw(''))
  return sql`
    SELECT id AS conv_id, 'normal' AS kind, NULL AS own_thread, 0::bigint AS since_ts
    FROM ${records}
    WHERE data->'m' @> jsonb_build_array(${clientId}::text)
      AND data->'sys' IS DISTINCT FROM 'true'::jsonb
      AND data->'tr' IS DISTINCT FROM 'true'::jsonb
      ${among('id')}
    UNION ALL
    SELECT id, 'temporary', NULL, 0
    FROM ${tables.temporary}
    WHERE members @> ARRAY[${clientId}::text]
      AND expires_ts > ${Date.now()}::bigint
      ${among('id')}
    UNION ALL
    SELECT conv_id, 'system', ${targetedThreadSql(raw('conv_id'), clientId)}, since_ts
    FROM ${tables.subscriptions}
    WHERE client_id = ${clientId}
      ${among('conv_id')}`
}
