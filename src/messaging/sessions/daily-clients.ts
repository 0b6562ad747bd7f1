import { coalesce, type Outcome } from '../../database/coalesce.ts'
import { entry, text } from '../../database/decode-row.ts'
import type { Database } from '../../database/pool.ts'
import { sql } from '../../database/sql.ts'
import type { SessionEvent } from '../events.ts'
import { broadcastEvent } from '../messages/broadcasts.ts'
import { MESSAGE_COLUMNS, messageOf } from '../messages/history.ts'
import type { MessagingTables } from '../messaging-tables.ts'

/** Maximum number of clients in one statement. */
const SIZE = 200
/** How long a note waits for others to share its statement, in milliseconds. No client waits for it. */
const INTERVAL = 50

type Welcome = Extract<SessionEvent, { kind: 'message' }>

/** Records which clients log in on which day. Simultaneous logins share a statement. */
export class DailyClients {
  /**
   * Records that a client has logged in today, by the UTC date, for the statistics (protocol/messaging, Global operations).
   * @returns for a client's first login, the last unexpired broadcast to everyone (protocol/realtime, System conversations); null
   *   when there is none, or the client has logged in before
   */
  readonly note: (clientId: string) => Promise<Welcome | null>

  constructor(database: Database, tables: MessagingTables) {
    this.note = coalesce((clientIds) => noteAll(database, tables, clientIds), {
      atOnce: 1,
      size: SIZE,
      interval: INTERVAL,
    })
  }
}

/** Records logins and finds new clients in one statement: all its parts see the table as it was before. */
async function noteAll(
  database: Database,
  { broadcasts, dailyClients, messages }: MessagingTables,
  clientIds: readonly string[],
): Promise<Outcome<Welcome | null>[]> {
  const rows = await database.query(sql`
    WITH item AS (
      SELECT DISTINCT client_id
      FROM unnest(${clientIds}::text[]) AS client_id
    ), noted AS (
      INSERT INTO ${dailyClients} (day, client_id)
      SELECT current_date, client_id
      FROM item
      ORDER BY client_id COLLATE "C"
      ON CONFLICT DO NOTHING
    ), latest AS MATERIALIZED (
      SELECT ${MESSAGE_COLUMNS}
      FROM (
        SELECT conv_id AS thread, ts, id
        FROM ${broadcasts}
        WHERE to_everyone AND coalesce(expires_ts > ${Date.now()}::bigint, TRUE)
        ORDER BY ts DESC
        LIMIT 1
      ) AS place
      JOIN ${messages} USING (thread, ts, id)
    )
    SELECT item.client_id AS newcomer, latest.*
    FROM latest
    CROSS JOIN item
    WHERE NOT EXISTS (SELECT FROM ${dailyClients} AS daily WHERE daily.client_id = item.client_id COLLATE "C")`)
  const welcomes = new Map(rows.map(entry(text('newcomer'), (row) => row)))
  return clientIds.map((clientId) => {
    const row = welcomes.get(clientId)
    return { result: row ? broadcastEvent(messageOf(row)) : null }
  })
}
