import { coalesce, type Outcome } from '../../database/coalesce.ts'
import { entry, text } from '../../database/decode-row.ts'
import type { Database } from '../../database/pool.ts'
import { sql } from '../../database/sql.ts'
import type { SessionEvent } from '../events.ts'
import { broadcastEvent } from '../messages/broadcasts.ts'
import { MESSAGE_COLUMNS, messageOf } from '../messages/history.ts'
import type { MessagingTables } from '../messaging-tables.ts'

/** Clients that one statement notes. */
const SIZE = 200
/** Nobody waits for it: so long, in milliseconds, more may come together. */
const INTERVAL = 50

type Welcome = Extract<SessionEvent, { kind: 'message' }>

/** The clients that have logged in, by days. Those that log in together are noted together. */
export class DailyClients {
  /**
   * Notes that a client has logged in today, by the date in UTC, for the statistics (protocol/messaging, Global
   * operations).
   * @returns what a client is given that logs in for the first time: the last broadcast to everyone that has not expired
   * (protocol/realtime, System conversations); null when there is none, or the client was here before
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

/** All parts of a statement see the table as it was before: who is new is asked before who is here is noted. */
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
